// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import XCTest

@testable import AsyncHTTPTransport
@testable import StorageClient

/// Tests that bytes pass through streams in the representation of their source.
final class ChunkTests: XCTestCase {
  private let buffers = ["hello ", "", "wide ", "world"].map { ByteBuffer(string: $0) }

  private var stream: ByteStream {
    ByteStream(chunks: { [buffers] in
      var rest = buffers[...]
      return { rest.popFirst() }
    })
  }

  private func address(of buffer: ByteBuffer) -> Int {
    buffer.withUnsafeReadableBytes { Int(bitPattern: $0.baseAddress) }
  }

  func testBuffersReachTheTransportWithoutACopy() async throws {
    var arrived: [ByteBuffer] = []
    for try await buffer in BufferSequence(stream: stream, eventLoops: MultiThreadedEventLoopGroup.singleton) {
      arrived.append(buffer)
    }
    XCTAssertEqual(arrived, buffers)
    XCTAssertEqual(arrived.map(address), buffers.map(address))
  }

  func testBuffersCanBeReadAsArrays() async throws {
    var arrays: [[UInt8]] = []
    for try await chunk in stream { arrays.append(chunk) }
    XCTAssertEqual(arrays, buffers.map { Array(buffer: $0) })
    let collected = try await stream.collected(upTo: 16)
    XCTAssertEqual(collected, Array("hello wide world".utf8))
    let tooMany = try await stream.collected(upTo: 15)
    XCTAssertNil(tooMany)
    let prefix = try await stream.collectPrefix(upTo: 8)
    XCTAssertEqual(prefix, Array("hello wi".utf8))
  }

  func testArraysReachTheTransportAsBuffers() async throws {
    var arrived: [ByteBuffer] = []
    let stream = ByteStream(Array("cat".utf8))
    for try await buffer in BufferSequence(stream: stream, eventLoops: MultiThreadedEventLoopGroup.singleton) {
      arrived.append(buffer)
    }
    XCTAssertEqual(arrived, [ByteBuffer(string: "cat")])
  }

  func testMemoryOfSentArraysIsReused() async throws {
    let stream = ByteStream { () -> ByteStream.Reader in
      var count: UInt8 = 0
      return {
        count += 1
        return count <= 12 ? [count, count] : nil
      }
    }
    var addresses: Set<Int> = []
    var kept: [ByteBuffer] = []
    for try await buffer in BufferSequence(stream: stream, eventLoops: MultiThreadedEventLoopGroup.singleton) {
      addresses.insert(address(of: buffer))
      if buffer.getInteger(at: 0, as: UInt8.self) == 3 { kept.append(buffer) }
    }
    XCTAssertEqual(addresses.count, 5, "four buffers in turn, and one in place of the buffer that is still in use")
    XCTAssertEqual(kept, [ByteBuffer(bytes: [3, 3])])
  }

  func testPayloadOfAnotherLengthIsAChangedSource() async throws {
    struct Shrunk: UploadPayload {
      let length: Int64 = 10
      func stream(_ range: Range<Int64>) -> ByteStream { ByteStream(Array(repeating: 1, count: 9)) }
    }
    do {
      _ = try await Shrunk().collected()
      XCTFail("a payload of nine instead of ten bytes was accepted")
    } catch let error as StorageError {
      XCTAssertEqual(error.code, .sourceChanged)
    }
  }
}
