// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The value of an `Authorization` header in the Basic scheme (RFC 7617, section 2), which basic tokens have as well.
enum BasicAuthorization {
  /// The terms for the user and the password in error messages.
  typealias Names = (user: String, password: String)

  static let nodeUser: Names = ("node user", "password")
  static let accessKey: Names = ("access key id", "secret of the access key")

  /// Throws if the user or the password is empty or contains a control character, or if the user contains a colon.
  static func value(user: String, password: Secret, _ names: Names) throws(SigningError) -> String {
    guard !user.utf8.contains(UInt8(ascii: ":")) else {
      throw SigningError(
        .invalidCredential, "The \(names.user) holds a colon, which separates it from the \(names.password).",
        remedy: "Use only the \(names.user), without the \(names.password) after it.")
    }
    try check(Secret(user), names.user)
    try check(password, names.password)
    var bytes = [UInt8](writing: { writer in
      writer.append(user)
      writer.append(UInt8(ascii: ":"))
      password.bytes.withBytes { writer.append($0) }
    })
    defer { wipe(&bytes) }
    return "Basic " + String(writing: { $0.append(base64: bytes) })
  }

  private static func check(_ text: Secret, _ name: String) throws(SigningError) {
    let isClean = text.bytes.withBytes { bytes in
      bytes.indices.allSatisfy { bytes[$0] >= 0x20 && bytes[$0] != 0x7f }
    }
    guard isClean, !text.isEmpty else {
      throw SigningError(
        .invalidCredential,
        text.isEmpty ? "The \(name) is empty." : "The \(name) holds a line break or a control character.",
        remedy: "Copy it again; a line break at its end is the usual cause.")
    }
  }
}

extension String {
  /// Returns the value of an `Authorization` header for a client of an authorization server.
  ///
  /// The ID and the secret are encoded as in a form before they are joined (RFC 6749, section 2.3.1).
  static func basicAuthorization(clientID: String, secret: Secret) -> String {
    var bytes = [UInt8](writing: { writer in
      writer.append(clientID.percentEncoded())
      writer.append(UInt8(ascii: ":"))
      writer.append(percentEncoding: secret)
    })
    defer { wipe(&bytes) }
    return "Basic \(String(writing: { $0.append(base64: bytes) }))"
  }
}
