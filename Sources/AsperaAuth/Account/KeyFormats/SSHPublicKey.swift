internal import StorageCrypto

/// A public key as SSH sends it.
struct SSHPublicKey: Equatable {
  /// The key.
  let blob: [UInt8]

  /// What it is.
  let kind: KeyKind

  /// The name that SSH has for the kind.
  let type: String

  /// Reads a key; nothing unless it is whole and nothing follows.
  ///
  /// A kind that this package cannot check is taken by its name.
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

  /// Reads the first key of a `.pub` file: the type, the key in Base64 and a comment in one line.
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

  /// The key in a line as `authorized_keys` has it.
  var line: String {
    "\(type) \(String(writing: { $0.append(base64: blob.span) }))"
  }

  /// The SHA-256 of the key as OpenSSH prints it.
  var fingerprint: String {
    "SHA256:\(SHA256.hash(blob).base64.prefix { $0 != "=" })"
  }
}
