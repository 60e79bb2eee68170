// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// Tests the listener on the management port.
final class ManagementListenerTests: XCTestCase {
  private func connect(to port: Int) async throws -> any Channel {
    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: port).get()
  }

  func testOnlyTheFirstConnectionIsAccepted() async throws {
    let listener = try await ManagementListener()
    let first = try await connect(to: listener.port)
    let taken = await listener.connection()
    let connection = try XCTUnwrap(taken)
    await listener.waitUntilClosed()
    // The port is closed: a connection that the system still accepts is closed immediately.
    if let second = try? await connect(to: listener.port) { try await second.closeFuture.get() }
    try await first.writeAndFlush(ByteBuffer(string: "hello")).get()
    try await first.close().get()
    var received: [UInt8] = []
    await connection.read { received += $0 }
    XCTAssertEqual(received, Array("hello".utf8))
  }

  func testSecondConnectionIsClosedBeforeTheFirstIsRead() async throws {
    let listener = try await ManagementListener()
    let first = try await connect(to: listener.port)
    let second = try await connect(to: listener.port)
    try await second.closeFuture.get()
    XCTAssertTrue(first.isActive)
    listener.close()
    let taken = await listener.connection()
    taken?.close()
    try await first.closeFuture.get()
  }

  func testClosedPortHasNoConnection() async throws {
    let listener = try await ManagementListener()
    listener.close()
    let connection = await listener.connection()
    XCTAssertNil(connection)
    await listener.waitUntilClosed()
  }

  func testDataSentBeforeReadingIsNotLost() async throws {
    for _ in 0..<50 {
      let listener = try await ManagementListener()
      let peer = try await connect(to: listener.port)
      try await peer.writeAndFlush(ByteBuffer(repeating: 7, count: 100_000)).get()
      try await peer.close().get()
      let taken = await listener.connection()
      let connection = try XCTUnwrap(taken)
      var count = 0
      await connection.read { count += $0.count }
      XCTAssertEqual(count, 100_000)
    }
  }
}
