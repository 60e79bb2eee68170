internal import StorageAuth
internal import StorageCrypto

extension AsperaToken {
  /// Eight hex digits by which a token is known again, the beginning of its SHA-256; nothing for a basic token, whose
  /// secret somebody may have made up: a hash of it could be guessed against.
  public var fingerprint: String? {
    kind == .basic ? nil : String(secret.bytes.withBytes { SHA256.hash($0) }.hex.prefix(8))
  }

  /// The access key of a basic token, where it can be read.
  var accessKey: String? {
    guard kind == .basic, let bytes = [UInt8](base64: String(secret.reveal().dropFirst("Basic ".count))),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return String(validating: bytes[..<colon], as: UTF8.self)
  }
}

extension AsperaToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind, the fingerprint or the access key, the end, and what is odd about it; never the token.
  public var description: String {
    var parts = [kind.rawValue]
    if let fingerprint { parts.append("fingerprint: \(fingerprint)") }
    if let accessKey { parts.append("access key: \(accessKey)") }
    if let expiration { parts.append("expiration: \(expiration)") }
    if let note { parts.append("note: \(note)") }
    return "AsperaToken(\(parts.joined(separator: ", ")))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror with a mask for the token.
  public var customMirror: Mirror {
    Mirror(self, children: ["kind": kind.rawValue, "secret": secret, "expiration": expiration as Any])
  }
}
