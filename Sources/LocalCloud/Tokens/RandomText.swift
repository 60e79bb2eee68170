internal import StorageAuth
internal import StorageCrypto

/// Texts by chance, for what temporary keys consist of.
enum RandomText {
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")

  /// Letters and digits.
  static func letters(_ count: Int) -> String {
    String((0..<count).compactMap { _ in alphabet.randomElement() })
  }

  /// The Base64 of bytes.
  static func base64(byteCount: Int) -> String {
    let bytes = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) }
    return String(writing: { $0.append(base64: bytes.span) })
  }
}
