// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageJSON
import XCTest

/// The known answers of one block of `Vectors/aspera.json`.
struct SpecificationVectors {
  let block: JSONValue

  init(_ name: String) throws {
    let url = try XCTUnwrap(Bundle.module.url(forResource: "aspera", withExtension: "json", subdirectory: "Vectors"))
    let document = try JSONValue(parsing: Data(contentsOf: url))
    block = try XCTUnwrap(document[name], "the vectors have no \(name)")
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
