// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import XCTest

@testable import StorageAuthServer

/// Timeouts of HTTP/2 connections and of TLS handshakes, on a clock that the test advances.
final class HTTP2DeadlinesTests: XCTestCase {
  private static let limits = ConnectionLimits(
    headTimeout: .seconds(10), idleTimeout: .seconds(60), writeTimeout: .seconds(20))

  private var channel = EmbeddedChannel()

  override func tearDownWithError() throws {
    _ = try? channel.finish(acceptAlreadyClosed: true)
  }

  private func start(_ handler: any ChannelHandler) throws {
    channel = EmbeddedChannel()
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try channel.pipeline.syncOperations.addHandler(handler)
  }

  /// Checks that the connection is open shortly before a time and closed shortly after it.
  private func assertCloses(after seconds: Int64, _ line: UInt = #line) {
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(seconds * 1000 - 100))
    XCTAssertTrue(channel.isActive, "the connection is closed", line: line)
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(200))
    XCTAssertFalse(channel.isActive, "the connection is open", line: line)
  }

  func testHandshakeHasTheHeadTimeout() throws {
    try start(HandshakeDeadline(Self.limits.headTimeout))
    assertCloses(after: 10)
  }

  func testStopClosesAHandshakeAtOnce() throws {
    try start(HandshakeDeadline(Self.limits.headTimeout))
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    XCTAssertFalse(channel.isActive)
  }

  func testFirstRequestHasTheHeadTimeout() throws {
    try start(HTTP2Deadlines(Self.limits))
    assertCloses(after: 10)
  }

  func testConnectionWithAStreamStaysOpen() throws {
    let deadlines = HTTP2Deadlines(Self.limits)
    try start(deadlines)
    deadlines.streamOpened()
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    XCTAssertTrue(channel.isActive)
    deadlines.streamOpened()
    deadlines.streamClosed()
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    XCTAssertTrue(channel.isActive)
    deadlines.streamClosed()
    assertCloses(after: 70)
  }

  func testUnreadBytesCloseTheConnection() throws {
    let deadlines = HTTP2Deadlines(Self.limits)
    try start(deadlines)
    deadlines.streamOpened()
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .seconds(19))
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .seconds(100))
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    assertCloses(after: 20)
  }

  func testStopEndsAConnectionWithStreams() throws {
    let deadlines = HTTP2Deadlines(Self.limits)
    try start(deadlines)
    deadlines.streamOpened()
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    assertCloses(after: 60)
  }
}
