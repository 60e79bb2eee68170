// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import XCTest

@testable import StorageAuth

/// Header field names that are constants of the library.
final class FieldNameTests: XCTestCase {
  func testKnownNameKeepsItsSpelling() {
    XCTAssertEqual(HTTPField.Name.known("x-oss-ec").rawName, "x-oss-ec")
    XCTAssertEqual(HTTPField.Name.contentMD5.canonicalName, "content-md5")
  }

  func testMistypedNameIsAPlaceholder() {
    XCTAssertEqual(HTTPField.Name.mistyped.canonicalName, "x-mistyped-name")
  }
}
