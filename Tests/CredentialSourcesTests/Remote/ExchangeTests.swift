// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests what all HTTP providers have in common: status codes, size limits, timeouts and error reports.
final class ExchangeTests: XCTestCase {
  private let metadata = [
    RemoteService.alibabaMetadata.name, RemoteService.tencentMetadata.name, RemoteService.amazonMetadata.name,
  ]

  func testRedirectIsNotFollowed() async throws {
    for service in RemoteService.all {
      for status in [301, 302, 303, 307, 308] {
        let transport = ScriptedTransport(
          service.before.map { .text($0) } + [.status(status, headers: ["Location": "https://evil.example.com/"])])
        let provider = service.provider(transport, ManualClock(now: RemoteService.now))
        let error = await failure(of: provider, service.name)
        XCTAssertEqual(error?.code, .failed, service.name)
        XCTAssertEqual(error?.message.contains("redirect (HTTP \(status))"), true, service.name)
        XCTAssertEqual(error?.isRetryable, false, service.name)
        XCTAssertEqual(transport.requests.count, service.before.count + 1, service.name)
      }
    }
  }

  func testServerErrorIsRetryable() async throws {
    for service in RemoteService.all {
      for status in [500, 502, 503, 504] {
        let error = await failure(of: service.answering(.text("<html>", status: status)), service.name)
        XCTAssertEqual(error?.code, .failed, service.name)
        XCTAssertEqual(error?.isRetryable, true, service.name)
        XCTAssertEqual(error?.message.contains("HTTP \(status)"), true, service.name)
      }
      guard !metadata.contains(service.name) else { continue }
      let busy = await failure(of: service.answering(.status(429)), service.name)
      XCTAssertEqual(busy?.code, .failed, service.name)
      XCTAssertEqual(busy?.isRetryable, true, service.name)
    }
  }

  func testClientErrorWithoutABodyIsFinal() async throws {
    for service in RemoteService.all where !metadata.contains(service.name) {
      for status in [400, 401, 403, 404] {
        let error = await failure(of: service.answering(.status(status)), service.name)
        XCTAssertEqual(error?.code, .rejected, service.name)
        XCTAssertEqual(error?.isRetryable, false, service.name)
      }
    }
  }

  func testOversizedResponseIsNotReadCompletely() async throws {
    for service in RemoteService.all {
      let endless = HTTPStreamingResponse(
        response: HTTPResponse(status: .ok), body: ByteStream { { Array(repeating: UInt8(ascii: " "), count: 8_192) } })
      let error = await failure(of: service.answering(endless), service.name)
      XCTAssertEqual(error?.code, .malformedResponse, service.name)
      XCTAssertEqual(error?.message.contains("65536"), true, service.name)
    }
  }

  func testResponseOfExactlyTheSizeLimitIsRead() async throws {
    for service in RemoteService.all {
      let padding = String(repeating: " ", count: 65_536 - service.answer.utf8.count)
      let key = try await service.answering(.json(padding + service.answer)).credential()
      XCTAssertEqual(key.expiration, RemoteService.end, service.name)
      let error = await failure(of: service.answering(.json(" " + padding + service.answer)), service.name)
      XCTAssertEqual(error?.code, .malformedResponse, service.name)
    }
  }

  func testTruncatedResponseIsRetryable() async throws {
    for service in RemoteService.all {
      let error = await failure(of: service.answering(.json(service.answer).cut(afterBytes: 20)), service.name)
      XCTAssertEqual(error?.code, .failed, service.name)
      XCTAssertEqual(error?.isRetryable, true, service.name)
    }
  }

