// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests rejected HEAD requests, whose responses have no body, and the GET requests that determine the reason.
extension RenewalTests {
  func testHeadIsSentAgainIfTheGetForItsReasonFails() async throws {
    for disturbance in ["lost", "500", "cut"] {
      let (cache, fetches) = issuing()
      let service = GuardedService(time: time, accepting: ["STS.2"], voice: .cos)
      let isDisturbed = Lock(false)
      let transport = RecordingTransport { request async throws(TransportError) in
        let isFirst = isDisturbed.withLock { isDisturbed in
          defer { isDisturbed = isDisturbed || request.method == .get }
          return request.method == .get && !isDisturbed
        }
        guard isFirst else { return try await service.answer(request) }
        switch disturbance {
        case "lost": throw TransportError(.connectionLost, "Lost.", remedy: "None.")
        case "500": return HTTPStreamingResponse(500, "<Error><Code>InternalError</Code><Message>Oh.</Message></Error>")
        default: return .text("<Error><Code>SecurityTokenExpired</Code></Error>", status: 403).cut(afterBytes: 9)
        }
      }
      _ = try await client(transport, cache).head("k")
      XCTAssertEqual(transport.requests.map(\.method), [.head, .get, .head, .get, .head], disturbance)
      XCTAssertEqual(fetches.values.count, 2, disturbance)
    }
  }

  func testHeadIsSentAgainWithACredentialThatAnotherRequestRefreshed() async throws {
    let (cache, fetches) = issuing()
    let service = GuardedService(time: time, accepting: ["STS.2"], voice: .cos)
    let transport = RecordingTransport { request async throws(TransportError) in
      let reply = try await service.answer(request)
      if request.method == .head, fetches.values.count == 1, let refused = try? await cache.credential(lasting: .zero) {
        _ = try? await cache.credential(lasting: .zero, replacing: refused.generation)
      }
      return reply
    }
    _ = try await client(transport, cache).head("k")
    XCTAssertEqual(transport.requests.map(\.method), [.head, .get, .head])
    XCTAssertEqual(fetches.values.count, 2)
  }

  func testEachRejectionOfAHeadIsExplained() async throws {
    let (cache, _) = issuing()
    let service = GuardedService(time: time, accepting: ["STS.3"], voice: .cos)
    let transport = RecordingTransport(service.answer)
    await assertThrows(ServiceError.self, { _ = try await client(transport, cache).head("k") }) {
      XCTAssertEqual($0.kind, .credentialExpired)
      XCTAssertEqual($0.message, "No.")
      XCTAssertEqual($0.attempts, 2)
    }
    XCTAssertEqual(transport.requests.map(\.method), [.head, .get, .head, .get])
  }
}
