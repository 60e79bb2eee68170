internal import AsperaAuth
internal import StorageAuth

/// Verifies bearer tokens with the key that their access key has for it.
struct BearerCheck: Sendable {
  /// Why a token is not taken.
  enum Problem: Error {
    case unknownKey, noVerificationKey, unreadable, wrongSignature, foreignScope
    case expired(Timestamp)

    /// What is wrong, in a sentence.
    var message: String {
      switch self {
      case .unknownKey: "The access key of the bearer token is not known."
      case .noVerificationKey: "The access key of the bearer token has no token_verification_key."
      case .unreadable: "The bearer token is invalid: it cannot be read."
      case .wrongSignature: "The bearer token is invalid: its signature is not one of the token_verification_key."
      case .foreignScope: "The bearer token is invalid: its scope names another access key."
      case .expired(let end): "The bearer token has expired: it ended at \(end.iso8601)."
      }
    }
  }

  private let directory: NodeDirectory

  init(_ directory: NodeDirectory) {
    self.directory = directory
  }

  /// Why a token is not one of an access key that is valid at a time; nothing if it is.
  func problem(of token: String, for accessKey: String, at date: Timestamp) -> Problem? {
    guard let key = directory.accessKey(accessKey) else { return .unknownKey }
    guard let pem = key.tokenVerificationKey else { return .noVerificationKey }
    guard let bearer = try? NodeBearerToken(Secret(token)), let end = bearer.claims.expiration else {
      return .unreadable
    }
    guard (try? bearer.verify(with: pem)) != nil else { return .wrongSignature }
    guard bearer.claims.scope?.accessKey == accessKey else { return .foreignScope }
    return end > date ? nil : .expired(end)
  }
}
