// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageAuthServer
import XCTest

/// Tests that error responses of the middleware that repeat parts of a request are limited to 256 KiB.
final class RefusalBoundTests: XCTestCase {
  func testErrorForALargeRequestIsLimitedAndFast() async throws {
    for service in VerifyingBench.Service.allCases {
      for answers in [RefusalFormat.xml, .json] {
        let bench = try await VerifyingBench(service, self, answers: answers)
        var request = try bench.signed(bench.request())
        request.path = (request.path ?? "") + "?a=" + String(repeating: "'", count: 30_000)
        for _ in 0..<100 {
          for name in ["x-cos-security-token", "x-ci-security-token", "x-oss-meta-security-token"] {
            if request.headerFields.count < 120, let name = HTTPField.Name(name) {
              request.headerFields.append(HTTPField(name: name, value: "e"))
            }
          }
        }
        let (status, text) = try await bench.send(request)
        XCTAssertTrue((400...403).contains(status), "\(status)")
        XCTAssertLessThanOrEqual(text.utf8.count, 256 << 10)
      }
    }
  }
}
