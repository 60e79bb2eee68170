// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

@testable import CredentialSources

/// Tests the INI parser.
final class INIDocumentTests: XCTestCase {
  private let place = SettingLocation(source: "test", name: "The file f", remedy: "Correct it.")

  private func section(_ name: String, of bytes: [UInt8]) throws -> SettingTable? {
    try INIDocument(bytes, at: place).section(name, at: place)
  }

  func testLinesAreParsedAsByTheVendorsTools() throws {
    let text = """
      before = any section
      # comment = one
      [other]
      a = 0
      [ Default ] ; comment
      ; b = 9
      A=1
        b =  two words \t
      c = "quoted # text" # comment
      d = 'a=b'
      e = x#y;z # comment ; more
      f =
      g = # comment
      h = "open
      i=a=b==
      """
    let expected: [(String, String?)] = [
      ("a", "1"), ("b", "two words"), ("c", "quoted # text"), ("d", "a=b"), ("e", "x#y;z"), ("f", nil), ("g", nil),
      ("h", "\"open"), ("i", "a=b=="), ("before", nil),
    ]
    for ending in ["\n", "\r\n", "\r"] {
      for mark in ["", "\u{FEFF}"] {
        let bytes = Array((mark + text.replacing("\n", with: ending)).utf8)
        let settings = try XCTUnwrap(section("default", of: bytes))
        for (name, value) in expected { XCTAssertEqual(try settings.text(name), value, name) }
      }
    }
    XCTAssertEqual(try section("other", of: Array(text.utf8))?.text("a"), "0")
    XCTAssertNil(try section("third", of: Array(text.utf8)))
    XCTAssertEqual(try INIDocument(Array(text.utf8), at: place).names, ["other", "Default"])
  }

  func testByteOrderMarkIsIgnored() throws {
    XCTAssertEqual(try section("s", of: Array("\u{FEFF}[s]\na=1".utf8))?.text("a"), "1")
  }

  func testOnlyTheRequestedSectionMustBeValid() throws {
    let bytes = Array("[bad]\n\(Marks.secret)\n[bad]\n[good]\na=1\n[twice]\na=1\nA=2\n[again]\n[again]".utf8)
    XCTAssertEqual(try section("good", of: bytes)?.text("a"), "1")
    let problems = [("bad", "line 2"), ("twice", "the key of line 8 twice"), ("again", "twice, in lines 9 and 10")]
    for (name, problem) in problems {
      XCTAssertThrowsError(try section(name, of: bytes), name) { error in
        XCTAssertTrue("\(error)".contains(problem), "\(error)")
        XCTAssertFalse("\(error)".contains(Marks.word), "\(error)")
        XCTAssertEqual((error as? CredentialError)?.code, .malformedResponse)
      }
    }
  }

  func testInvalidUTF8IsRejected() {
    XCTAssertThrowsError(try INIDocument([0x5B, 0xFF], at: place)) { error in
      XCTAssertTrue("\(error)".contains("UTF-8"))
    }
  }
}
