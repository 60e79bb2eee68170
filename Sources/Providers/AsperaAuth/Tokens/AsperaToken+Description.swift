// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

extension AsperaToken {
  /// The first eight hexadecimal digits of the token's SHA-256 hash, or `nil` for a basic token.
  ///
  /// Logs use the fingerprint to distinguish tokens. A basic token has no fingerprint because its secret can be chosen
  /// by a person, and such a secret could be guessed from its hash.
  public var fingerprint: String? {
    kind == .basic ? nil : String(secret.bytes.withBytes { SHA256.hash($0) }.hex.prefix(8))
  }

  /// The access key of a basic token, or `nil` if the token has another kind or cannot be decoded.
  var accessKey: String? {
    guard kind == .basic, let bytes = [UInt8](base64: String(secret.reveal().dropFirst("Basic ".count))),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return String(validating: bytes[..<colon], as: UTF8.self)
  }
}

extension AsperaToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description that contains the kind, the fingerprint or the access key, the expiration and the note, but not the
  /// token.
  public var description: String {
    var parts = [kind.rawValue]
    if let fingerprint { parts.append("fingerprint: \(fingerprint)") }
    if let accessKey { parts.append("access key: \(accessKey)") }
    if let expiration { parts.append("expiration: \(expiration)") }
    if let note { parts.append("note: \(note)") }
    return "AsperaToken(\(parts.joined(separator: ", ")))"
  }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// A mirror that contains the kind, the expiration and the masked token.
  public var customMirror: Mirror {
    Mirror(self, children: ["kind": kind.rawValue, "secret": secret, "expiration": expiration as Any])
  }
}
