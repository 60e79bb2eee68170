// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the parsing of `faspe` links.
final class FaspURITests: XCTestCase {
  private func json(_ link: FaspURI) throws -> String { String(decoding: link.specification.json, as: UTF8.self) }

  func testVectorLinkIsParsedOnceItsFingerprintIsValid() throws {
    let block = try SpecificationVectors("faspe_uri").block
    let text = try XCTUnwrap(block["uri"]?.string)
    XCTAssertThrowsError(try FaspURI(text)) { XCTAssertEqual(($0 as? AsperaError)?.code, .invalidHostKey) }
    let fingerprint = String(repeating: "ab", count: 20)
    let link = try FaspURI(text.replacing("sshfp=foo", with: "sshfp=\(fingerprint)"))
    var expected = try XCTUnwrap(block["transfer_spec"]).specification()
    expected.sshfp = fingerprint
    expected.direction = .receive
    XCTAssertEqual(link.specification, expected)
    XCTAssertTrue(link.droppedPassword)
    XCTAssertFalse(try json(link).contains("pw"))
  }

  func testEveryParameterHasItsField() throws {
    let link = try FaspURI(
      "FASPE://m%C3%ADa@[::1]:22/a%20b%2Bc+d?TOKEN=a+b%2B=&tags64=eyJhIjoxfQ%3D%3D&enc=AES-256&policy=low&targetrate=5"
        + "&minrate=1&bwcap=9&httpport=8080&createpath=yes&fallback=no&v=2&auth=no&extra=1#f")
    XCTAssertEqual(
      try json(link),
      #"{"remote_user":"mía","ssh_port":22,"remote_host":"::1","direction":"receive","paths":[{"source":"/a b+c+d"}],"#
        + #""token":"a+b+=","cipher":"aes-256","rate_policy":"low","target_rate_kbps":5,"min_rate_kbps":1,"#
        + #""target_rate_cap_kbps":9,"http_fallback_port":8080,"create_dir":true,"http_fallback":false,"tags":{"a":1}}"#
    )
    XCTAssertEqual(link.unknownParameters, ["extra"])
    XCTAssertFalse(link.droppedPassword)
  }

  func testInvalidLinksAreRejected() {
    for text in [
      "", "http://h/a", "faspe://", "faspe://h", "faspe://h/%zz", "faspe://h/%f", "faspe://h/%ff", "faspe://h:x/a",
      "faspe://h:99999/a", "faspe://u@/a", "faspe://-h/a", "faspe://h/a?enc=rot13", "faspe://h/a?port=x",
      "faspe://h/a?port=0", "faspe://h/a?token=", "faspe://h/a?token=a%0Ab", "faspe://h/a?fallback=maybe",
      "faspe://h/a?tags64=e3", "faspe://h/a?tags64=W10%3D", "faspe://h/a?policy=x", "faspe://h/a?token=a&token=b",
      "faspe://h/a%0A", "faspe://[::1/a", "faspe://h/" + String(repeating: "a", count: 70_000),
    ] {
      XCTAssertThrowsError(try FaspURI(text), text.prefix(60).description) { XCTAssertTrue($0 is AsperaError) }
    }
  }

  func testLinkDescriptionContainsNoToken() throws {
    let link = try FaspURI("faspe://u:hidden-pw@h/hidden-path?token=hidden-token&cookie=hidden-cookie")
    XCTAssertEqual(DisplayedTexts(of: link).containing(["hidden"]), [])
  }
}
