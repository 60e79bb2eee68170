internal import StorageCrypto

/// Names of headers and parameters whose values open something: session tokens and signatures.
package enum SecretName {
  /// Whether the value of a header or a parameter is a session token.
  ///
  /// Every name that ends so counts: `x-oss-security-token`, `x-cos-security-token`, `x-acs-security-token` and whatever
  /// a client made of them.
  package static func isToken(_ name: some StringProtocol) -> Bool {
    let name = name.asciiLowercased
    return name.hasByteSuffix("security-token") || otherTokens.contains(name)
  }

  /// Whether the value of a header or a parameter is not to be shown.
  package static func isSecret(_ name: some StringProtocol) -> Bool {
    isToken(name) || signatures.contains(name.asciiLowercased)
  }

  private static let otherTokens: Set<String> = ["x-tc-token"]

  private static let signatures: Set<String> = ["signature", "x-oss-signature", "q-signature", "sign", "authorization"]

  /// The longest name that is looked at whole; of a longer one, its end.
  private static let longestName = 128

  /// Where the values of secret names stand in a canonical request or a string to sign, in order.
  ///
  /// A value follows `name:` up to the end of the line, or `name=` up to the end of the line or the next `&`.
  static func values(in text: Span<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var nameStart = 0
    var index = 0
    while index < text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "&"), UInt8(ascii: "?"), UInt8(ascii: ";"), UInt8(ascii: " "):
        nameStart = index + 1
      case UInt8(ascii: ":"), UInt8(ascii: "="):
        let start = index + 1
        if start - nameStart > 4, isSecret(text.extracting(max(nameStart, index - longestName)..<index)) {
          var end = start
          while end < text.count, text[end] != UInt8(ascii: "\n"),
            byte == UInt8(ascii: ":") || text[end] != UInt8(ascii: "&")
          { end += 1 }
          if end > start { ranges.append(start..<end) }
          index = end - 1
        }
        nameStart = index + 1
      default: break
      }
      index += 1
    }
    return ranges
  }

  private static func isSecret(_ name: Span<UInt8>) -> Bool {
    let name = String(writing: { $0.append(name) })
    return isSecret(name.percentDecodedBytes().map { String(decoding: $0, as: UTF8.self) } ?? name)
  }
}
