internal import StorageAuth
internal import StorageCrypto

/// Makes temporary keys in the form of the clouds.
///
/// The tokens hold every character of Base64, so that a client that forgets to encode one is found out.
enum KeyMint {
  private static let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")

  static func make(for provider: LocalCloud.Provider, from start: Timestamp, until end: Timestamp) -> AccessKey {
    switch provider {
    case .oss:
      AccessKey(
        id: "STS." + text(25), secret: text(44), sessionToken: "CAIS/+" + base64(byteCount: 240) + "==", start: start,
        expiration: end)
    case .cos:
      AccessKey(
        id: "AKID" + text(60), secret: text(44), sessionToken: text(32) + "/+" + base64(byteCount: 150) + "==",
        start: start, expiration: end)
    }
  }

  /// Letters and digits by chance.
  static func text(_ count: Int) -> String {
    String((0..<count).compactMap { _ in letters.randomElement() })
  }

  private static func base64(byteCount: Int) -> String {
    let bytes = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) }
    return String(writing: { $0.append(base64: bytes.span) })
  }
}
