// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// The known answers of one block of `Vectors/aspera.json`, or of another file in the folder.
struct SpecificationVectors {
  let block: JSONValue

  init(_ name: String) throws {
    block = try XCTUnwrap(Self.document("aspera")[name], "the vectors have no \(name)")
  }

  /// Reads all known answers of a file.
  init(file name: String) throws {
    block = try Self.document(name)
  }

  private static func document(_ name: String) throws -> JSONValue {
    let url = try XCTUnwrap(Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors"))
    return try JSONValue(parsing: Data(contentsOf: url))
  }

  func cases(_ name: String = "cases") throws -> [JSONValue] {
    let cases = try XCTUnwrap(block[name]?.array)
    XCTAssertFalse(cases.isEmpty)
    return cases
  }
}

extension JSONValue {
  /// The strings of an array.
  var texts: [String] { (array ?? []).compactMap(\.string) }

  /// The transfer specification of a vector.
  func specification() throws -> TransferSpec { TransferSpec(fields: try XCTUnwrap(object)) }
}

/// The members of a JSON object literal.
func members(_ object: JSONValue) -> JSONObject? { object.object }
