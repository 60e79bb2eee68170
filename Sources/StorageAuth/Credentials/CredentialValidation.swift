internal import StorageCrypto

/// What a credential has to look like so that it can be sent.
enum CredentialValidation {
  /// The most bytes of an id; the vendors' have some forty.
  private static let longestID = 1_024

  /// The most bytes of a secret and of a session token, which stands in a header or, encoded, in a URL; the vendors'
  /// have up to two thousand.
  private static let longestSecret = 16_384

  /// The reason why a credential cannot be sent, if there is one.
  ///
  /// - Parameters:
  ///   - id: The access key id.
  ///   - secret: The secret; nothing where it is kept elsewhere.
  ///   - token: The session token, if there is one.
  static func problem(id: AccessKeyID, secret: Secret?, token: Secret?) -> SigningError? {
    if id.utf8.count > longestID {
      return invalid(
        "The access key id has \(id.utf8.count) bytes; at most \(longestID) are sent.",
        "Check that it is an id and not a file or a page.")
    }
    if id.isEmpty {
      return invalid("The access key id is empty.", "Set both the id and the secret, or use the anonymous credential.")
    }
    if !id.utf8.allSatisfy(isAllowedInID) { return separatorInID }
    if let secret, let problem = problem(of: secret, named: "secret") { return problem }
    if let token, let problem = problem(of: token, named: "session token") { return problem }
    return nil
  }

  /// Ids stand between separators in every scheme, so the separators cannot be part of one; the slash can in schemes that
  /// cut the scope off from the end.
  private static func isAllowedInID(_ byte: UInt8) -> Bool {
    byte > UInt8(ascii: " ") && byte < 0x7f && !",;:&=%\"".utf8.contains(byte)
  }

  /// The reason why an id with a slash cannot be sent in most schemes, if there is one.
  static func slashProblem(id: AccessKeyID) -> SigningError? {
    id.utf8.contains(UInt8(ascii: "/")) ? separatorInID : nil
  }

  private static let separatorInID = invalid(
    "The access key id holds a blank, a separator or a character that is not ASCII.",
    "Copy the id again; a blank or a line break at its end is the usual cause.")

  private static func problem(of secret: Secret, named name: String) -> SigningError? {
    let (count, isClean) = secret.bytes.withBytes { bytes in
      var isClean = true
      for index in bytes.indices {
        let byte = bytes[index]
        let isOuter = index == 0 || index == bytes.count - 1
        if byte < UInt8(ascii: " ") || byte == 0x7f || isOuter && byte == UInt8(ascii: " ") { isClean = false }
      }
      return (bytes.count, isClean)
    }
    if count > longestSecret {
      return invalid(
        "The \(name) has \(count) bytes; at most \(longestSecret) are sent.",
        "Check that it is a \(name) and not a file or a page.")
    }
    if count == 0 { return invalid("The \(name) is empty.", "Set it, or leave the credential out.") }
    if isClean { return nil }
    return invalid(
      "The \(name) has a blank at one of its ends, or holds a line break or a control character.",
      "Copy the \(name) again; a line break at its end is the usual cause.")
  }

  private static func invalid(_ message: String, _ remedy: String) -> SigningError {
    SigningError(.invalidCredential, message, remedy: remedy)
  }
}

extension AccessKey {
  /// Refuses a key that cannot be sent; for signers, before they do anything else.
  ///
  /// - Parameter allowsSlashInID: Whether the scheme can tell a slash in the id from those of its scope.
  /// - Throws: A ``SigningError`` with the code ``SigningError/Code/invalidCredential`` if a part is empty or too long, or
  ///   holds a character that ends the line or the field that it would stand in.
  public func check(allowsSlashInID: Bool = false) throws(SigningError) {
    if let problem = storage.problem { throw problem }
    if !allowsSlashInID, let problem = storage.slashProblem { throw problem }
  }
}

extension Identity {
  /// Refuses an identity that cannot be sent; for signers, before they do anything else.
  ///
  /// - Parameter allowsSlashInID: Whether the scheme can tell a slash in the id from those of its scope.
  /// - Throws: A ``SigningError`` with the code ``SigningError/Code/invalidCredential``, as for a key.
  public func check(allowsSlashInID: Bool = false) throws(SigningError) {
    if let problem = CredentialValidation.problem(id: id, secret: nil, token: sessionToken) { throw problem }
    if !allowsSlashInID, let problem = CredentialValidation.slashProblem(id: id) { throw problem }
  }
}
