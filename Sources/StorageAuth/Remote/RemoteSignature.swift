/// What the holder of a key answers: a signature, and whose it is.
///
/// Who has it can do what was signed; the signature and the token are not shown by `print`, `dump` or `Mirror`.
public struct RemoteSignature: Sendable {
  /// The id of the key.
  public let accessKeyID: AccessKeyID

  /// The session token of a temporary key, if the holder says it.
  public let sessionToken: Secret?

  /// The bare signature, as text of the scheme: Base64 for OSS V1, else lower-case hexadecimal digits.
  public let signature: String

  /// Puts an answer together.
  ///
  /// - Parameters:
  ///   - accessKeyID: The id of the key.
  ///   - signature: The bare signature: Base64 for OSS V1, else lower-case hexadecimal digits.
  ///   - sessionToken: The session token of a temporary key.
  public init(accessKeyID: AccessKeyID, signature: String, sessionToken: Secret? = nil) {
    self.accessKeyID = accessKeyID
    self.signature = signature
    self.sessionToken = sessionToken
  }

  /// Reads the authorization that the vendor's documents have servers return for OSS V1: `OSS id:signature`.
  ///
  /// - Returns: Nothing for a text of another form.
  public init?(authorization: String) {
    guard let parts = authorization.removingBytePrefix("OSS ")?.parts(between: ":"), parts.count == 2,
      !parts[0].isEmpty, !parts[1].isEmpty, !parts[0].hasByte(" ")
    else { return nil }
    self.init(accessKeyID: AccessKeyID(String(parts[0])), signature: String(parts[1]))
  }

  /// The authorization as the vendor's documents have servers return it for OSS V1: `OSS id:signature`.
  public var authorization: String { "OSS \(accessKeyID.string):\(signature)" }
}

extension RemoteSignature: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The id; the signature is masked.
  public var description: String { "RemoteSignature(id: \(accessKeyID), signature: \(Secret.mask))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the signature and the token.
  public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}
