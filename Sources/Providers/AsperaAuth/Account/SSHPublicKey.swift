// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A public key in SSH's binary encoding (RFC 4253, section 6.6).
struct SSHPublicKey: Equatable {
  let blob: [UInt8]
  let kind: KeyKind
  /// The name of the key's algorithm in SSH, such as `ssh-ed25519`.
  let type: String

  /// Parses a whole key; one of a kind that cannot be checked is accepted by the name of its algorithm alone.
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
      return .rsa(bits: bitCount(of: modulus))
    case "ssh-dss":
      guard let prime = reader.magnitude() else { return nil }
      return .dsa(bits: bitCount(of: prime))
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

  private static func bitCount(of magnitude: [UInt8]) -> Int {
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

  /// The public key as a line of the file `authorized_keys`, without a comment.
  var authorizedKeysLine: String { "\(type) \(String(writing: { $0.append(base64: blob) }))" }
  /// The SHA-256 fingerprint in OpenSSH's form, which is Base64 without padding.
  var fingerprint: String { "SHA256:\(SHA256.hash(blob).base64.prefix { $0 != "=" })" }
}

/// The SHA-1 hash of a server's public host key, as in the field `sshfp` of a transfer specification.
///
/// ascp compares fingerprints as strings, and accepts only 40 lowercase hexadecimal digits. This type also accepts
/// uppercase letters and colons, and rejects other texts, so that a check is never silently skipped.
public struct HostKeyFingerprint: Sendable, Hashable, CustomStringConvertible {
  /// The fingerprint as 40 lowercase hexadecimal digits.
  public let description: String

  /// Parses the fingerprint of a host key.
  ///
  /// - Parameter text: 40 hexadecimal digits in lowercase or uppercase, with or without colons between the bytes.
  /// - Throws: An ``AsperaError`` with the code `invalidHostKey` if the text has another form, such as a SHA-256.
  public init(_ text: String) throws(AsperaError) {
    let digits = text.parts(between: ":")
    let isGrouped = digits.count == 1 || digits.allSatisfy { $0.utf8.count == 2 }
    let hex = digits.joined().lowercased()
    guard isGrouped, hex.utf8.count == 40, hex.utf8.allSatisfy({ hexValue($0) != nil }) else {
      throw AsperaError(
        .invalidHostKey,
        text.hasBytePrefix("SHA256:")
          ? "The fingerprint of the host key is a SHA-256, which Aspera does not support."
          : "The fingerprint of the host key is not 40 hex digits.",
        remedy: "Take the SHA-1 of the key: ssh-keygen -l -E sha1 prints it in Base64, the server's Node API in hex.")
    }
    description = hex
  }

  /// Calculates the fingerprint of a public host key.
  ///
  /// - Parameter blob: The public key in SSH's binary encoding: the second field of a `.pub` file, decoded from Base64.
  public init(ofKey blob: [UInt8]) { description = SHA1.hash(blob).hex }
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
