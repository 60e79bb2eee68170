// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Parsing of IP addresses and networks, and membership.
final class NetworkAddressTests: XCTestCase {
  func testEquivalentSpellingsAreEqual() {
    for (first, second) in [
      ("203.0.113.7", "::ffff:203.0.113.7"), ("203.0.113.7", "::ffff:cb00:7107"), ("::1", "0:0:0:0:0:0:0:1"),
      ("2001:db8::7", "2001:0DB8:0000:0000:0000:0000:0000:0007"), ("::", "0:0::0:0"),
      ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:0.7.0.8"), ("2001:db8:0:0:1::", "2001:db8::1:0:0:0"),
    ] {
      XCTAssertNotNil(NetworkAddress(first), first)
      XCTAssertEqual(NetworkAddress(first), NetworkAddress(second), "\(first) \(second)")
    }
    XCTAssertNotEqual(NetworkAddress("203.0.113.7"), NetworkAddress("::203.0.113.7"))
  }

  func testMalformedAddressesAreRejected() {
    for text in [
      "", " ", "1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "1.2.3.-4", "1.2.3.+4", "01.2.3.4", "1.2.3.4 ", "1.2.3.４",
      "a.b.c.d", "1..2.3", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "::g",
      "1:2:3:4:5:6:7:",
      ":1:2:3:4:5:6:7", "::1.2.3", "1.2.3.4::", "fe80::1%eth0", "[::1]", "1:2:3:4::5:6:7:8", "localhost", "::+1",
    ] {
      XCTAssertNil(NetworkAddress(text), text)
    }
  }

  func testNetworkContainsAddressesWithItsPrefix() {
    for (range, address, isIn) in [
      ("203.0.113.0/24", "203.0.113.0", true), ("203.0.113.0/24", "203.0.113.255", true),
      ("203.0.113.0/24", "203.0.114.0", false), ("203.0.113.7", "203.0.113.7", true),
      ("203.0.113.7", "203.0.113.6", false), ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::1", false),
      ("203.0.113.128/25", "203.0.113.127", false), ("203.0.113.128/25", "203.0.113.128", true),
      ("203.0.113.0/24", "::ffff:203.0.113.9", true), ("2001:db8::/32", "2001:db8:ffff::1", true),
      ("2001:db8::/32", "2001:db9::", false), ("::/0", "2001:db8::", true), ("::/0", "1.2.3.4", false),
      ("::ffff:203.0.113.0/120", "203.0.113.9", true), ("::ffff:203.0.113.0/120", "203.0.114.9", false),
      ("::ffff:0.0.0.0/96", "203.0.113.9", true), ("::ffff:203.0.113.7", "203.0.113.7", true),
    ] {
      let contains = NetworkAddress(address).flatMap { AddressRange(range)?.contains($0) }
      XCTAssertEqual(contains, isIn, "\(range) \(address)")
    }
    XCTAssertEqual(AddressRange("2001:db8::/32")?.isIPv6, true)
    XCTAssertEqual(AddressRange("::ffff:203.0.113.0/120")?.isIPv6, true)
    XCTAssertEqual(AddressRange("10.0.0.0/8")?.isIPv6, false)
    XCTAssertEqual(AddressRange("10.0.0.0/8")?.description, "10.0.0.0/8")
  }

  func testMalformedNetworksAreRejected() {
    for text in [
      "", "/", "10.0.0.0/", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.0/+8", "10.0.0.0/08",
      "10.0.0.1/8", "::1/64", "::/129", "::ffff:203.0.113.0/24", "::ffff:203.0.113.0/95", "::ffff:203.0.113.0/129",
    ] {
      XCTAssertNil(AddressRange(text), text)
    }
  }
}
