// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The value of an `Authorization` header in the Basic scheme (RFC 7617, section 2), which basic tokens have as well.
enum BasicAuthorization {
  /// The terms for the user and the password in error messages.
  typealias Terms = (user: String, password: String)

  static let nodeUser: Terms = ("node user", "password")
  static let accessKey: Terms = ("access key id", "secret of the access key")

  /// Returns the value for a node user or an access key.
  ///
  /// - Throws: A `SigningError` if the user or the password is empty or contains a control character, or if the user
  ///   contains a colon.
  static func value(user: String, password: Secret, _ terms: Terms) throws(SigningError) -> String {
    guard !user.utf8.contains(UInt8(ascii: ":")) else {
      throw SigningError(
        .invalidCredential, "The \(terms.user) holds a colon, which separates it from the \(terms.password).",
        remedy: "Use only the \(terms.user), without the \(terms.password) after it.")
    }
    try check(Secret(user), terms.user)
    try check(password, terms.password)
    return value { writer in
      writer.append(user)
      writer.append(UInt8(ascii: ":"))
      password.bytes.withBytes { writer.append($0) }
    }
  }

  /// Returns the value for a client of an OAuth 2.0 authorization server.
  ///
  /// The ID and the secret are encoded as in a form before they are joined (RFC 6749, section 2.3.1).
  static func value(clientID: String, secret: Secret) -> String {
    value { writer in
      writer.append(clientID.percentEncoded())
      writer.append(UInt8(ascii: ":"))
      writer.append(percentEncoding: secret)
    }
  }

  private static func value(writingCredential body: (inout ByteWriter) -> Void) -> String {
    var credential = [UInt8](writing: body)
    defer { wipe(&credential) }
    return "Basic " + String(writing: { $0.append(base64: credential) })
  }

  private static func check(_ text: Secret, _ name: String) throws(SigningError) {
    let hasNoControlCharacter = text.bytes.withBytes { bytes in
      bytes.indices.allSatisfy { bytes[$0] >= 0x20 && bytes[$0] != 0x7f }
    }
    guard hasNoControlCharacter, !text.isEmpty else {
      throw SigningError(
        .invalidCredential,
        text.isEmpty ? "The \(name) is empty." : "The \(name) holds a line break or a control character.",
        remedy: "Copy it again; a line break at its end is the usual cause.")
    }
  }
}
