// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A public key in SSH's binary encoding (RFC 4253, section 6.6).
struct SSHPublicKey: Equatable {
  let blob: [UInt8]
  let kind: KeyKind
  /// The name of the key's algorithm in SSH, such as `ssh-ed25519`.
  let type: String

  /// Parses a whole key; one of a kind that cannot be checked is accepted based on its algorithm name.
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
    case "ssh-ed25519": return reader.string()?.count == 32 && reader.isAtEnd ? .ed25519 : nil
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

  /// Parses the first line of a `.pub` file that contains a key: the type, the key in Base64 and a comment.
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

  var authorizedKeysLine: String { "\(type) \(String(writing: { $0.append(base64: blob) }))" }
  var fingerprint: String { "SHA256:\(SHA256.hash(blob).base64.prefix { $0 != "=" })" }
}

/// A reader of values in SSH's data types (RFC 4251, section 5), each of which is `nil` if it is truncated.
struct SSHReader {
  private var unreadBytes: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { unreadBytes = ArraySlice(bytes) }

  var isAtEnd: Bool { unreadBytes.isEmpty }
  var remainder: [UInt8] { Array(unreadBytes) }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count <= unreadBytes.count else { return nil }
    defer { unreadBytes = unreadBytes.dropFirst(count) }
    return Array(unreadBytes.prefix(count))
  }

  mutating func number() -> UInt32? { bytes(4)?.reduce(0) { $0 << 8 | UInt32($1) } }
  mutating func string() -> [UInt8]? { number().flatMap { bytes(Int($0)) } }

  /// Reads the next value as a `string` of printable ASCII characters.
  mutating func text() -> String? {
    string().flatMap { bytes in
      bytes.allSatisfy { (0x20..<0x7f).contains($0) } ? String(decoding: bytes, as: UTF8.self) : nil
    }
  }

  /// Reads the next value as a non-negative `mpint`, and returns its bytes without leading zeros.
  mutating func magnitude() -> [UInt8]? {
    string().flatMap { bytes in (bytes.first ?? 0) < 0x80 ? Array(bytes.drop { $0 == 0 }) : nil }
  }
}
