// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageCrypto
import XCTest

/// The byte classification table of URLs, and the encodings that use it.
final class URLByteTests: XCTestCase {
  private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

  func testByteClassesMatchTheirDefinition() {
    for byte in UInt8.min...UInt8.max {
      let kind =
        switch byte {
        case _ where Self.unreserved.contains(byte): URLByte.unreserved
        case UInt8(ascii: "/"): URLByte.slash
        case ...0x20, 0x7f..., UInt8(ascii: "#"): URLByte.other + 1
        default: URLByte.other
        }
      XCTAssertEqual(URLByte.byteClass(of: byte), kind, "\(byte)")
      XCTAssertEqual(PercentEncoding.component.keeps(byte), Self.unreserved.contains(byte), "\(byte)")
      XCTAssertEqual(
        PercentEncoding.path.keeps(byte), Self.unreserved.contains(byte) || byte == UInt8(ascii: "/"), "\(byte)")
    }
  }

  func testBase64DigestIsPercentEncoded() {
    for seed in 0..<500 {
      let digest = SHA1.hash(Array("\(seed)".utf8))
      let encoded = String(writing: { $0.append(percentEncodedBase64: digest) })
      XCTAssertEqual(encoded, digest.base64.percentEncoded(), "\(seed)")
    }
  }

  func testTextsLongerThanABlockAreWrittenCompletely() {
    for count in [0, 1, 255, 767, 768, 769, 1023, 1024, 1025, 2048, 5000] {
      let text = String(repeating: "ab/", count: count).prefix(count)
      let written = String(writing: { writer in
        writer.append(String(text))
        writer.append(hex: Array(text.utf8))
        writer.append(percentEncoding: String(text))
        writer.append(base64: Array(text.utf8))
      })
      let hexadecimal = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      XCTAssertEqual(
        written,
        text + hexadecimal + text.replacing("/", with: "%2F") + Data(text.utf8).base64EncodedString(), "\(count)")
    }
  }
}
