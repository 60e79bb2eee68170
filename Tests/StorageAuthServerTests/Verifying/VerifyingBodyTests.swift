// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Tests what the middleware verifies besides the signature: payload hashes, replays, and the format of its responses.
final class VerifyingBodyTests: XCTestCase {
  func testBodyThatDoesNotMatchItsContentMD5IsRejected() async throws {
    for service in VerifyingBench.Service.allCases {
      let bench = try await VerifyingBench(service, self)
      let right: HTTPFields = [.contentMD5: MD5.hash(Array("hello".utf8)).base64]
      let (status, text) = try await bench.send(bench.signed(bench.request(.put, headers: right)))
      XCTAssertEqual(status, 200, text)
      let handled = bench.handled.value
      let refused = try await bench.send(bench.signed(bench.request(.put, "b", headers: right)), body: "jello")
      XCTAssertEqual(refused.status, 400)
      XCTAssertTrue(refused.text.contains("<Code>BadDigest</Code>"), refused.text)
      XCTAssertEqual(bench.handled.value, handled, "the handler must not receive the complete body")
      let none = try await bench.send(bench.signed(bench.request(.put, "c", headers: [.contentMD5: "x"])))
      XCTAssertEqual(none.status, 400)
      XCTAssertTrue(none.text.contains("<Code>InvalidDigest</Code>"), none.text)
    }
  }

  // matrix: OSS V4: verify
  func testBodyThatDoesNotMatchItsSHA256IsRejected() async throws {
    let bench = try await VerifyingBench(.ossV4, self)
    let plain = try bench.request(.put)
    let hash = SHA256.hash(Array("hello".utf8)).hex
    // Constructed by hand: no signer of this package binds the body.
    let date = "20261120T080000Z"
    let scope = "20261120/cn-hangzhou/oss/aliyun_v4_request"
    let canonical = "PUT\n\(plain.path ?? "")\n\nx-oss-content-sha256:\(hash)\nx-oss-date:\(date)\n\n\n\(hash)"
    let string = "OSS4-HMAC-SHA256\n\(date)\n\(scope)\n\(SHA256.hash(Array(canonical.utf8)).hex)"
    let signingKey = scope.split(separator: "/").reduce(Array("aliyun_v4not-a-secret".utf8)) { key, part in
      HMACKey<SHA256>(key).authenticationCode(for: String(part)).bytes
    }
    var request = plain
    request.headerFields[try XCTUnwrap(HTTPField.Name("x-oss-date"))] = date
    request.headerFields[try XCTUnwrap(HTTPField.Name("x-oss-content-sha256"))] = hash
    request.headerFields[.authorization] =
      "OSS4-HMAC-SHA256 Credential=LTAItest/\(scope),Signature="
      + HMACKey<SHA256>(signingKey).authenticationCode(for: string).hex
    let refused = try await bench.send(request, body: "jello")
    XCTAssertEqual(refused.status, 400)
    XCTAssertTrue(refused.text.contains("<Code>BadDigest</Code>"), refused.text)
    XCTAssertEqual(bench.handled.value, 0)
    let again = try await VerifyingBench(.ossV4, self)
    let (status, text) = try await again.send(request)
    XCTAssertEqual(status, 200, text)
    var other = request
    other.headerFields[try XCTUnwrap(HTTPField.Name("x-oss-content-sha256"))] = SHA256.hash([]).hex
    try await again.assertRefused(other, ["SignatureDoesNotMatch"], "the hash is signed")
    XCTAssertThrowsError(try OSSVerifier().claim(in: request), "a verifier without the body must reject a payload hash")
  }

  func testSignatureOfAModifyingRequestIsAcceptedOnce() async throws {
    for service in VerifyingBench.Service.allCases {
      let bench = try await VerifyingBench(service, self)
      let put = try bench.signed(bench.request(.put))
      let first = try await bench.send(put)
      XCTAssertEqual(first.status, 200, first.text)
      try await bench.assertRefused(put, ["RequestReplayed"], "again")
      if service == .ossV4 {
        var respelt = put
        respelt.headerFields[.authorization] = put.headerFields[.authorization]?.replacing(",", with: ", ")
        try await bench.assertRefused(respelt, ["RequestReplayed"], "with spaces")
      }
      bench.time.advance(by: .seconds(1))
      let later = try await bench.send(bench.signed(bench.request(.put)))
      XCTAssertEqual(later.status, 200, "signed again")
      let get = try bench.signed(bench.request())
      let link = try bench.presigned(bench.request())
      let upload = try bench.presigned(bench.request(.put))
      for request in [get, get, link, link, upload] + (service.isCOS ? [] : [upload]) {
        let (status, text) = try await bench.send(request)
        XCTAssertEqual(status, 200, text)
      }
      if service.isCOS { try await bench.assertRefused(upload, ["RequestReplayed"], "it could be a moved header") }
      let strict = try await VerifyingBench(
        service, self, replays: ReplayGuard(coversReading: true, coversURLs: true))
      for request in [try strict.signed(strict.request()), try strict.presigned(strict.request(.put))] {
        let (status, text) = try await strict.send(request)
        XCTAssertEqual(status, 200, text)
        try await strict.assertRefused(request, ["RequestReplayed"], "again")
      }
    }
  }

