// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A public key in the encoding of SSH (RFC 4253, section 6.6).
struct SSHPublicKey: Equatable {
  /// The encoded key.
  let blob: [UInt8]

  /// The kind of the key.
  let kind: KeyKind

  /// The name of the key's algorithm in SSH, such as `ssh-ed25519`.
  let type: String

  /// Parses an encoded key; the result is `nil` if the key is truncated or followed by other data.
  ///
  /// A key of a kind that this package cannot check is accepted by its name.
  init?(blob: [UInt8]) {
    var reader = SSHReader(blob)
    guard let type = reader.text(), let kind = Self.kind(of: type, &reader) else { return nil }
    self.blob = blob
    self.kind = kind
    self.type = type
  }

  private static func kind(of type: String, _ reader: inout SSHReader) -> KeyKind? {
    switch type {
    case "ssh-rsa":
      guard reader.magnitude() != nil, let modulus = reader.magnitude(), reader.isAtEnd else { return nil }
      return .rsa(bits: bitCount(modulus))
    case "ssh-dss":
      guard let prime = reader.magnitude() else { return nil }
      return .dsa(bits: bitCount(prime))
    case "ssh-ed25519":
      return reader.string()?.count == 32 && reader.isAtEnd ? .ed25519 : nil
    default:
      guard let curve = EllipticCurve.allCases.first(where: { type == "ecdsa-sha2-\($0.rawValue)" }) else {
        return .other(type)
      }
      guard reader.text() == curve.rawValue, let point = reader.string(), reader.isAtEnd, point.first == 4,
        point.count == 1 + 2 * curve.coordinateByteCount
      else { return nil }
      return .ecdsa(curve)
    }
  }

  private static func bitCount(_ magnitude: [UInt8]) -> Int {
    magnitude.first.map { magnitude.count * 8 - $0.leadingZeroBitCount } ?? 0
  }

  /// Parses the first key of a `.pub` file: the type, the key in Base64 and a comment, on one line.
  init?(line text: String) {
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count >= 2, let blob = [UInt8](base64: String(fields[1])) else { return nil }
      self.init(blob: blob)
      guard fields[0] == type else { return nil }
      return
    }
    return nil
  }

  /// The key in the format of a line of `authorized_keys`.
  var line: String {
    "\(type) \(String(writing: { $0.append(base64: blob.span) }))"
  }

  /// The SHA-256 of the key as OpenSSH prints it.
  var fingerprint: String {
    "SHA256:\(SHA256.hash(blob).base64.prefix { $0 != "=" })"
  }
}
