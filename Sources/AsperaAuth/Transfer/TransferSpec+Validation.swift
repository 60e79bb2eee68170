internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

extension TransferSpec {
  /// Checks everything that can be checked before a transfer starts.
  ///
  /// Fields that are not known are for ``AscpCommand`` to refuse; another engine may know them.
  ///
  /// Credentials have to be unambiguous. ascp takes the password of an account and the passphrase of a key from one
  /// environment variable, and tries what is in it as both: a specification with both of them, or with a password and a
  /// key, is refused here, where other clients let one of them win without a word.
  ///
  /// - Throws: An ``AsperaError`` that names the field and never shows its value.
  public func validate() throws(AsperaError) {
    for field in TransferField.all {
      if let value = fields[field.name], value != .null { try field.check(value) }
    }
    guard direction != nil else {
      throw Self.invalid("has no direction", "Set direction to send or receive.")
    }
    try checkFiles()
    try checkCredentials()
    if let sshfp, !sshfp.isEmpty { _ = try HostKeyFingerprint(sshfp) }
    if text("token")?.isEmpty == true {
      throw AsperaError(
        .invalidToken, "The token of the transfer specification is empty.",
        remedy: "Leave the field out where no token is needed.")
    }
    if fields["tags"]?.object != nil, text("tags64") != nil {
      throw Self.invalid("has both tags and tags64", "Leave one of them out.")
    }
    if contentProtection != nil, filled("content_protection_password") == nil {
      throw Self.invalid(
        "has content_protection without a password", "Set content_protection_password; ascp would ask for it.")
    }
    try checkWebSocket()
  }

  /// At most one way to authenticate.
  private func checkCredentials() throws(AsperaError) {
    let password = filled("remote_password")
    let key = filled("ssh_private_key")
    let path = filled("ssh_private_key_path")
    if password != nil, key != nil || path != nil {
      throw Self.ambiguous("both a password and a private key")
    }
    if password != nil, filled("ssh_private_key_passphrase") != nil {
      throw Self.ambiguous("both a password and the passphrase of a key")
    }
    if key != nil, path != nil {
      throw Self.ambiguous("a private key in a file and another one in memory")
    }
    if key == nil, path == nil, filled("ssh_private_key_passphrase") != nil {
      throw Self.invalid(
        "has a passphrase and no private key", "Name the key; ascp would try the passphrase as a password.")
    }
    if let key, !key.contains(where: \.isNewline), key.contains("\\n") {
      throw AsperaError(
        .malformedKey,
        "The private key in the transfer specification has backslashes where it should have line breaks.",
        remedy: "Pass the key with real line breaks: in JSON one backslash and an n, not two.")
    }
  }

  /// A web socket takes the place of SSH and of the account.
  private func checkWebSocket() throws(AsperaError) {
    guard offersWebSocket == true else { return }
    if webSocketPort == nil { throw Self.invalid("has wss_enabled without wss_port", "Set wss_port, such as 443.") }
    if filled("token") == nil {
      throw Self.invalid("has wss_enabled without a token", "Set a token; a web socket knows no account.")
    }
  }

  static func invalid(_ problem: String, _ remedy: String) -> AsperaError {
    AsperaError(.invalidSpecification, "The transfer specification \(problem).", remedy: remedy)
  }

  private static func ambiguous(_ credentials: String) -> AsperaError {
    AsperaError(
      .ambiguousCredential, "The transfer specification has \(credentials).",
      remedy: "Leave one of them out; nobody can say which one ascp would use.")
  }
}
