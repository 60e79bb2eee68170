// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// Tests the limit of refusals to requests that no caller has authenticated.
final class UnauthenticatedLimitTests: XCTestCase {
  /// A context whose peer address is in a header of the request.
  private struct Context: RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    var remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
      coreContext = CoreRequestContextStorage(source: source)
    }
  }

  private let time = ManualClock()

  /// Passes a request of a peer through the middleware, and returns the status and `Retry-After` of the response.
  private func send(
    _ status: HTTPResponse.Status, from peer: String?, throwing: Bool = true,
    _ middleware: UnauthenticatedLimitMiddleware<Context>
  ) async throws -> (status: Int, delay: String?) {
    var context = Context(
      source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: LogLines().logger))
    context.remoteAddress = try peer.map { try SocketAddress(ipAddress: $0, port: 1234) }
    let request = Request(
      head: HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/"),
      body: RequestBody(buffer: ByteBuffer()))
    do {
      let response = try await middleware.handle(request, context: context) { _, _ in
        if throwing, status.code >= 400 { throw HTTPError(status) }
        return Response(status: status)
      }
      return (response.status.code, nil)
    } catch let error as HTTPError {
      return (error.status.code, error.headers[.retryAfter])
    }
  }

  func testRefusalsBeyondTheLimitBecome429UntilTimePasses() async throws {
    let middleware = UnauthenticatedLimitMiddleware<Context>(.perMinute(3), time: time)
    for status in [HTTPResponse.Status.unauthorized, .notFound, .methodNotAllowed] {
      let answer = try await send(status, from: "192.0.2.1", middleware)
      XCTAssertEqual(answer.status, status.code)
    }
    for throwing in [true, false] {
      let answer = try await send(.unauthorized, from: "192.0.2.1", throwing: throwing, middleware)
      XCTAssertEqual(answer.status, 429)
      XCTAssertEqual(answer.delay, "21")
    }
    // Another address, and callers at the same one, are not affected.
    for (status, peer) in [
      (HTTPResponse.Status.unauthorized, "192.0.2.2"), (.ok, "192.0.2.1"), (.forbidden, "192.0.2.1"),
    ] {
      let answer = try await send(status, from: peer, middleware)
      XCTAssertEqual(answer.status, status.code, peer)
    }
    time.advance(by: .seconds(20))
    for expected in [401, 429] {
      let answer = try await send(.unauthorized, from: "192.0.2.1", middleware)
      XCTAssertEqual(answer.status, expected)
    }
  }

  func testAddressesOfOneIPv6NetworkAreOnePeer() async throws {
    let middleware = UnauthenticatedLimitMiddleware<Context>(.perMinute(1), time: time)
    for (peer, expected) in [
      ("2001:db8::1", 401), ("2001:db8::ffff:1", 429), ("2001:db8:0:1::1", 401), ("::ffff:192.0.2.1", 401),
      ("192.0.2.1", 429), (nil, 401), (nil, 429),
    ] as [(String?, Int)] {
      let answer = try await send(.unauthorized, from: peer, middleware)
      XCTAssertEqual(answer.status, expected, peer ?? "no address")
    }
  }

  func testTableIsBounded() async throws {
    let middleware = UnauthenticatedLimitMiddleware<Context>(.perMinute(1), peerLimit: 8, time: time)
    for number in 0..<200 {
      let answer = try await send(.unauthorized, from: "192.0.2.\(number)", middleware)
      XCTAssertEqual(answer.status, 401)
    }
  }
}