  func testFullReplayStoreRejectsAndKeepsItsMarks() async throws {
    let bench = try await VerifyingBench(.ossV4, self, replays: ReplayGuard(MemoryReplayStore(limit: 1)))
    let first = try bench.signed(bench.request(.put))
    let answers = [try await bench.send(first), try await bench.send(bench.signed(bench.request(.put, "b")))]
    XCTAssertEqual(answers.map(\.status), [200, 503])
    try await bench.assertRefused(first, ["RequestReplayed"], "the first signature must remain recorded")
  }

  func testStoreLearnsWhenASignatureWasAndIsAccepted() async throws {
    for service in VerifyingBench.Service.allCases {
      let store = WindowStore()
      let bench = try await VerifyingBench(service, self, replays: ReplayGuard(store))
      _ = try await bench.send(bench.signed(bench.request(.put)))
      let window = try XCTUnwrap(store.windows.withLock(\.first), service.rawValue)
      let start = try XCTUnwrap(window.start, service.rawValue)
      // COS signs a window; the other schemes sign a date, which may differ by fifteen minutes from the server's clock.
      let allowance: ClosedRange<Duration> = service.isCOS ? .zero...(.seconds(60)) : .seconds(900)...(.seconds(900))
      XCTAssertTrue(allowance.contains(start.duration(to: VerifyingBench.date)), "\(service): \(start)")
      XCTAssertGreaterThan(window.end, VerifyingBench.date, service.rawValue)
    }
  }

  func testStoreLearnsWhenAURLWasAccepted() async throws {
    for service in VerifyingBench.Service.allCases {
      let store = WindowStore()
      let bench = try await VerifyingBench(service, self, replays: ReplayGuard(store, coversURLs: true))
      _ = try await bench.send(bench.presigned(bench.request(.put)))
      let window = try XCTUnwrap(store.windows.withLock(\.first), service.rawValue)
      let start = try XCTUnwrap(window.start, service.rawValue)
      let allowance: ClosedRange<Duration> =
        switch service {
        case .cos, .cosCompatible: .zero...(.seconds(60))
        // A V1 URL contains only its expiration, here in a minute, and is accepted for at most seven days before.
        case .ossV1: .seconds(604_740)...(.seconds(604_740))
        case .ossV4, .s3: .seconds(900)...(.seconds(900))
        }
      XCTAssertTrue(allowance.contains(start.duration(to: VerifyingBench.date)), "\(service): \(start)")
    }
  }

  func testStoreOutOfReachRefusesWithoutAWordOfItself() async throws {
    let bench = try await VerifyingBench(.ossV4, self, replays: ReplayGuard(AbsentStore()))
    let (status, text) = try await bench.send(bench.signed(bench.request(.put)))
    XCTAssertEqual(status, 503)
    XCTAssertTrue(text.contains("ServiceUnavailable"), text)
    XCTAssertFalse(text.contains("internal.example"), text)
  }

  func testErrorsAreJSONWhenConfigured() async throws {
    for service in VerifyingBench.Service.allCases {
      let bench = try await VerifyingBench(service, self, answers: .json)
      let (status, text) = try await bench.send(bench.request())
      XCTAssertEqual(status, 403)
      let answer = try JSONValue(parsing: Array(text.utf8))
      XCTAssertEqual(answer["code"]?.string, "AccessDenied")
      XCTAssertFalse((answer["message"]?.string ?? "").isEmpty)
    }
  }

  // matrix: S3 V4: verify, bad input
  func testBodyWithoutALengthIsRefusedIfTheSignatureMustCoverIt() async throws {
    let time = ManualClock(now: VerifyingBench.date)
    let endpoint = try ServiceEndpoint("https://files.example.com", style: .path)
    for (method, allows, body, status) in [
      (HTTPRequest.Method.get, false, "hello", HTTPResponse.Status.badRequest), (.delete, false, "hello", .badRequest),
      (.get, false, "", .ok), (.get, true, "hello", .ok),
    ] {
      // A request over HTTP/2 has neither a length nor a transfer coding.
      var request = try endpoint.request(method, bucket: "photos", key: "a")
      let link = try S3Signer(region: "us-east-1").presign(
        request, with: VerifyingBench.key, validFor: .seconds(60), in: SigningContext(date: time.now))
      request.path = String(link.url.dropFirst("https://files.example.com".count))
      let middleware = SignatureMiddleware<VerifiedContext>(
        S3Verifier(region: "us-east-1", allowsUnsignedPayload: allows), replays: nil, time: time
      ) { _ in VerifyingBench.key }
      let context = VerifiedContext(
        source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: LogLines().logger))
      let arrived = Request(head: request, body: RequestBody(buffer: ByteBuffer(string: body)))
      let response = try await middleware.handle(arrived, context: context) { request, _ in
        Response(status: .ok, body: ResponseBody(byteBuffer: try await request.body.collect(upTo: 10)))
      }
      XCTAssertEqual(response.status, status, "\(method) \(allows) \(body)")
    }
  }
}

/// A replay store that accepts every signature, and records from when until when signatures are accepted.
private final class WindowStore: ReplayStore {
  let windows = Lock<[(start: Timestamp?, end: Timestamp)]>([])

  func insert(
    _ mark: String, of owner: String, from start: Timestamp?, until end: Timestamp, at date: Timestamp
  ) -> ReplayVerdict {
    windows.withLock { $0.append((start, end)) }
    return .new
  }
}

/// A replay store that is out of reach.
private struct AbsentStore: ReplayStore {
  func insert(
    _ mark: String, of owner: String, from start: Timestamp?, until end: Timestamp, at date: Timestamp
  ) async throws(StoreError) -> ReplayVerdict {
    throw StoreError("The store at internal.example does not answer.", remedy: "Wait.")
  }
}
