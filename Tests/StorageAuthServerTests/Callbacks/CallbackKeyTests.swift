// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import HTTPTypes
import LocalCloud
import NIOCore
import NIOHTTP1
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import StorageClient
import StorageCrypto
import XCTest

/// Tests the cache of public keys, and what the middleware refuses over the network.
final class CallbackKeyTests: XCTestCase {
  private static let signer = try? PrivateKey.generateRSA(bits: 1024)

  private func request(key path: String = "k.pem", body: [UInt8] = [1]) throws -> HTTPRequest {
    let signature = try XCTUnwrap(Self.signer).sign(Array("/a\n".utf8) + body, with: .rsaPKCS1MD5)
    var request = HTTPRequest(method: .post, scheme: "http", authority: "app", path: "/a")
    request.headerFields[.authorization] = signature.base64
    request.headerFields[try XCTUnwrap(HTTPField.Name("x-oss-pub-key-url"))] =
      Array("https://gosspublic.alicdn.com/\(path)".utf8).base64
    return request
  }

  private func code(of error: any Error) -> CallbackRefusal.Code? { (error as? CallbackRefusal)?.code }

  // matrix: OSS callback: public key
  func testConcurrentCallbacksShareOneFetch() async throws {
    let pem = try XCTUnwrap(XCTUnwrap(Self.signer).publicKey.pem)
    let transport = ScriptedTransport { _ in .text(pem) }
    let verifier = CallbackVerifier(transport: transport, time: ManualClock())
    let request = try request()
    transport.hold()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { _ = try await verifier.verify(request, body: [1]) } }
      await transport.wait(forRequests: 1)
      transport.release()
      try await group.waitForAll()
    }
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testUnusableKeysAreRefusedAndFetchedAgain() async throws {
    let pem = try XCTUnwrap(XCTUnwrap(Self.signer).publicKey.pem)
    let short = try XCTUnwrap(PrivateKey.generateECDSA(.nistp256).publicKey.pem)
    let transport = ScriptedTransport([
      .text("<html>", status: 200), .status(302, headers: ["Location": "https://example.com/"]), .status(404),
      .text(String(repeating: " ", count: 20_000) + pem), .text(short), .text(pem),
    ])
    let time = ManualClock()
    let verifier = CallbackVerifier(transport: transport, time: time)
    let request = try request()
    for count in 1...5 {
      // The second attempt comes too early, so that no fetch starts for it.
      for _ in 0..<2 {
        do {
          _ = try await verifier.verify(request, body: [1])
          XCTFail("accepted")
        } catch {
          XCTAssertEqual(code(of: error), .keyUnavailable)
        }
      }
      XCTAssertEqual(transport.requests.count, count)
      time.advance(by: .seconds(60))
    }
    _ = try await verifier.verify(request, body: [1])
    _ = try await verifier.verify(request, body: [1])
    XCTAssertEqual(transport.requests.count, 6)
    XCTAssertEqual(Set(transport.requests.map(\.url)).count, 1, "a redirect is not followed")
  }

  // matrix: OSS callback: public key
  func testInventedURLsCauseFewFetches() async throws {
    let pem = try XCTUnwrap(XCTUnwrap(Self.signer).publicKey.pem)
    let transport = ScriptedTransport { request in request.path == "/k.pem" ? .text(pem) : .status(404) }
    let time = ManualClock()
    let verifier = CallbackVerifier(transport: transport, time: time)
    _ = try await verifier.verify(try request(), body: [1])
    for number in 0..<100 {
      do {
        _ = try await verifier.verify(try request(key: "\(number).pem"), body: [1])
        XCTFail("accepted")
      } catch {
        XCTAssertEqual(code(of: error), .keyUnavailable)
      }
    }
    XCTAssertEqual(transport.requests.count, 10)
    _ = try await verifier.verify(try request(), body: [1])
    time.advance(by: .seconds(60))
    _ = try? await verifier.verify(try request(key: "new.pem"), body: [1])
    XCTAssertEqual(transport.requests.count, 11)
  }

  func testSlowKeyIsRefused() async throws {
    let transport = ScriptedTransport { _ in .text("") }
    let time = ManualClock()
    let verifier = CallbackVerifier(transport: transport, time: time)
    transport.hold()
    let request = try request()
    let task = Task { try await verifier.verify(request, body: [1]) }
    await time.wait(forSleeps: 1)
    time.advance(by: .seconds(5))
    transport.release()
    do {
      _ = try await task.value
      XCTFail("accepted")
    } catch {
      XCTAssertEqual(code(of: error), .keyUnavailable)
    }
  }

  func testMiddlewareRefusesOverTheNetwork() async throws {
    let bench = try await CallbackBench(self)
    let keyURL = Array(try XCTUnwrap(bench.cloud.callbackKeyURL).utf8).base64
    func send(_ headers: [String: String], body: String) async throws -> (status: UInt, text: String) {
      var request = HTTPClientRequest(url: bench.server + "/uploaded")
      request.method = .POST
      for (name, value) in headers { request.headers.add(name: name, value: value) }
      request.body = .bytes(ByteBuffer(string: body))
      let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
      return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }
    let signature = [UInt8](repeating: 1, count: 256).base64
    let both = ["authorization": signature, "x-oss-pub-key-url": keyURL]
    let large = String(repeating: "a", count: 5_000)
    let elsewhere = Array("http://example.com/k.pem".utf8).base64
    for (headers, body, status, code) in [
      ([:], "a", 400, "missingHeader"), (["authorization": "x"], "a", 400, "malformedHeader"),
      (both, "a", 403, "mismatch"),
      (both, large, 413, "bodyTooLarge"),
      (["authorization": signature, "x-oss-pub-key-url": elsewhere], "a", 403, "keyLocation"),
    ] as [([String: String], String, UInt, String)] {
      let answer = try await send(headers, body: body)
      XCTAssertEqual(answer.status, status, answer.text)
      XCTAssertTrue(answer.text.contains("\"code\":\"\(code)\""), answer.text)
    }
    XCTAssertTrue(bench.handled.callbacks.isEmpty)
  }
}
