// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageCrypto
import XCTest

/// Byte scans over sixteen lanes, compared with scans of each byte.
final class ByteLanesTests: XCTestCase {
  /// Texts of every length around one and two rounds of lanes, each with one byte of every value at every position.
  private func forEachText(_ body: (ContiguousArray<UInt8>, String) -> Void) {
    for count in 0...35 {
      let plain = ContiguousArray((0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) })
      body(plain, "\(count) letters")
      for place in 0..<count {
        for byte in stride(from: UInt8.min, through: .max, by: count < 18 ? 1 : 7) {
          var text = plain
          text[place] = byte
          body(text, "\(byte) at \(place) of \(count)")
        }
      }
    }
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8.contains(byte)
  }

  func testRunEndsAtTheFirstByteThatMustBeEncoded() {
    forEachText { text, name in
      let component = text.firstIndex { !Self.isUnreserved($0) } ?? text.count
      let path = text.firstIndex { !Self.isUnreserved($0) && $0 != UInt8(ascii: "/") } ?? text.count
      XCTAssertEqual(text.span.end(ofRunFrom: 0, keptBy: .component), component, name)
      XCTAssertEqual(text.span.end(ofRunFrom: 0, keptBy: .path), path, name)
      for start in [1, 3, 8, 16, 17] where start <= component {
        XCTAssertEqual(text.span.end(ofRunFrom: start, keptBy: .component), component, "\(name), from \(start)")
      }
    }
  }

  func testContainsAgreesWithAByteScan() {
    forEachText { text, name in
      for byte in [UInt8(0), UInt8(ascii: "%"), UInt8(ascii: "b"), 0x80, 0xff] {
        XCTAssertEqual(text.span.contains(byte), text.contains(byte), "\(byte) in \(name)")
      }
    }
  }

  func testComparisonIsByteWise() {
    forEachText { text, name in
      let plain = ContiguousArray(text.indices.map { UInt8(ascii: "a") + UInt8($0 % 26) })
      XCTAssertEqual(text.span.isIdentical(to: plain.span), text == plain, name)
      XCTAssertEqual(text.span.compared(to: plain.span) < 0, text.lexicographicallyPrecedes(plain), name)
      XCTAssertEqual(plain.span.compared(to: text.span) < 0, plain.lexicographicallyPrecedes(text), name)
      XCTAssertEqual(text.span.compared(to: plain.span) == 0, text == plain, name)
      let shorter = ContiguousArray(text.dropLast())
      XCTAssertEqual(shorter.span.isIdentical(to: text.span), text.isEmpty, name)
      XCTAssertEqual(shorter.span.compared(to: text.span) < 0, !text.isEmpty, name)
    }
    // A zero is a byte, and a text that is a prefix of another one precedes it.
    let (prefix, longer): (ContiguousArray<UInt8>, ContiguousArray<UInt8>) = ([1, 2], [1, 2, 0])
    XCTAssertLessThan(prefix.span.compared(to: longer.span), 0)
    XCTAssertFalse(prefix.span.isIdentical(to: longer.span))
  }

  func testPrefixIsFoundInTextsOfEveryLength() {
    forEachText { text, name in
      XCTAssertEqual(text.span.starts(with: "abc"), text.starts(with: "abc".utf8), name)
      XCTAssertEqual(text.span.starts(with: "abcdefgh"), text.starts(with: "abcdefgh".utf8), name)
      XCTAssertEqual(text.span.starts(with: "abcdefghijkl"), text.starts(with: "abcdefghijkl".utf8), name)
      XCTAssertTrue(text.span.starts(with: ""), name)
    }
  }

  func testLowercasingAffectsOnlyLetters() {
    forEachText { text, name in
      var lanes: [UInt8] = []
      for index in stride(from: 0, to: text.count, by: 16) {
        let lowered = ByteLanes(text.span, from: index).lowercased
        lanes += [UInt8](writing: { $0.append(lowered, count: min(text.count - index, 16)) })
      }
      XCTAssertEqual(lanes, text.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }, name)
    }
  }

  func testLanesBeforeAnIndexAreCounted() {
    for pattern in [0, 1, 0b1000_0000_0000_0000, 0b1010_0110_1001_0101, 0xffff] as [UInt16] {
      let text = ContiguousArray(
        (0..<16).map { pattern >> UInt16($0) & 1 == 1 ? UInt8(ascii: ".") : UInt8(ascii: "x") })
      let dots = ByteLanes(text.span, from: 0).equal(UInt8(ascii: "."))
      XCTAssertEqual(dots.first, text.firstIndex(of: UInt8(ascii: ".")) ?? 16)
      for end in 0...16 {
        let found = dots.lanes(before: end)
        XCTAssertEqual(found.count, text[..<end].count { $0 == UInt8(ascii: ".") }, "\(pattern) before \(end)")
        if found.count > 0 { XCTAssertEqual(found.first, text.firstIndex(of: UInt8(ascii: "."))) }
      }
    }
  }

  func testSortIsStableAndReportsEqualElements() {
    for count in [0, 1, 2, 3, 24, 25, 60] {
      for distinct in [1, 2, 7, 1000] {
        let numbers = (0..<count).map { ($0 * 7919 + 13) % 1009 % distinct * 1000 + $0 }
        ScratchList<Int>.with { list in
          for number in numbers { list.append(number) }
          let hasEqual = list.sort { $0 / 1000 - $1 / 1000 }
          // The rest of each number is its position: equal elements keep their order.
          let sorted = (0..<list.count).map { list[$0] }
          XCTAssertEqual(sorted, numbers.sorted(), "\(count), \(distinct)")
          XCTAssertEqual(hasEqual, Set(numbers.map { $0 / 1000 }).count < count, "\(count), \(distinct)")
        }
      }
    }
  }

  func testNameTableContainsOnlyItsNames() {
    let names = ["a", "b", "acl", "uploads", "uploadId", "response-content-disposition", "response-content-language"]
    let table = NameTable(names)
    for name in names {
      XCTAssertTrue(table.contains(name), name)
      XCTAssertFalse(table.contains(name + "x"), name)
      XCTAssertFalse(table.contains(String(name.dropLast()) + "_"), name)
    }
    for name in ["", "c", "ab", "ba", "aclu", "lup", "uploadIduploads", String(repeating: "a", count: 100)] {
      XCTAssertFalse(table.contains(name), name)
    }
    XCTAssertFalse(NameTable([String]()).contains(""))
    XCTAssertFalse(NameTable([String]()).contains("a"))
  }
}
