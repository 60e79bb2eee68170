/// What the holder of a key answers: a signature, and whose it is.
///
/// Who has it can do what was signed; the signature and the token are not shown by `print`, `dump` or `Mirror`.
public struct SigningResponse: Sendable {
  /// The id of the key.
  public let accessKeyID: AccessKeyID

  /// The session token of a temporary key, if the holder says it.
  public let sessionToken: Secret?

  /// The bare signature, as text of the scheme: Base64 or lower-case hexadecimal digits.
  public let signature: String

  /// Puts an answer together.
  ///
  /// - Parameters:
  ///   - accessKeyID: The id of the key.
  ///   - signature: The bare signature: Base64 or lower-case hexadecimal digits.
  ///   - sessionToken: The session token of a temporary key.
  public init(accessKeyID: AccessKeyID, signature: String, sessionToken: Secret? = nil) {
    self.accessKeyID = accessKeyID
    self.signature = signature
    self.sessionToken = sessionToken
  }

  /// Reads an authorization as signing servers return it by some vendors' documents: a word, and behind a blank
  /// `id:signature`.
  ///
  /// Fails for a text of another form.
  public init?(authorization: String) {
    let words = authorization.parts(between: " ")
    guard words.count == 2, !words[0].isEmpty else { return nil }
    let parts = words[1].parts(between: ":")
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    self.init(accessKeyID: AccessKeyID(String(parts[0])), signature: String(parts[1]))
  }

  /// Returns the authorization as signing servers return it by some vendors' documents.
  ///
  /// - Parameter word: The word in front of `id:signature`.
  public func authorization(_ word: String) -> String { "\(word) \(accessKeyID.string):\(signature)" }
}

extension SigningResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The id; the signature is masked.
  public var description: String { "SigningResponse(id: \(accessKeyID), signature: \(Secret.mask))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the signature and the token.
  public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}
