// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import StorageClient
import XCTest

@testable import storage_auth

/// Tests the addresses of servers, and the sizes of the files of locations.
final class LocationTests: XCTestCase {
  func testAddressOfIPv6HasBrackets() {
    XCTAssertEqual(ServerAddress.authority(host: "::1", port: 8080), "[::1]:8080")
    XCTAssertEqual(ServerAddress.authority(host: "127.0.0.1", port: 8080), "127.0.0.1:8080")
    for text in ["[::1]:33001", "host:33001"] {
      XCTAssertEqual(ServerAddress(text)?.authority(defaultPort: 1), text)
    }
    XCTAssertEqual(ServerAddress("[::1]")?.authority(defaultPort: 9092), "[::1]:9092")
  }

  func testSizeOfASymbolicLinkIsThatOfItsFile() throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(Array(repeating: 1, count: 1000), to: "file").string
    let link = directory.path("link").string
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    XCTAssertEqual(LocalFiles.byteCount(of: file), 1000)
    XCTAssertEqual(LocalFiles.byteCount(of: link), 1000)
    XCTAssertNil(LocalFiles.byteCount(of: directory.path("missing").string))
  }
}
