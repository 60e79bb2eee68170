// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import XCTest

@testable import LocalCloud

/// Tests that error responses that repeat parts of a request are limited to 256 KiB in a body and 16 KiB in a header.
final class RefusalBoundTests: XCTestCase {
  private static let date = Timestamp(unixSeconds: 1_795_161_600)

  /// The largest requests that are verified, with content that grows most when encoded as XML.
  private static let requests: [HTTPRequest] = {
    let path = "/photos/" + String(repeating: "&'", count: 16_000)
    let long = String(repeating: "\"", count: 30_000)
    let v4 = "nobody/20261120/\(String(repeating: "\"", count: 9_000))/oss/aliyun_v4_request"
    let cos =
      "q-sign-algorithm=sha1&q-ak=nobody&q-sign-time=1795161540;1795165140&q-key-time=1795161540;1795165140"
      + "&q-header-list=x-cos-meta-a&q-url-param-list=&q-signature=" + String(repeating: "0", count: 40)
    let authorizations = [
      "OSS nobody:\(long)", "OSS \(long):AAAA", "OSS4-HMAC-SHA256 Credential=\(v4),Signature=\(long)", cos,
      cos.replacing("nobody", with: String(long.prefix(20_000))), cos.replacing("meta-a", with: "meta-" + long),
    ]
    return authorizations.flatMap { authorization in
      [path, "/photos/e?a=" + String(repeating: "'", count: 30_000)].map { path in
        var request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: path)
        request.headerFields[.authorization] = authorization
        request.headerFields[.date] = date.httpDate
        request.headerFields[.contentType] = String(long.prefix(16_000))
        for name in ["x-oss-meta-a", "x-cos-meta-a"] {
          if let name = HTTPField.Name(name) { request.headerFields[name] = String(long.prefix(8_000)) }
        }
        return request
      }
    }
  }()

  private func check(_ service: any ServiceBehavior, _ refusal: ErrorResponse, _ path: String) {
    for method in [HTTPRequest.Method.get, .head] {
      let host = String(repeating: "\"", count: 60_000)
      let identity = CallIdentity(requestID: "0", method: method, host: host, path: path, date: Self.date)
      let answer = service.response(for: refusal, to: identity)
      if case .bytes(let body) = answer.body { XCTAssertLessThanOrEqual(body.count, 256 << 10, refusal.code) }
      let headers = answer.headers.reduce(0) { $0 + $1.value.utf8.count }
      XCTAssertLessThanOrEqual(headers, 16 << 10, refusal.code)
    }
  }

  func testErrorForTheLargestRequestIsLimited() async throws {
    let limits = VerificationLimits(headerByteCount: 1 << 20)
    var codes: Set<String> = []
    for request in Self.requests {
      for knowsKey in [true, false] {
        do {
          _ = try await OSSVerifier(limits: limits).verify(request, at: Self.date) { id in
            knowsKey ? AccessKey(id: id, secret: "s") : nil
          }
        } catch let error as VerificationError {
          codes.insert("\(error.code)")
          check(SimulatedOSS(), SimulatedOSS().refusal(error, at: Self.date), request.path ?? "")
        }
        do {
          _ = try await COSVerifier(limits: limits).verify(request, at: Self.date) { id in
            knowsKey ? AccessKey(id: id, secret: "s") : nil
          }
        } catch let error as VerificationError {
          codes.insert("\(error.code)")
          check(SimulatedCOS(), SimulatedCOS().refusal(error, at: Self.date), request.path ?? "")
        }
      }
    }
    XCTAssertTrue(codes.isSuperset(of: ["mismatch", "unknownKey"]), "\(codes)")
  }

  func testEveryErrorThatRepeatsRequestDataIsLimited() {
    let long = String(repeating: "\"", count: 100_000)
    for error in [
      ErrorResponse.noSuchKey(long), .noSuchBucket(long), .noSuchUpload(long), .invalidArgument(long),
      .notImplemented(long), .methodNotAllowed(long), .malformedXML(long), .internalError(long),
      .preconditionFailed(long), .invalidRange(long, byteCount: 1), .accessDenied(long),
    ] {
      check(SimulatedOSS(), error, "/" + long)
      check(SimulatedCOS(), error, "/" + long)
    }
  }
}
