// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension TransferSpec {
  /// Checks everything about the specification that can be checked before a transfer starts.
  ///
  /// Unknown fields are accepted here, because another engine may know them. ascp commands reject unknown fields.
  ///
  /// Credentials must be unambiguous. ascp reads the password of an account and the passphrase of a key from the same
  /// environment variable, and tries the value as both. A specification with a password and a passphrase, or with a
  /// password and a key, is therefore rejected, although other clients silently use one of the credentials.
  ///
  /// - Throws: An ``AsperaError`` that contains the name of the invalid field but not its value: `ambiguousCredential`,
  ///   `invalidToken`, `malformedKey` or `invalidHostKey` for credentials, tokens, keys and host keys, otherwise
  ///   `invalidSpecification`.
  public func validate() throws(AsperaError) {
    for field in TransferField.all { if let value = fields[field.name], value != .null { try field.check(value) } }
    guard direction != nil else { throw Self.invalid("has no direction", "Set direction to send or receive.") }
    try checkFiles()
    try checkCredentials()
    if let sshfp, !sshfp.isEmpty { _ = try HostKeyFingerprint(sshfp) }
    if text("token")?.isEmpty == true {
      throw AsperaError(
        .invalidToken, "The token of the transfer specification is empty.",
        remedy: "Leave the field out if no token is needed.")
    }
    if fields["tags"]?.object != nil, text("tags64") != nil {
      throw Self.invalid("has both tags and tags64", "Leave one of them out.")
    }
    if contentProtection != nil, filled("content_protection_password") == nil {
      throw Self.invalid(
        "has content_protection without a password", "Set content_protection_password; ascp would prompt for it.")
    }
    try checkWebSocket()
  }

  private func checkCredentials() throws(AsperaError) {
    let password = filled("remote_password")
    let key = filled("ssh_private_key")
    let path = filled("ssh_private_key_path")
    if password != nil, key != nil || path != nil { throw Self.ambiguous("both a password and a private key") }
    if password != nil, filled("ssh_private_key_passphrase") != nil {
      throw Self.ambiguous("both a password and the passphrase of a key")
    }
    if key != nil, path != nil { throw Self.ambiguous("a private key in a file and another one in memory") }
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

  /// Checks the fields of a WebSocket, which replaces SSH and needs no account.
  private func checkWebSocket() throws(AsperaError) {
    guard offersWebSocket == true else { return }
    if webSocketPort == nil { throw Self.invalid("has wss_enabled without wss_port", "Set wss_port, such as 443.") }
    if filled("token") == nil {
      throw Self.invalid("has wss_enabled without a token", "Set a token; a WebSocket checks no account.")
    }
  }

  static func invalid(_ problem: String, _ remedy: String) -> AsperaError {
    AsperaError(.invalidSpecification, "The transfer specification \(problem).", remedy: remedy)
  }

  private static func ambiguous(_ credentials: String) -> AsperaError {
    AsperaError(
      .ambiguousCredential, "The transfer specification has \(credentials).",
      remedy: "Leave one of them out; it is undefined which one ascp would use.")
  }

  /// The names of the fields that together are equivalent to `delete_source`.
  static let deletionFields = ["remove_after_transfer", "remove_empty_directories", "remove_empty_source_directory"]

  /// The names of the Node API for fields of aspera-cli's schema, each with the name in the schema.
  private static let schemaNamesByNodeName = [
    "preserve_xattrs": "preserve_extended_attrs", "remote_preserve_xattrs": "preserve_remote_extended_attrs",
    "remote_preserve_acls": "preserve_remote_acls",
  ]

  private func checkFiles() throws(AsperaError) {
    if let deletes = fields["delete_source"]?.bool {
      for name in Self.deletionFields + ["remove_empty_source_dir"] {
        if let other = fields[name]?.bool, other != deletes {
          throw Self.invalid(
            "has delete_source \(deletes) and \(name) \(other)", "Leave delete_source out, or \(name).")
        }
      }
    }
    if let one = fields["remove_empty_source_dir"]?.bool, let other = fields["remove_empty_source_directory"]?.bool,
      one != other
    {
      throw Self.invalid(
        "has remove_empty_source_dir \(one) and remove_empty_source_directory \(other)", "Leave one of them out.")
    }
    let removesFiles = fields["delete_source"]?.bool == true || removesSources == true
    if removesFiles, sourceArchive != nil {
      throw Self.invalid("both removes the sources and moves them", "Leave move_after_transfer out, or the removal.")
    }
    if fields["remove_skipped"]?.bool == true, !removesFiles {
      throw Self.invalid("has remove_skipped without remove_after_transfer", "Set both of them, or none.")
    }
    if text("src_base") != nil, text("src_base64") != nil {
      throw Self.invalid("has both src_base and src_base64", "Leave one of them out.")
    }
    for (name, schemaName) in Self.schemaNamesByNodeName where text(name) != nil && text(schemaName) != nil {
      throw Self.invalid("has both \(name) and \(schemaName), which are one setting", "Leave one of them out.")
    }
  }
}
