import AsperaAuth
import StorageAuth
import StorageCompression
import StorageCrypto
import StorageJSON

extension Targets {
  static func links(_ samples: Samples) -> Target {
    let pieces = [
      "faspe://", "@", ":", "/", "?", "&", "=", "%", "%20", "%0a", "%ff", "%00", "#", "[", "]", "token=hidden-token",
      "port=33001", "enc=aes128", "tags64=e30=", "fallback=yes", "u:hidden-password@", "é",
    ]
    let good = [
      "faspe://u@h:22/a?token=hidden-token&enc=aes256gcm&tags64=eyJhIjoxfQ==", "faspe://[::1]:1/a%20b?port=1",
    ]
    let mutator = Mutator(samples: samples.texts("uri") + good.map { Array($0.utf8) }, pieces: pieces)
    return Target(name: "faspe links", weight: 8, mutator: mutator) { input, _ in
      guard let link = try? FaspURI(String(decoding: input, as: UTF8.self)) else { return false }
      try link.specification.validate()
      try require(link.specification.remotePassword == nil, "a link brings a password")
      try require(link.specification.remoteHost?.isEmpty == false, "a link has no host")
      _ = "\(link)"
      return true
    }
  }

  static func tokens(_ samples: Samples) -> Target {
    let pieces = [
      "ATM2_", "ATB3_", "_2MTA", "_3BTA", "Basic ", "Bearer ", "=", "\n", "\r", "\0", "é", "AAAA", ".", "eyJ",
    ]
    let mutator = Mutator(samples: samples.texts("token") + samples.texts("authorization_header"), pieces: pieces)
    return Target(name: "tokens", weight: 6, mutator: mutator) { input, _ in
      let text = String(decoding: input, as: UTF8.self)
      guard let token = try? AsperaToken(Secret(text)) else { return false }
      try require(!text.unicodeScalars.contains { $0 == "\n" || $0 == "\r" || $0 == "\0" }, "a token has two lines")
      try require(token.secret.reveal() == text, "a token is changed")
      try require(text.count < 24 || !"\(token)".contains(text), "a token shows itself")
      return true
    }
  }

  static func bearerTokens(_ samples: Samples) -> Target {
    let mutator = Mutator(samples: samples.texts("token"), pieces: ["eJ", "=", "Bearer ", "A", "/", "+", "\n"])
    return Target(name: "bearer tokens", weight: 6, mutator: mutator) { input, _ in
      try decode(String(decoding: input, as: UTF8.self))
    }
  }

  /// Bearer tokens that are packed as they should be, with something wrong inside of them.
  static func packedClaims(_ samples: Samples) -> Target {
    let pieces = [
      "==SIGNATURE==", "\n==SIGNATURE==\n", "\n", "AAAA", "{", "}", "\"expires_at\":\"2030-01-01T00:00:00Z\"",
      "\"scope\":\"node.\"",
      "\"group_ids\":[1,\"a\"]", "\u{e9}",
    ]
    let mutator = Mutator(samples: samples.texts("plaintext_before_deflate"), pieces: pieces)
    return Target(name: "packed claims", weight: 2, mutator: mutator) { input, _ in
      guard let packed = Zlib.compress(input) else { return false }
      try require(try Zlib.decompress(packed, limit: input.count) == input, "what is packed is not unpacked as it was")
      return try decode(String(writing: { $0.append(base64: packed.span) }))
    }
  }

  private static func decode(_ text: String) throws -> Bool {
    guard let token = try? NodeBearerToken(Secret(text)) else { return false }
    try require(try NodeBearerToken(token.secret) == token, "a bearer token that is read again differs")
    _ = (token.claims.expiration, token.claims.scope, token.claims.groupIDs, "\(token)")
    return true
  }

  static func fingerprints(_ samples: Samples) -> Target {
    let pieces = [":", "SHA256:", "0", "aB", "ff:", "G", "é", " "]
    let grouped = Array(Array(repeating: "6D", count: 20).joined(separator: ":").utf8)
    let mutator = Mutator(samples: samples.texts("sshfp") + [grouped], pieces: pieces)
    return Target(name: "fingerprints", weight: 4, mutator: mutator) { input, _ in
      guard let fingerprint = try? HostKeyFingerprint(String(decoding: input, as: UTF8.self)) else { return false }
      let text = fingerprint.description
      try require(text.utf8.count == 40 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }, "no digits")
      try require(try HostKeyFingerprint(text) == fingerprint, "a fingerprint that is read again differs")
      return true
    }
  }
}
