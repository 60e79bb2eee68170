// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageCrypto
import XCTest

/// Single-pass parsing of hosts, paths, parameters and header values.
final class WireReadingTests: XCTestCase {
  func testHostsAreParsed() {
    let hosts: [(text: String, isWellFormed: Bool, end: Int, isAddressOrLocalhost: Bool)] = [
      ("photos.oss-cn-hangzhou.aliyuncs.com", true, 35, false), ("a_b-c.example:8080", true, 13, false),
      ("127.0.0.1", true, 9, true), ("127.0.0.1:9000", true, 9, true), ("1.2.3", true, 5, false),
      ("localhost", true, 9, true), ("LocalHost:80", true, 9, true), ("localhosts", true, 10, false),
      ("[::1]", true, 5, true), ("[::1]:443", true, 5, true), ("[2001:db8::192.0.2.1]", true, 21, true),
      ("", false, 0, false), (":80", false, 0, false), ("a:", false, 1, false), ("a:0", false, 1, false),
      ("a:65536", false, 1, false), ("a:65535", true, 1, false), ("a:123456", false, 1, false),
      ("a:1x", false, 1, false),
      ("a b", false, 3, false), ("a/b", false, 3, false), ("a@b", false, 3, false), ("bü.de", false, 6, false),
      ("a.b:80:80", false, 3, false), ("[", false, 1, true), ("[]", false, 2, true), ("[:]", false, 3, true),
      ("[::", false, 3, true), ("[::1]a", false, 5, true), ("[::1]:0", false, 5, true), ("[a-b]", false, 5, true),
      ("[[::1]]", false, 6, true), ("a[", false, 2, false), ("a]", false, 2, false), ("a\u{0}", false, 2, false),
    ]
    for host in hosts {
      let read = withBytes(of: host.text) { HostName($0) }
      XCTAssertEqual(read.isWellFormed, host.isWellFormed, host.text)
      XCTAssertEqual(read.end, host.end, host.text)
      XCTAssertEqual(read.isAddressOrLocalhost, host.isAddressOrLocalhost, host.text)
      XCTAssertEqual(isHost(host.text), host.isWellFormed, host.text)
    }
  }

  func testPathTraitsAreDetected() throws {
    let paths: [(wire: String, end: Int, isDecoded: Bool, isCanonical: Bool, holdsSeparator: Bool)] = [
      ("/", 1, true, true, false), ("/a/b-c_d.e~f", 12, true, true, false), ("/a+b", 4, true, false, false),
      ("/a!b", 4, true, false, false), ("/a%20b", 6, false, false, false), ("/a%3Fb", 6, false, false, true),
      ("/a%26", 5, false, false, true), ("/a%3d", 5, false, false, true), ("/a&b=c", 6, true, false, false),
      ("/a?b=c", 2, true, true, false), ("/a?b=%3f", 2, true, true, true), ("/a?b?", 2, true, true, true),
      ("/a?b=c=d", 2, true, true, false), ("/a?", 2, true, true, false), ("/?%2F", 1, true, true, false),
    ]
    for path in paths {
      try withBytes(of: path.wire) { wire in
        try ScratchList<WireParameter>.with { parameters in
          let read = try XCTUnwrap(WireQuery.split(wire, into: &parameters), path.wire)
          XCTAssertEqual(read.end, path.end, path.wire)
          XCTAssertEqual(read.isDecoded, path.isDecoded, path.wire)
          XCTAssertEqual(read.isCanonical, path.isCanonical, path.wire)
          XCTAssertEqual(read.holdsSeparator, path.holdsSeparator, path.wire)
        }
      }
    }
  }

  func testMalformedPathIsRejected() {
    for wire in [
      "", "a", "/a b", "/a#", "/a\u{7f}", "/ä", "/%", "/%2", "/%2g", "/%g2", "/?%", "/?a=%f", "/?a b", "/?#", "/?ä",
    ] {
      withBytes(of: wire) { bytes in
        ScratchList<WireParameter>.with { XCTAssertNil(WireQuery.split(bytes, into: &$0), wire) }
      }
    }
  }

  func testOnlyUnreservedCharactersMakeAParameterCanonical() throws {
    let query = "a=b&c=%41&d=e=f&g&h=&i=j/k&l=m+n&=o"
    try withBytes(of: "/?" + query) { wire in
      try ScratchList<WireParameter>.with { parameters in
        _ = try XCTUnwrap(WireQuery.split(wire, into: &parameters))
        XCTAssertEqual(
          (0..<parameters.count).map { parameters[$0].isCanonical },
          [true, false, false, true, true, false, false, true])
      }
    }
  }

  func testHeaderValueIsReadByteForByte() throws {
    let name = try XCTUnwrap(HTTPField.Name("x-test"))
    for bytes in [[], [0x61], Array("nikon d90".utf8), [0x61, 0xff, 0x62], [0xef, 0xbf, 0xbd], [0xc3, 0xa4], [0xc3]]
      as [[UInt8]]
    {
      let fields = HTTPFields([HTTPField(name: name, lenientValue: bytes)])
      XCTAssertEqual(fields.withValue(at: 0) { [UInt8](copying: $0) }, bytes)
    }
  }

  func testReplaceRemovesAllFieldsOfTheSameName() throws {
    let (first, other) = (try XCTUnwrap(HTTPField.Name("x-first")), try XCTUnwrap(HTTPField.Name("X-Other")))
    var fields = HTTPFields(
      [first, other, first, other, first].enumerated().map { HTTPField(name: $1, value: "\($0)") })
    fields.replace(HTTPField(name: first, value: "new"))
    XCTAssertEqual(fields.map(\.value), ["new", "1", "3"])
    fields.replace(HTTPField(name: try XCTUnwrap(HTTPField.Name("x-oTher")), value: "last"))
    XCTAssertEqual(fields.map(\.value), ["new", "last"])
    fields.replace(HTTPField(name: .date, value: "added"))
    XCTAssertEqual(fields.map(\.value), ["new", "last", "added"])
  }

  func testNumbersAreFormattedInFull() {
    var numbers: [Int64] = [
      .min, .min + 1, .max, 0, -1, -10, 1_000_000_000, 999_999_999, 9_999_999_999, 10_000_000_000,
    ]
    var power: Int64 = 1
    for _ in 0..<18 {
      numbers += [power, power - 1, power + 1, power * 7 + 3]
      power *= 10
    }
    for number in numbers { XCTAssertEqual(String(writing: { $0.append(number) }), "\(number)") }
    XCTAssertEqual(String(writing: { $0.append(7, digits: 4) }), "0007")
    XCTAssertEqual(String(writing: { $0.append(12_345, digits: 4) }), "12345")
  }
}

extension [UInt8] {
  fileprivate init(copying bytes: Span<UInt8>) {
    self = bytes.indices.map { bytes[$0] }
  }
}
