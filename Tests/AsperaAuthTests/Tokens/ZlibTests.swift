// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import XCTest

/// Compression and decompression of zlib streams, with an exact size limit.
final class ZlibTests: XCTestCase {
  private static let text = [UInt8]((0..<4_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) })

  private func packed(_ bytes: [UInt8]) throws -> [UInt8] {
    try XCTUnwrap(Zlib.compress(bytes))
  }

  private func assertRefused(_ bytes: [UInt8], limit: Int, _ error: ZlibError, line: UInt = #line) {
    XCTAssertThrowsError(try Zlib.decompress(bytes, limit: limit), line: line) {
      XCTAssertEqual($0 as? ZlibError, error, line: line)
    }
  }

  func testCompressedBytesStartWithTheZlibHeader() {
    XCTAssertEqual(Zlib.compress([1, 2, 3])?.first, 0x78)
  }

  func testCompressedBytesDecompress() throws {
    for bytes in [[], [7], Self.text, [UInt8](repeating: 0, count: 100_000)] {
      XCTAssertEqual(try Zlib.decompress(try packed(bytes), limit: 100_000), bytes)
    }
  }

  func testStreamOfAnotherImplementationDecompresses() throws {
    // The output of Python's zlib.compress(b"abc" * 5), with its default level.
    let stream: [UInt8] = [0x78, 0x9c, 0x4b, 0x4c, 0x4a, 0x4e, 0x44, 0x42, 0x00, 0x2d, 0xf5, 0x05, 0xbf]
    XCTAssertEqual(try Zlib.decompress(stream, limit: 15), Array("abcabcabcabcabc".utf8))
  }

  func testSizeLimitIsExact() throws {
    let stream = try packed(Self.text)
    XCTAssertEqual(try Zlib.decompress(stream, limit: 4_000), Self.text)
    assertRefused(stream, limit: 3_999, .tooLarge)
    assertRefused(stream, limit: 0, .tooLarge)
    assertRefused(stream, limit: -1, .tooLarge)
    assertRefused(try packed([UInt8](repeating: 0, count: 50_000_000)), limit: 1 << 16, .tooLarge)
  }

  func testTruncatedStreamIsRejectedAtEveryLength() throws {
    let stream = try packed(Self.text)
    for length in 0..<stream.count {
      assertRefused(Array(stream.prefix(length)), limit: 1 << 16, .malformed)
    }
  }

  func testTrailingBytesAreRejected() throws {
    assertRefused(try packed(Self.text) + [0], limit: 1 << 16, .trailingBytes)
    assertRefused(try packed(Self.text) + packed(Self.text), limit: 1 << 16, .trailingBytes)
  }

  func testMalformedStreamIsRejected() throws {
    assertRefused(Array("Bearer".utf8), limit: 1 << 16, .malformed)
    var damaged = try packed(Self.text)
    damaged[damaged.count - 1] ^= 1
    assertRefused(damaged, limit: 1 << 16, .malformed)
  }
}
