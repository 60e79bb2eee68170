// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import StorageAuth

/// Escaping of text for terminals and logs.
final class DisplayTextTests: XCTestCase {
  /// Characters that fake a line, move the cursor, change the text direction or are invisible.
  static let hostile: [Unicode.Scalar] = [
    "\u{0}", "\u{7}", "\u{8}", "\n", "\r", "\t", "\u{1B}", "\u{1F}", "\u{7F}", "\u{80}", "\u{85}", "\u{90}", "\u{9B}",
    "\u{9D}", "\u{9F}", "\u{AD}", "\u{34F}", "\u{61C}", "\u{115F}", "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}",
    "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}",
    "\u{2060}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{206F}", "\u{3164}", "\u{FEFF}", "\u{FFA0}",
    "\u{FFF9}", "\u{E0001}", "\u{E0041}", "\u{E0100}",
  ]

  func testHostileCharactersAreEscaped() {
    for scalar in Self.hostile {
      let shown = DisplayText("a\(scalar)b").description
      XCTAssertTrue(shown.utf8.allSatisfy { (0x20..<0x7f).contains($0) }, "U+\(String(scalar.value, radix: 16))")
      XCTAssertTrue(shown.hasPrefix("a\\") && shown.hasSuffix("b"), shown)
      XCTAssertEqual(DisplayText(shown).description, shown, "a second escape changes the string")
    }
    XCTAssertEqual(DisplayText("\u{1B}]0;x\u{7}").description, #"\u{1B}]0;x\u{7}"#)
    XCTAssertEqual(DisplayText("a\r\nb\tc").description, #"a\r\nb\tc"#)
  }

  func testAllControlCharactersAreEscaped() {
    for value in Array(0..<0x20) + Array(0x7f..<0xa0) {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { return XCTFail("\(value)") }
      XCTAssertTrue(DisplayText("\(scalar)").description.hasPrefix("\\"), "\(value)")
    }
  }

  func testOrdinaryTextIsUnchanged() {
    for text in [
      "", "2026/cat.jpg", "\u{65E5}\u{672C}", "caf\u{E9}", "cafe\u{301}", #"back\slash"#, "\u{2764}\u{FE0F}",
      "a\u{A0}b",
      "\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "\u{1F600}",
    ] {
      XCTAssertTrue(DisplayText(text).description.utf8.elementsEqual(text.utf8), text)
    }
  }

  func testLineBreaksAreKeptOnRequest() {
    XCTAssertEqual(DisplayText("a\n\tb\r\u{1B}", keepingLines: true).description, "a\n\tb" + #"\r\u{1B}"#)
  }

  func testEscapingInsideJSONKeepsTheDocument() {
    let json = "{\"key\":\"a\u{7F}\u{9B}\u{202E}\u{E0041}b\"}\n"
    XCTAssertEqual(
      DisplayText.escapingInsideJSON(json), "{\"key\":\"a\\u007f\\u009b\\u202e\\udb40\\udc41b\"}\n")
  }

  func testDescriptionsOfErrorsEscapeHostileText() {
    let text = "a" + String(String.UnicodeScalarView(Self.hostile)) + "b"
    let declined = CredentialError(.failed, source: text, text, remedy: text)
    for error in [
      CredentialError(.failed, source: text, text, remedy: text) as any Error,
      SigningError(.invalidPath, text, remedy: text), VerificationError(.malformed, text, remedy: text),
      PolicyError(.refused, text, remedy: text), SigningRefusal(.malformed, text, remedy: text),
      TransportError(.timeout, text, remedy: text),
      AccessRefusal(reason: .key, access: AccessRequest(.read, text, in: text, contentType: text, at: .now)),
    ] {
      let shown = "\(error)"
      XCTAssertTrue(shown.utf8.allSatisfy { (0x20..<0x7f).contains($0) }, shown)
    }
    let chain = CredentialError(.failed, source: text, text, remedy: text, declined: [declined, declined])
    XCTAssertEqual("\(chain)".split(separator: "\n").count, 3)
  }
}
