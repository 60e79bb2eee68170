// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import XCTest

@testable import StorageAuth

/// Recognition of whether a response's head says where its body ends.
final class ResponseEndTests: XCTestCase {
  func testOnlyTheLastCodingMarksTheEnd() {
    let codings = [
      ("chunked", true), ("gzip, chunked", true), ("gzip,\tChunked", true), ("chunked, gzip", false),
      ("chun ked", false), ("gzip, chunk\ted", false), ("", false),
    ]
    for (value, marksEnd) in codings {
      var response = HTTPResponse(status: .ok)
      response.headerFields[.transferEncoding] = value
      XCTAssertEqual(response.marksEndOfBody, marksEnd, value)
    }
  }
}
