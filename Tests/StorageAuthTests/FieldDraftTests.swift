// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageCrypto
import XCTest

/// Replacement and lookup of header fields during signing, and decimal formatting.
final class FieldDraftTests: XCTestCase {
  private func name(_ text: String) throws -> HTTPField.Name { try XCTUnwrap(HTTPField.Name(text)) }

  func testSetReplacesAllFieldsOfTheSameName() throws {
    let (first, second) = (try name("x-a"), try name("x-b"))
    var draft = FieldDraft(
      [first: "1", try name("X-B"): "2", try name("x-longer"): "3", try name("x-B"): "4"], adding: 2)
    draft.set(HTTPField(name: second, value: "5"))
    XCTAssertEqual(draft.fields.map(\.value), ["1", "5", "3"])
    draft.set(HTTPField(name: first, value: "6"))
    XCTAssertEqual(draft.fields.map(\.value), ["6", "5", "3"])
  }

  func testSetAddsAnAbsentFieldThatLookupThenFinds() throws {
    // The same length as an existing name, a new length, and lengths above those that the draft distinguishes.
    let names = try [
      "x-a", "x-b", "x-new", "x-" + String(repeating: "l", count: 80), "x-" + String(repeating: "m", count: 90),
    ]
    .map(name)
    var draft = FieldDraft([names[0]: "0"])
    for (number, name) in names.enumerated().dropFirst() {
      XCTAssertNil(draft.index(of: name), "\(name)")
      draft.remove(name)
      draft.set(HTTPField(name: name, value: "\(number)"))
      XCTAssertEqual(draft.index(of: name), number, "\(name)")
    }
    XCTAssertEqual(draft.fields.map(\.value), ["0", "1", "2", "3", "4"])
    for name in names { draft.set(HTTPField(name: name, value: "again")) }
    XCTAssertEqual(draft.fields.count, names.count)
    draft.remove(names[3])
    XCTAssertNil(draft.index(of: names[3]))
    XCTAssertEqual(draft.fields.count, names.count - 1)
  }

  func testAdditionsKeptApartReplaceTheFieldsOfTheRequest() throws {
    let (first, second, third) = (try name("x-a"), try name("x-b"), try name("x-other"))
    let fields: HTTPFields = [first: "1", second: "2", try name("X-A"): "3"]
    var draft = FieldDraft(fields, adding: 2, .apart)
    draft.set(HTTPField(name: third, value: "4"))
    XCTAssertEqual(draft.fields, fields)
    XCTAssertEqual(draft.index(of: third), 3)
    draft.set(HTTPField(name: first, value: "5"))
    draft.set(HTTPField(name: third, value: "6"))
    XCTAssertEqual(draft.indices.map { draft.canonicalName(at: $0) }, ["x-b", "x-a", "x-other"])
    XCTAssertEqual(draft.indices.map { draft.value(at: $0) }, ["2", "5", "6"])
    XCTAssertEqual(draft.indices.map { draft.name(at: $0) }, [second, first, third])
    let values = draft.indices.map { index in String(writing: { $0.append(valueAt: index, of: draft) }) }
    XCTAssertEqual(values, ["2", "5", "6"])
    XCTAssertEqual(try draft.authorization().map(\.value), ["5", "6"])
    draft.remove(try name("x-none"))
    XCTAssertNoThrow(try draft.authorization())
    draft.remove(second)
    XCTAssertNil(draft.index(of: second))
    XCTAssertThrowsError(try draft.authorization()) { XCTAssertTrue("\($0)".contains("x-b"), "\($0)") }
  }

  func testNumbersAreFormattedInDecimal() {
    let numbers: [Int64] = [
      0, 1, 9, 10, 99, 100, 12_345_678, 99_999_999, 100_000_000, 999_999_999, 1_795_161_600, 10_000_000_000,
      123_456_789_012_345_678, .max, .min, -1, -100_000_000,
    ]
    for number in numbers {
      XCTAssertEqual(String(writing: { $0.append(number) }), "\(number)")
      for digits in [1, 2, 4, 8, 9, 16, 19, 30] {
        let magnitude = "\(number.magnitude)"
        let zeros = String(repeating: "0", count: max(min(digits, 19) - magnitude.count, 0))
        XCTAssertEqual(
          String(writing: { $0.append(number, digits: digits) }), (number < 0 ? "-" : "") + zeros + magnitude,
          "\(number) in \(digits)")
      }
    }
  }
}
