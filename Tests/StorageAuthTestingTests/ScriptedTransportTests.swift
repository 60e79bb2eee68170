// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

/// The scripted transport for tests: recording, held and truncated responses, and delays.
final class ScriptedTransportTests: XCTestCase {
  private let request = HTTPRequest(
    method: .put, scheme: "https", authority: "sts.example.com", path: "/a%20b?x=1&y&z=%2F",
    headerFields: [.authorization: "OSS id:c2lnbmF0dXJl", .contentType: "application/json"])

  func testRequestsAreRecordedWithTheirBodies() async throws {
    let transport = ScriptedTransport([.json("{}"), .status(204)])
    let stream = ByteStream {
      var left: [[UInt8]] = [[1], [], [2, 3]]; return { left.isEmpty ? nil : left.removeFirst() }
    }
    let reply = try await transport.send(request, body: .stream(stream, length: 3))
    XCTAssertEqual(reply.response.status, .ok)
    XCTAssertEqual(reply.response.headerFields[.contentType], "application/json")
    XCTAssertEqual(reply.response.headerFields[.contentLength], "2")
    _ = try await transport.send(request, body: .bytes(Array("text".utf8)))
    XCTAssertEqual(transport.requests.map(\.body), [[1, 2, 3], Array("text".utf8)])
    let sent = try XCTUnwrap(transport.requests.last)
    XCTAssertEqual(sent.text, "text")
    XCTAssertEqual(sent.url, "https://sts.example.com/a%20b?x=1&y&z=%2F")
    XCTAssertEqual(sent.parameter("x"), "1")
    XCTAssertEqual(sent.parameter("y"), "")
    XCTAssertEqual(sent.parameter("z"), "%2F")
    XCTAssertNil(sent.parameter("w"))
    XCTAssertEqual(sent.header("authorization"), "OSS id:c2lnbmF0dXJl")
    XCTAssertEqual(sent.method, .put)
  }

  func testParametersWithoutANameOrAValueAreFound() {
    let head = HTTPRequest(method: .get, scheme: "https", authority: "a", path: "/k?=&=b&c=&d=e=f&g")
    let request = RecordedRequest(head: head)
    XCTAssertEqual(request.parameter(""), "")
    XCTAssertNil(request.parameter("b"))
    XCTAssertEqual(request.parameter("c"), "")
    XCTAssertEqual(request.parameter("d"), "e=f")
    XCTAssertEqual(request.parameter("g"), "")
  }

  func testExhaustedScriptFailsTheConnection() async {
    let transport = ScriptedTransport([])
    let error = await transportError { () throws(TransportError) in try await transport.send(request, body: .none) }
    XCTAssertEqual(error?.code, .connectionFailed)
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testDescriptionsMaskAuthorizationAndQuery() async throws {
    let transport = ScriptedTransport { _ in .status(200) }
    _ = try await transport.send(request, body: .bytes(Array("password".utf8)))
    let recorded = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(
      "\(recorded)",
      "PUT https://sts.example.com/a%20b?\(Secret.mask), headers: [Authorization, Content-Type], body: 8 bytes")
    for text in DisplayedTexts(of: transport).all + DisplayedTexts(of: recorded).all {
      XCTAssertFalse(text.contains("c2lnbmF0dXJl") || text.contains("x=1") || text.contains("password"), text)
    }
  }

  func testHeldResponsesResumeOnReleaseAndFailOnCancellation() async throws {
    let transport = ScriptedTransport { _ in .status(200) }
    transport.hold()
    let kept = Task { [request] in try await transport.send(request, body: .none) }
    await transport.wait(forRequests: 1)
    let cancelled = Task { [request] in try await transport.send(request, body: .none) }
    await transport.wait(forRequests: 2)
    XCTAssertEqual(transport.highestInFlight, 2)
    cancelled.cancel()
    let error = await cancelled.result.error as? TransportError
    XCTAssertEqual(error?.code, .cancelled)
    transport.release()
    let reply = try await kept.value
    XCTAssertEqual(reply.response.status, .ok)
  }

  func testTruncatedResponseLosesItsConnectionWithinTheBody() async throws {
    let reply = HTTPStreamingResponse.text("0123456789").cut(afterBytes: 4)
    var bytes: [UInt8] = []
    do {
      for try await chunk in reply.body { bytes += chunk }
      XCTFail("the body ended without an error")
    } catch {
      XCTAssertEqual((error as? TransportError)?.code, .connectionLost)
    }
    XCTAssertEqual(bytes, Array("0123".utf8))
  }

  func testSlowResponseArrivesAsTheClockAdvances() async throws {
    let time = ManualClock()
    let transport = ScriptedTransport { _ throws(TransportError) in
      try await HTTPStreamingResponse.text("0123456789").slowed(by: .seconds(1), chunk: 4, on: time).delayed(
        by: .seconds(5), on: time)
    }
    let read = Task { [request] in
      var chunks: [String] = []
      for try await chunk in try await transport.send(request, body: .none).body {
        chunks.append(String(decoding: chunk, as: UTF8.self))
      }
      return chunks
    }
    await time.wait(forSleeps: 1)
    time.advance(by: .seconds(5))
    for sleep in 2...4 {
      await time.wait(forSleeps: sleep)
      time.advance(by: .seconds(1))
    }
    let chunks = try await read.value
    XCTAssertEqual(chunks, ["0123", "4567", "89"])
    XCTAssertEqual(time.uptime, .seconds(8))
  }

  func testCancelledDelayFailsWithCancelled() async {
    let time = ManualClock()
    let task = Task { try await HTTPStreamingResponse.status(200).delayed(by: .seconds(1), on: time) }
    await time.wait(forSleeps: 1)
    task.cancel()
    let error = await task.result.error as? TransportError
    XCTAssertEqual(error?.code, .cancelled)
  }

  private func transportError<Value: Sendable>(
    _ act: () async throws(TransportError) -> Value
  ) async -> TransportError? {
    do throws(TransportError) {
      _ = try await act()
      return nil
    } catch {
      return error
    }
  }
}
