/// Why a caller gets no key and no token.
public enum TokenServiceError: Error, Sendable, Hashable {
  /// The caller asked too often.
  ///
  /// - after: When it may ask again.
  case tooManyRequests(after: Duration)
  /// The cloud's token service gave no key.
  ///
  /// - after: For how long it is left alone; nothing if asking again cannot help.
  case unavailable(CredentialError, after: Duration?)
  /// What the source of a scope gave is no temporary key.
  case permanentKey
  /// The policy of the caller does not allow what was asked for.
  case notAllowed(PolicyError)
  /// The scope cannot be turned into a key: the cloud cannot express it.
  case scope(String)
}

extension TokenServiceError: CustomStringConvertible {
  /// What happened, for the audit log.
  public var description: String {
    switch self {
    case .tooManyRequests(let delay): "too many requests, again after \(delay)"
    case .unavailable(let error, _): "\(error)"
    case .permanentKey: "the source gave a key that is not temporary"
    case .notAllowed(let error): "\(error)"
    case .scope(let problem): "the scope cannot be expressed: \(problem)"
    }
  }
}
