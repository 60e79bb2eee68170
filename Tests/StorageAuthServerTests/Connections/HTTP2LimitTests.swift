// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import NIOCore
import StorageAuthServer
import XCTest

/// Limits on what one HTTP/2 connection costs a server, with a client that sends its own frames.
final class HTTP2LimitTests: XCTestCase {
  /// Sends frames after the preface and returns the frames that a server sends until it closes the connection.
  private func answer(
    _ limits: ConnectionLimits, _ frames: [ByteBuffer]
  ) async throws -> [(type: UInt8, flags: UInt8, payload: [UInt8])] {
    let server = try await SecureServer(limits, self)
    let bytes = try await TLSConnection.with(server.port) { bytes, writer in
      var all = Frame.preface
      for frame in [Frame.settings] + frames { all.writeImmutableBuffer(frame) }
      try await writer.write(all)
      return await TLSConnection.rest(bytes)
    }
    return Frame.all(in: bytes)
  }

  /// The payloads of the frames that end a connection.
  private func errors(_ frames: [(type: UInt8, flags: UInt8, payload: [UInt8])]) -> [UInt8] {
    frames.filter { $0.type == Frame.goAway }.compactMap { $0.payload.dropFirst(7).first }
  }

  private let short = ConnectionLimits(
    headTimeout: .milliseconds(300), bodyTimeout: .milliseconds(300), idleTimeout: .milliseconds(300),
    writeTimeout: .milliseconds(300))

  // matrix: HTTPS server: HTTP/2
  func testServerAnnouncesItsLimits() async throws {
    let frames = try await answer(short, [])
    let settings = try XCTUnwrap(frames.first)
    XCTAssertEqual(settings.type, 4)
    var values: [UInt16: UInt32] = [:]
    var payload = ByteBuffer(bytes: settings.payload)
    while let (name, value) = payload.readMultipleIntegers(as: (UInt16, UInt32).self) { values[name] = value }
    XCTAssertEqual(values[3], 100, "concurrent streams")
    XCTAssertEqual(values[6], 16_384, "size of a list of headers")
  }

  // matrix: HTTPS server: HTTP/2
  func testConnectionWithoutARequestIsClosed() async throws {
    let frames = try await answer(short, [])
    XCTAssertFalse(frames.contains { $0.type == 1 })
  }

  // matrix: HTTPS server: HTTP/2
  func testIdleConnectionEndsWithoutTheClientsConfirmation() async throws {
    let frames = try await answer(short, [Frame.head(1)])
    XCTAssertTrue(frames.contains { $0.type == 0 && $0.payload == Array("hello".utf8) }, "\(frames)")
    XCTAssertEqual(errors(frames), [0], "the server announces the end")
  }

  // matrix: HTTPS server: HTTP/2
  func testMissingBodyResetsTheStream() async throws {
    let frames = try await answer(short, [Frame.head(1, method: 0, endsStream: false)])
    XCTAssertTrue(frames.contains { $0.type == 3 }, "\(frames)")
  }

  // matrix: HTTPS server: HTTP/2
  func testUnreadResponseResetsTheStream() async throws {
    // The client's window for each stream is empty.
    let window = Frame.bytes(4, 0, 0, [0, 4, 0, 0, 0, 0])
    for path in ["/", "/large"] {
      let frames = try await answer(short, [window, Frame.head(1, path: path)])
      XCTAssertFalse(frames.contains { $0.type == 0 && !$0.payload.isEmpty })
      XCTAssertTrue(frames.contains { $0.type == 3 }, "\(path): \(frames)")
    }
  }

  // matrix: HTTPS server: HTTP/2
  func testManyResetStreamsEndTheConnection() async throws {
    let pairs = (0..<250).flatMap { number in
      [Frame.head(UInt32(number) * 2 + 1), Frame.bytes(3, 0, UInt32(number) * 2 + 1, [0, 0, 0, 8])]
    }
    let frames = try await answer(ConnectionLimits(), pairs)
    XCTAssertEqual(errors(frames), [11], "ENHANCE_YOUR_CALM")
  }

  // matrix: HTTPS server: HTTP/2
  func testLongHeadersEndTheConnection() async throws {
    for (count, isServed) in [(14, true), (20, false)] {
      let block: [UInt8] = (0..<count).flatMap { number in
        [0x00, 2, UInt8(ascii: "x"), UInt8(97 + number), 0x7F, 0x81, 0x07]
          + Array(repeating: UInt8(ascii: "a"), count: 1024)
      }
      let head: [UInt8] = [0x82, 0x84, 0x87, 0x01, 9] + Array("localhost".utf8)
      let frames = try await answer(
        short,
        [Frame.bytes(1, 1, 1, head + block.prefix(10_000)), Frame.bytes(9, 4, 1, Array(block.dropFirst(10_000)))])
      XCTAssertEqual(frames.contains { $0.type == 1 }, isServed, "\(count): \(frames)")
    }
  }
}
