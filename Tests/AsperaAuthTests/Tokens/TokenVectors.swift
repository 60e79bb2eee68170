// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import XCTest

/// The blocks of `aspera.json` about tokens and the Node API.
struct TokenVectors {
  private let root: JSONValue

  init() throws {
    let url = try XCTUnwrap(Bundle.module.url(forResource: "aspera", withExtension: "json", subdirectory: "Vectors"))
    root = try JSONValue(parsing: Data(contentsOf: url))
  }

  subscript(_ block: String) -> JSONValue { root[block] ?? .null }

  /// Returns a string of a block; fails if it is missing.
  func text(_ block: String, _ name: String, file: StaticString = #filePath, line: UInt = #line) throws -> String {
    try XCTUnwrap(root[block]?[name]?.string, "\(block).\(name)", file: file, line: line)
  }

  /// The key of the vectors, which was generated for them.
  func bearerKey() throws -> NodeBearerKey {
    try NodeBearerKey(pem: Secret(text("node_bearer_token", "private_key_pem_test_only")))
  }
}

/// Asserts that an operation throws an `AsperaError` with a code and a message.
func assertRefused<Value>(
  _ code: AsperaError.Code, _ says: String, file: StaticString = #filePath, line: UInt = #line,
  _ work: () throws -> Value
) {
  XCTAssertThrowsError(try work(), says, file: file, line: line) { thrown in
    guard let error = thrown as? AsperaError else { return XCTFail("\(thrown)", file: file, line: line) }
    XCTAssertEqual(error.code, code, "\(error)", file: file, line: line)
    XCTAssertTrue(error.message.contains(says), "no “\(says)” in \(error)", file: file, line: line)
    XCTAssertTrue(error.remedy.hasSuffix("."), "\(error)", file: file, line: line)
  }
}
