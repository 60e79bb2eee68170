// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Parsing, serialization and editing of JSON documents.
final class JSONTests: XCTestCase {
  func testParsedDocumentSerializesUnchanged() throws {
    let text = #"{"b":1,"a":[true,false,null,-0.10e+5,18446744073709551],"é\n\"":{"":[]},"c":"😀/\\"}"#
    let value = try JSONValue(parsing: Array(text.utf8))
    XCTAssertEqual(String(decoding: value.serialized, as: UTF8.self), text)
    XCTAssertEqual(value["a"]?[4]?.integer, 18_446_744_073_709_551)
    XCTAssertEqual(value["a"]?[3]?.integer, -10_000)
  }

  func testEscapesAreDecoded() throws {
    let value = try JSONValue(parsing: Array(#" "\ud83d\ude00\u0041\/\b\f\n\r\t\\\"" "#.utf8))
    XCTAssertEqual(value.string, "😀A/\u{8}\u{c}\n\r\t\\\"")
  }

  func testMalformedJSONIsRejectedWithItsOffset() {
    let broken: [(String, Int)] = [
      ("", 0), ("{", 1), ("[1,]", 3), ("{\"a\":1,\"a\":2}", 10), ("01", 1), ("1.", 2), ("\"\\u12\"", 3),
      ("\"\\ud83d\"", 7), ("\"a\nb\"", 3), ("tru", 0), ("1 2", 2), ("{\"a\" 1}", 5), ("[1", 2), ("\"", 1), ("+1", 0),
      (String(repeating: "[", count: 65), 64),
    ]
    for (text, offset) in broken {
      XCTAssertThrowsError(try JSONValue(parsing: Array(text.utf8)), text) {
        XCTAssertEqual(($0 as? JSONError)?.offset, offset, "\(text): \($0)")
      }
    }
    XCTAssertThrowsError(try JSONValue(parsing: [0x22, 0xff, 0x22]))
  }

  func testMembersKeepTheirOrderOnReplacement() {
    var object: JSONObject = JSONObject()
    object["z"] = 1
    object["a"] = 2
    object["z"] = 3
    object["gone"] = 4
    object["gone"] = nil
    XCTAssertEqual(String(decoding: JSONValue.object(object).serialized, as: UTF8.self), #"{"z":3,"a":2}"#)
  }

  func testLiteralsBuildDocuments() throws {
    let tags: JSONObject = ["order": 7, "labels": ["cat", true, ["none": .null]], "order": 8]
    XCTAssertEqual(
      String(decoding: JSONValue.object(tags).serialized, as: UTF8.self),
      #"{"order":8,"labels":["cat",true,{"none":null}]}"#)
    XCTAssertEqual(tags.map(\.name), ["order", "labels"])
    XCTAssertEqual(tags["labels"], ["cat", true, ["none": .null]])
    XCTAssertEqual(tags["labels"]?[1]?.bool, true)
    XCTAssertNil(tags["labels"]?[3])
    XCTAssertNil(tags["order"]?["name"])
    XCTAssertTrue(([:] as JSONObject).isEmpty)
  }
}
