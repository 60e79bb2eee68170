// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageCrypto
import XCTest

/// Replacement and lookup of header fields during signing, and decimal formatting.
final class FieldDraftTests: XCTestCase {
  private func name(_ text: String) throws -> HTTPField.Name { try XCTUnwrap(HTTPField.Name(text)) }

  /// Returns the fields of a request to which the added fields of a draft are set.
  private func completed(_ draft: FieldDraft<HTTPFields>) -> HTTPFields {
    var fields = draft.base
    draft.added.set(in: &fields)
    return fields
  }

  /// Returns the fields as the draft presents them, without those that are replaced.
  private func presented(_ draft: FieldDraft<HTTPFields>) -> [String] {
    (0..<draft.count).compactMap { index in
      func text(_ bytes: Span<UInt8>) -> String { String(writing: { $0.append(bytes) }) }
      let name = draft.withName(at: index, text)
      return name.isEmpty ? nil : "\(name)=\(draft.withValue(at: index, text))"
    }
  }

  func testAddedFieldReplacesAllFieldsOfItsName() throws {
    let (first, second) = (try name("x-a"), try name("x-b"))
    var draft = FieldDraft(
      [first: "1", try name("X-B"): "2", try name("x-longer"): "3", try name("x-B"): "4"] as HTTPFields)
    draft.add(HTTPField(name: second, value: "5"))
    XCTAssertEqual(presented(draft), ["x-a=1", "x-longer=3", "x-b=5"])
    XCTAssertEqual(completed(draft).map(\.value), ["1", "5", "3"])
    draft.add(HTTPField(name: first, value: "6"))
    XCTAssertEqual(presented(draft), ["x-longer=3", "x-b=5", "x-a=6"])
    XCTAssertEqual(completed(draft).map(\.value), ["6", "5", "3"])
    XCTAssertEqual(draft.added.array.map(\.value), ["5", "6"])
  }

  func testAddedFieldIsFoundBeforeTheRequests() throws {
    // The same length as an existing name, a new length, and lengths above those that the draft distinguishes.
    let names = try [
      "x-a", "x-b", "x-new", "x-" + String(repeating: "l", count: 80), "x-" + String(repeating: "m", count: 90),
    ]
    .map(name)
    var draft = FieldDraft([names[0]: "0"] as HTTPFields)
    for (number, name) in names.enumerated().dropFirst() {
      XCTAssertNil(draft.index(of: name), "\(name)")
      draft.add(HTTPField(name: name, value: "\(number)"))
      XCTAssertEqual(draft.index(of: name), number, "\(name)")
    }
    XCTAssertEqual(completed(draft).map(\.value), ["0", "1", "2", "3", "4"])
    var other = FieldDraft([names[0]: "0", names[3]: "old"] as HTTPFields)
    other.add(HTTPField(name: names[3], value: "new"))
    XCTAssertEqual(other.index(of: names[3]), 2)
    XCTAssertEqual(completed(other).map(\.value), ["0", "new"])
  }

  func testSessionTokenOfAnotherCredentialIsRejectedAndRemoved() throws {
    let token = try name("x-token")
    var draft = FieldDraft([token: "old"] as HTTPFields)
    XCTAssertThrowsError(try draft.add(token: nil, named: token)) {
      XCTAssertEqual(($0 as? SigningError)?.code, .invalidHeader)
    }
    XCTAssertNoThrow(try draft.add(token: HTTPField(name: token, value: "new"), named: token))
    XCTAssertEqual(completed(draft).map(\.value), ["new"])
    var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/", headerFields: [token: "old"])
    try request.addFields(withToken: nil, named: token) { request in
      XCTAssertEqual(request.headerFields, [:])
      return FieldDraft(request.headerFields).added
    }
    XCTAssertEqual(request.headerFields, [:])
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
