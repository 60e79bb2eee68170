// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageCrypto
import XCTest

/// The order and the text of selected headers, which store the first 24 bytes of their names.
final class SelectedHeaderTests: XCTestCase {
  /// Names of lengths around those at which the representation changes, which differ only in their last bytes.
  private var names: [String] {
    [1, 7, 8, 9, 15, 16, 17, 23, 24, 25, 26, 40, 254, 255, 256, 300].flatMap { count in
      ["a", "b"].map { String(repeating: "a", count: count - 1) + $0 }
    }
  }

  /// Calls a function with the sorted headers of names, the index of a repeated one, and their fields.
  private func withHeaders<Result>(
    of names: [String], _ body: (borrowing ScratchList<SelectedHeader>, Int?, borrowing FieldDraft) throws -> Result
  ) throws -> Result {
    let fields = try HTTPFields(names.map { HTTPField(name: try XCTUnwrap(HTTPField.Name($0)), value: "") })
    let draft = FieldDraft(fields)
    return try ScratchList<SelectedHeader>.with { headers in
      for (index, name) in names.enumerated() {
        withBytes(of: name) { headers.append(SelectedHeader(name: $0, index: Int32(index))) }
      }
      let repeated = SelectedHeader.sort(&headers, of: draft)
      return try body(headers, repeated, draft)
    }
  }

  func testHeadersAreSortedByTheBytesOfTheirNames() throws {
    let ascending = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for order in [names, names.reversed(), ascending] {
      try withHeaders(of: order) { headers, repeated, draft in
        XCTAssertNil(repeated)
        for index in 0..<headers.count {
          XCTAssertEqual(headers[index].name(in: draft), ascending[index])
          XCTAssertEqual(String(writing: { headers[index].appendName(in: draft, to: &$0) }), ascending[index])
          XCTAssertFalse(headers[index].repeatsName, ascending[index])
        }
      }
    }
  }

  func testRepeatedNameIsFound() throws {
    for name in names {
      try withHeaders(of: names + [name]) { headers, repeated, draft in
        XCTAssertEqual(repeated, names.count, name)
        for index in 0..<headers.count {
          let isRepeated = Int(headers[index].index) == names.count
          XCTAssertEqual(headers[index].repeatsName, isRepeated, name)
        }
      }
    }
  }

  func testUnreservedNameIsRecognized() throws {
    for count in 1...30 {
      let name = String(repeating: "a", count: count)
      try withHeaders(of: [name]) { headers, _, _ in
        XCTAssertEqual(headers[0].hasUnreservedName, count <= 24, name)
      }
      for index in 0..<count {
        let reserved = String(repeating: "a", count: index) + "!" + String(repeating: "a", count: count - index - 1)
        try withHeaders(of: [reserved]) { headers, _, _ in XCTAssertFalse(headers[0].hasUnreservedName, reserved) }
      }
    }
  }

  func testHostNeedsNoField() {
    let header = withBytes(of: "host") { SelectedHeader(name: $0, index: SelectedHeader.hostIndex) }
    let draft = FieldDraft([:])
    XCTAssertEqual(header.name(in: draft), "host")
    XCTAssertEqual(String(writing: { header.appendName(in: draft, to: &$0) }), "host")
    XCTAssertTrue(header.hasUnreservedName)
  }
}
