// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageCrypto
internal import XCTest

/// Tests bodies whose sizes are around the chunk sizes of writing, reading and sending.
final class BodySizeTests: CloudTestCase {
  private static let chunk = 256 * 1024

  private func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
  }

  func testBodyOfEverySizeIsReturnedWithItsChecksums() async throws {
    let root = try makeDirectory()
    var configuration = configuration
    configuration.root = root
    let sizes = [0, 1, 1000, Self.chunk - 1, Self.chunk, Self.chunk + 1, 2 * Self.chunk, 5 * Self.chunk + 77]
    try await withEachService(configuration, of: [.oss]) { client in
      for size in sizes {
        let body = bytes(size)
        let put = try await client.send(.put, "size-\(size)", body: body)
        XCTAssertEqual(put.status, 200, put.text)
        var crc = CRC(.crc64ECMA)
        crc.update(body)
        XCTAssertEqual(put.header("\(client.prefix)hash-crc64ecma"), String(crc.checksum), "\(size)")
        XCTAssertEqual(put.header("etag"), client.tag(MD5.hash(body).hex), "\(size)")
        let get = try await client.send(.get, "size-\(size)")
        XCTAssertEqual(get.body, body, "\(size)")
      }
      XCTAssertEqual(try contentFiles(below: root).count, sizes.count)
    }
  }

  func testRangeAcrossChunkBoundariesIsComplete() async throws {
    try await withEachService(of: [.oss]) { client in
      let body = bytes(3 * Self.chunk + 5)
      _ = try await client.send(.put, "big", body: body)
      for range in [
        Self.chunk - 1...Self.chunk, 0...Self.chunk, 5...3 * Self.chunk + 4, 3 * Self.chunk...3 * Self.chunk,
      ] {
        let get = try await client.send(
          .get, "big", headers: ["Range": "bytes=\(range.lowerBound)-\(range.upperBound)"])
        XCTAssertEqual(get.body, Array(body[range]), "\(range)")
      }
    }
  }

  /// Covers a body that is rejected at its end, after parts of it were written.
  func testRejectedLongBodyLeavesNoFile() async throws {
    let root = try makeDirectory()
    var configuration = configuration
    configuration.root = root
    try await withEachService(configuration, of: [.oss]) { client in
      for size in [100, 3 * Self.chunk + 5] {
        let put = try await client.send(
          .put, "wrong", headers: ["Content-MD5": "AAAAAAAAAAAAAAAAAAAAAA=="], body: bytes(size))
        XCTAssertEqual(put.status, 400, put.text)
        XCTAssertEqual(try contentFiles(below: root), [])
      }
    }
  }
}
