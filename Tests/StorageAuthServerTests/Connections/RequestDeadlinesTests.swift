// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import XCTest

@testable import StorageAuthServer

/// Timeouts that close connections of slow clients, on a clock that the test advances.
final class RequestDeadlinesTests: XCTestCase {
  private static let limits = ConnectionLimits(
    headTimeout: .seconds(10), bodyTimeout: .seconds(30), minimumBodyRate: 1000, idleTimeout: .seconds(60),
    writeTimeout: .seconds(20))

  private var channel = EmbeddedChannel()
  private var loop: EmbeddedEventLoop { channel.embeddedEventLoop }

  override func setUpWithError() throws {
    channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(RequestDeadlines<HTTP1Parts>(Self.limits))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    channel.read()
  }

  override func tearDownWithError() throws {
    _ = try? channel.finish(acceptAlreadyClosed: true)
  }

  private func pass(_ seconds: Double) {
    loop.advanceTime(by: .nanoseconds(Int64(seconds * 1_000_000_000)))
  }

  private func assertOpen(_ line: UInt = #line) {
    XCTAssertTrue(channel.isActive, "the connection is closed", line: line)
  }
  private func assertClosed(_ line: UInt = #line) {
    XCTAssertFalse(channel.isActive, "the connection is open", line: line)
  }

  private func receive(_ part: HTTPServerRequestPart, asksForMore: Bool = true) throws {
    try channel.writeInbound(part)
    if asksForMore { channel.read() }
  }

  private var head: HTTPServerRequestPart { .head(HTTPRequestHead(version: .http1_1, method: .PUT, uri: "/")) }
  private func body(_ count: Int) -> HTTPServerRequestPart { .body(ByteBuffer(repeating: 0, count: count)) }

  private func answer() throws {
    try channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)))
    try channel.writeOutbound(HTTPServerResponsePart.end(nil))
  }

  func testConnectionWithoutARequestHeadIsClosed() {
    pass(9.9)
    assertOpen()
    pass(0.2)
    assertClosed()
  }

  func testPartialRequestHeadDoesNotExtendTheTimeout() {
    for _ in 1...9 {
      pass(1)
      channel.pipeline.fireChannelReadComplete()
      channel.read()
    }
    assertOpen()
    pass(1.1)
    assertClosed()
  }

  func testMissingBodyClosesTheConnectionAfterTheTimeout() throws {
    try receive(head)
    pass(29.9)
    assertOpen()
    pass(0.2)
    assertClosed()
  }

  func testSlowBodyClosesTheConnection() throws {
    try receive(head)
    var seconds = 0
    while channel.isActive, seconds < 100 {
      pass(1)
      if channel.isActive { try receive(body(10)) }
      seconds += 1
    }
    XCTAssertEqual(seconds, 31)
  }

  func testBodyAboveTheMinimumRateMayStallBriefly() throws {
    try receive(head)
    for _ in 1...200 {
      pass(1)
      try receive(body(1100))
    }
    pass(25)
    assertOpen()
    try receive(body(100_000))
    pass(29)
    assertOpen()
    pass(2)
    assertClosed()
  }

  func testServersProcessingTimeDoesNotCountAgainstTheClient() throws {
    try receive(head, asksForMore: false)
    pass(1000)
    assertOpen()
    channel.read()
    pass(29)
    try receive(body(10), asksForMore: false)
    pass(1000)
    assertOpen()
    try receive(.end(nil))
    pass(10_000)
    assertOpen()
  }

  func testIdleConnectionIsClosedAfterTheIdleTimeout() throws {
    try receive(head)
    try receive(.end(nil))
    try answer()
    pass(59)
    assertOpen()
    pass(2)
    assertClosed()
  }

  func testNextRequestHeadHasTheFullHeadTimeout() throws {
    try receive(head)
    try receive(.end(nil))
    try answer()
    pass(40)
    channel.pipeline.fireChannelReadComplete()
    pass(9)
    channel.pipeline.fireChannelReadComplete()
    assertOpen()
    pass(1.1)
    assertClosed()
  }

  func testEarlyResponseDoesNotEndTheBodyTimeout() throws {
    try receive(head)
    try answer()
    pass(29)
    assertOpen()
    pass(2)
    assertClosed()
  }

  func testIdleTimeoutStartsAfterAllPipelinedResponses() throws {
    for _ in 1...2 {
      try receive(head)
      try receive(.end(nil))
    }
    try answer()
    pass(1000)
    assertOpen()
    try answer()
    pass(61)
    assertClosed()
  }

  private func setWritable(_ isWritable: Bool) {
    channel.isWritable = isWritable
    channel.pipeline.fireChannelWritabilityChanged()
  }

  /// Closes the server's side of the connection.
  private func closeOutput() throws {
    try channel.pipeline.syncOperations.addHandler(HalfClosure(), position: .first)
    channel.close(mode: .output, promise: nil)
    assertOpen()
  }

  func testIdleTimeoutStartsWhenTheResponseIsRead() throws {
    try receive(head)
    try receive(.end(nil))
    setWritable(false)
    try answer()
    // Parts of the response are read, each in less than the timeout for writing.
    for _ in 1...10 {
      pass(15)
      setWritable(true)
      setWritable(false)
    }
    assertOpen()
    setWritable(true)
    pass(59)
    assertOpen()
    pass(2)
    assertClosed()
  }

  func testEndOfTheConnectionIsAwaitedWhenTheResponseIsRead() throws {
    try receive(head)
    try receive(.end(nil))
    setWritable(false)
    try answer()
    try closeOutput()
    pass(19)
    assertOpen()
    setWritable(true)
    pass(9)
    assertOpen()
    pass(2)
    assertClosed()
  }

  func testUnreadResponseBeforeTheEndOfTheConnectionClosesIt() throws {
    try receive(head)
    try receive(.end(nil))
    setWritable(false)
    try answer()
    try closeOutput()
    pass(21)
    assertClosed()
  }

  func testUnreadResponseClosesTheConnection() throws {
    try receive(head)
    try receive(.end(nil))
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    pass(19)
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
    pass(100)
    assertOpen()
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    pass(21)
    assertClosed()
  }
}

/// A handler that keeps an embedded channel, which knows no half-closed connections, from closing both sides.
private final class HalfClosure: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
  }
}
