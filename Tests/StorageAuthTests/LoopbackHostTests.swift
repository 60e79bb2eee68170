// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import XCTest

@testable import StorageAuth

/// Recognition of Host headers that name the loopback interface.
final class LoopbackHostTests: XCTestCase {
  func testLoopbackNamesAreAccepted() {
    for host in [
      "localhost", "LOCALHOST", "localhost.", "photos.localhost", "a.b.LocalHost.", "127.0.0.1", "127.0.0.1.",
      "127.255.3.4", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]",
    ] {
      for port in ["", ":80", ":65535"] { XCTAssertTrue(LoopbackHost.isNamed(by: host + port), host + port) }
    }
  }

  func testOtherNamesAreRejected() {
    for host in [
      nil, "", ".", ":80", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evillocalhost",
      ".localhost", "a..localhost", "localhost..", "localhost:", "localhost:x", "localhost:123456", "localhost:80:80",
      "localhost:80@evil.example", "localhost@evil.example", "user:pw@localhost", "localhost/", "localhost#",
      "local host",
      "localhost ", "localhost,evil.example", "localhost\u{0}", "ⓛocalhost", "localho\u{17F}t", "l\u{43E}calhost",
      "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1x", "127.0.0.256", "128.0.0.1", "0.0.0.0",
      "10.0.0.1",
      "169.254.169.254", "::1", "[::2]", "[::]", "[::1", "[::1]x", "[::1]:", "[localhost]", "[127.0.0.1]",
      "[::ffff:10.0.0.1]", "[fe80::1]", "[::1%25lo]", "*", "*.localhost:80",
    ] as [String?] {
      XCTAssertFalse(LoopbackHost.isNamed(by: host), host ?? "no host")
    }
  }
}