  func testTransportErrorsAreClassified() async throws {
    let cases: [(TransportError.Code, CredentialError.Code, Bool)] = [
      (.connectionFailed, .failed, true), (.connectionLost, .failed, true), (.timeout, .timeout, true),
      (.invalidRequest, .failed, false), (.cancelled, .cancelled, false),
    ]
    for service in RemoteService.all {
      for (thrown, code, isRetryable) in cases {
        let transport = TransportError(thrown, "It did not work with \(RemoteService.ownSecret).", remedy: "Try.")
        // The app server's secret is not yet known when the transport fails.
        let isSigned = service.name.hasSuffix("AssumeRole") || service.name.hasSuffix("GetFederationToken")
        let error = await failure(
          of: service.failing(transport), "\(service.name) \(thrown)",
          secrets: isSigned ? RemoteService.allSecrets : [])
        XCTAssertEqual(error?.code, code, "\(service.name) \(thrown)")
        XCTAssertEqual(error?.isRetryable, isRetryable, "\(service.name) \(thrown)")
      }
    }
  }

  // matrix: Credentials URI: time limit
  // matrix: Alibaba STS: time limit
  // matrix: Tencent STS: time limit
  // matrix: Amazon container: time limit
  func testSlowServiceTimesOut() async throws {
    for service in RemoteService.all where !metadata.contains(service.name) {
      let time = ManualClock(now: RemoteService.now)
      let transport = ScriptedTransport([.json(service.answer)])
      transport.hold()
      let provider = service.provider(transport, time)
      async let failed = failure(of: provider, service.name)
      for attempt in 1...service.tries {
        await transport.wait(forRequests: attempt)
        await time.wait(forSleeps: attempt)
        time.advance(by: .seconds(20))
      }
      let thrown = await failed
      XCTAssertEqual(thrown?.code, .timeout, service.name)
      XCTAssertEqual(thrown?.isRetryable, true, service.name)
    }
  }

  func testSlowBodyTimesOut() async throws {
    let service = RemoteService.credentialsURI
    let time = ManualClock(now: RemoteService.now)
    let dripping = HTTPStreamingResponse.json(service.answer).slowed(by: .seconds(3600), chunk: 1, on: time)
    let provider = service.provider(ScriptedTransport([dripping]), time)
    async let failed = failure(of: provider, service.name)
    await time.wait(forSleeps: 2)
    time.advance(by: .seconds(10))
    let thrown = await failed
    XCTAssertEqual(thrown?.code, .timeout)
  }

  func testTransportThatIgnoresCancellationIsAbandoned() async throws {
    let time = ManualClock(now: RemoteService.now)
    let provider = RemoteService.ossAppServer.provider(DeafTransport(), time)
    async let failed = failure(of: provider)
    await time.wait(forSleeps: 1)
    time.advance(by: .seconds(20))
    let thrown = await failed
    XCTAssertEqual(thrown?.code, .timeout)
  }

  func testCancelledWaitIsReported() async throws {
    for service in RemoteService.all {
      let transport = ScriptedTransport([.json(service.answer)])
      transport.hold()
      let provider = service.provider(transport, ManualClock(now: RemoteService.now))
      let task = Task { await failure(of: provider, service.name) }
      await transport.wait(forRequests: 1)
      task.cancel()
      let error = await task.value
      XCTAssertEqual(error?.code, .cancelled, service.name)
    }
  }

  func testIssuersTimeIsOnlyTakenFromUncachedPlausibleDates() async throws {
    for service in RemoteService.all where service.name != "COS app server" {
      for headers in [
        ["Date": "Fri, 15 Jan 2027 08:00:00 GMT", "Age": "12"], ["Date": "Thu, 01 Jan 1970 00:00:00 GMT"],
        ["Date": "Fri, 15 Jan 2127 08:00:00 GMT"], ["Date": "yesterday"], [:],
      ] {
        let issued = try await service.answering(.json(service.answer, headers: headers)).issue(in: .local)
        XCTAssertNil(issued.issuerTime, "\(service.name) \(headers)")
      }
    }
  }
}

/// A transport that never responds, even to cancellation.
private struct DeafTransport: HTTPTransport {
  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    while true { await withCheckedContinuation { Self.keep($0) } }
  }

  private static let kept = Lock<[CheckedContinuation<Void, Never>]>([])

  private static func keep(_ continuation: CheckedContinuation<Void, Never>) {
    kept.withLock { $0.append(continuation) }
  }
}
