// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A rule for the names of headers, parameters and form fields whose values must not be shown.
///
/// Such values are session tokens, signatures, passwords and encryption keys. A rule also covers names of providers
/// that this package does not know: every name is secret that contains `token`, `signature`, `secret`, `password`,
/// `credential` or `authorization`, or ends in `-customer-key`, regardless of case. Exempt are the version, the method
/// and the nonce of a signature, the continuation token of a list, and the `…-credential` parameter, which contains a
/// key's ID and a signature's scope.
///
/// A provider whose secrets have other names declares these names once:
///
/// ```swift
/// SecretName.declare("x-acme-pin")
/// ```
public enum SecretName {
  /// The declared names in lowercase, and `sign`, the parameter with the whole authorization of a COS URL.
  private static let declaredNames = Lock<Set<String>>(["sign"])

  /// Declares more names, in any letter case, whose values must not be shown, for the whole process.
  public static func declare(_ names: String...) {
    declaredNames.withLock { $0.formUnion(names.map(\.asciiLowercased)) }
  }

  /// Returns whether the value with a name is a session token.
  package static func isToken(_ name: some StringProtocol) -> Bool {
    withBytes(of: name.asciiLowercased) { kinds(announcedBy: $0).contains(.token) }
  }

  /// Returns whether the value with a name must not be shown.
  package static func isSecret(_ name: some StringProtocol) -> Bool {
    let text = name.asciiLowercased
    return withBytes(of: text) { !kinds(announcedBy: $0).isEmpty } || declaredNames.withLock { $0.contains(text) }
  }

  /// The kinds of secret that the words in a name announce.
  private struct Kinds: OptionSet {
    let rawValue: UInt8
    static let token = Kinds(rawValue: 1)
    static let other = Kinds(rawValue: 2)
  }

  /// The ends of names that contain a word such as `token` although their values are no secret.
  private static let harmlessEnds: [StaticString] = [
    "continuation-token", "continuationtoken", "-credential", "signature-version", "signatureversion",
    "signature-method", "signaturemethod", "signature-nonce", "signaturenonce",
  ]

  private static func kinds(announcedBy name: Span<UInt8>) -> Kinds {
    if harmlessEnds.contains(where: { hasEnd($0, name) }) { return [] }
    var kinds: Kinds = hasEnd("-customer-key", name) ? .other : []
    for index in name.indices {
      // The first byte is compared before the word, because most bytes start none of the words.
      let word = name.extracting(index...)
      switch name[index] {
      case UInt8(ascii: "t") where word.starts(with: "token"): kinds.insert(.token)
      case UInt8(ascii: "s") where word.starts(with: "signature") || word.starts(with: "secret"): kinds.insert(.other)
      case UInt8(ascii: "p") where word.starts(with: "password"): kinds.insert(.other)
      case UInt8(ascii: "c") where word.starts(with: "credential"): kinds.insert(.other)
      case UInt8(ascii: "a") where word.starts(with: "authorization"): kinds.insert(.other)
      default: break
      }
    }
    return kinds
  }

  private static func hasEnd(_ end: StaticString, _ name: Span<UInt8>) -> Bool {
    let start = name.count - end.utf8CodeUnitCount
    return start >= 0 && name.extracting(start...).starts(with: end)
  }

  /// The number of bytes at the end of a name that are examined, which bounds the time for a long text without names.
  private static let nameByteLimit = 128
  /// The length, in bytes, of the shortest secret name: `sign`.
  private static let minimumNameByteCount = 4

  /// Returns the ranges of values with secret names in a canonical request or a string to sign, in order.
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
        let examinedName = text.extracting(max(nameStart, index - nameByteLimit)..<index)
        if index - nameStart >= minimumNameByteCount, isSecret(examinedName) {
          let valueStart = index + 1
          let valueEnd = endOfValue(in: text, from: valueStart, endsWithLine: byte == UInt8(ascii: ":"))
          if valueEnd > valueStart { ranges.append(valueStart..<valueEnd) }
          index = valueEnd - 1
        }
        nameStart = index + 1
      default: break
      }
      index += 1
    }
    return ranges
  }

  private static func endOfValue(in text: Span<UInt8>, from valueStart: Int, endsWithLine: Bool) -> Int {
    var end = valueStart
    while end < text.count, text[end] != UInt8(ascii: "\n"), endsWithLine || text[end] != UInt8(ascii: "&") { end += 1 }
    return end
  }

  private static func isSecret(_ name: Span<UInt8>) -> Bool {
    let name = String(writing: { $0.append(name) })
    return isSecret(name.percentDecodedBytes().map { String(decoding: $0, as: UTF8.self) } ?? name)
  }
}
