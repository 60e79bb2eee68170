// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An untrusted string in a form that is safe to show in a terminal or a log.
///
/// Control characters can move the cursor or start a new line in a log; directional marks can reverse the order in
/// which text is read; invisible characters make two names look the same. They are escaped as in a Swift literal: `\n`,
/// `\u{1B}`, `\u{202E}`. All other characters are unchanged, even the backslash, so escaping twice has no more effect.
///
/// The escaped characters are the Unicode general categories Cc, Cf, Zl and Zp and the code points that are ignorable
/// by default (<https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing>). The variation selectors U+FE00 to
/// U+FE0F are unchanged, because emoji and some scripts need them.
///
/// ```swift
/// for try await entry in client.list() { print(DisplayText(entry.name)) }
/// ```
public struct DisplayText: Sendable, CustomStringConvertible {
  /// The string with its control and invisible characters escaped.
  public let description: String

  /// Creates a display text by escaping the control and invisible characters of a string.
  ///
  /// - Parameters:
  ///   - text: The untrusted string.
  ///   - keepingLines: Whether line feeds and tabs are part of the layout and stay unescaped.
  public init(_ text: String, keepingLines: Bool = false) {
    let isLayout = { (scalar: Unicode.Scalar) in keepingLines && (scalar == "\n" || scalar == "\t") }
    let needsNoEscape = text.utf8.allSatisfy(Self.isPlain)
    description = needsNoEscape ? text : Self.escaping(text, keeping: isLayout, as: Self.escapeSequence)
  }

  /// Escapes the control and invisible characters in a JSON document without changing the document's value.
  ///
  /// Such characters appear only inside strings, and become `\uXXXX`. Characters below U+0020 are unchanged: a JSON
  /// document contains them only between values, as line feeds and tabs.
  package static func escapingInsideJSON(_ json: String) -> String {
    if json.utf8.allSatisfy({ isPlain($0) || $0 < 0x20 }) { return json }
    return escaping(json, keeping: { $0.value < 0x20 }) { scalar in
      String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      }.joined()
    }
  }

  private static func escaping(
    _ text: String, keeping isKept: (Unicode.Scalar) -> Bool, as escapeSequence: (Unicode.Scalar) -> String
  ) -> String {
    var escapedText = ""
    escapedText.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      if isShown(scalar) || isKept(scalar) {
        escapedText.unicodeScalars.append(scalar)
      } else {
        escapedText += escapeSequence(scalar)
      }
    }
    return escapedText
  }

  /// Returns whether a byte is a visible ASCII character or a space.
  private static func isPlain(_ byte: UInt8) -> Bool { (0x20..<0x7f).contains(byte) }

  private static let variationSelectors: ClosedRange<Unicode.Scalar> = "\u{FE00}"..."\u{FE0F}"

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return isPlain(UInt8(truncatingIfNeeded: scalar.value)) }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return false
    default: break
    }
    return !scalar.properties.isDefaultIgnorableCodePoint || variationSelectors.contains(scalar)
  }

  private static func escapeSequence(for scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": #"\n"#
    case "\r": #"\r"#
    case "\t": #"\t"#
    default: #"\u{\#(String(scalar.value, radix: 16, uppercase: true))}"#
    }
  }
}

extension String {
  /// The string with control and invisible characters, such as line feeds, escaped as in ``DisplayText``.
  package var onOneLine: String { DisplayText(self).description }
}
