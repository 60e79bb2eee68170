// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import S3Auth
import SigningProperties
import StorageAuth
import XCTest

/// A bucket, a permanent and a temporary key, and a date.
enum S3Fixture {
  static let date = Timestamp(unixSeconds: 1_795_161_600)  // 2026-11-20T08:00:00Z
  static let region = "eu-central-1"
  static let host = "photos.s3.eu-central-1.amazonaws.com"
  static let key = AccessKey(id: "AKIAexample", secret: "8Jj5kZexample")
  static let token = "IQoJ/tok+en=="
  static let temporary = AccessKey(id: "ASIAexample", secret: "9Kk6lYexample", sessionToken: token)
  static let verifier = S3Verifier(region: region)

  static func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "/cat.jpg", _ headers: HTTPFields = [:], host: String = host
  ) -> HTTPRequest {
    HTTPRequest(method: method, scheme: "https", authority: host, path: path, headerFields: headers)
  }

  static func signer(_ payload: S3Payload? = nil, adding names: Set<String> = []) -> S3Signer {
    S3Signer(region: region, payload: payload, additionalHeaders: names)
  }

  static func signed(
    _ request: HTTPRequest = request(), with key: AccessKey = key, _ payload: S3Payload? = nil
  ) throws -> HTTPRequest {
    try signer(payload).signed(request, with: key, in: .at(date))
  }

  static func presigned(
    _ request: HTTPRequest = request(), with key: AccessKey = key, for lifetime: Duration = .seconds(600)
  ) throws -> HTTPRequest {
    try signer().presign(request, with: key, validFor: lifetime, in: .at(date)).request()
  }

  /// Returns the error with which the verifier rejects a request, or `nil` if it accepts it.
  static func refusal(
    _ request: HTTPRequest, against key: AccessKey = key, at date: Timestamp = date, by verifier: S3Verifier = verifier
  ) -> VerificationError? {
    do throws(VerificationError) {
      guard let claim = try verifier.claim(in: request) else {
        return VerificationError(.unsigned, "anonymous", remedy: "")
      }
      _ = try verifier.verify(claim, against: key, at: date)
      return nil
    } catch {
      return error
    }
  }

  /// Asserts that the verifier rejects a request with an error code and a code of the service.
  static func assertRefused(
    _ request: HTTPRequest, _ code: VerificationError.Code, _ serviceCode: String?, against key: AccessKey = key,
    at date: Timestamp = date, by verifier: S3Verifier = verifier, _ name: String = "", file: StaticString = #filePath,
    line: UInt = #line
  ) {
    let error = refusal(request, against: key, at: date, by: verifier)
    XCTAssertEqual(error?.code, code, "\(name) \(error.map { "\($0)" } ?? "accepted")", file: file, line: line)
    XCTAssertEqual(error?.serviceCode, serviceCode, name, file: file, line: line)
  }
}

extension HTTPField.Name {
  /// Creates a header name in a test.
  static func named(_ name: StaticString) -> HTTPField.Name {
    HTTPField.Name(name.description) ?? .cookie
  }
}

extension HTTPRequest {
  /// Returns a copy with one more header.
  func adding(_ name: StaticString, _ value: String) -> HTTPRequest {
    var copy = self
    copy.headerFields.append(HTTPField(name: .named(name), value: value))
    return copy
  }

  /// Returns a copy with another value of a header, or without the header.
  func setting(_ name: StaticString, _ value: String?) -> HTTPRequest {
    var copy = self
    copy.headerFields[.named(name)] = value
    return copy
  }

  /// Returns a copy with a string appended to its query.
  func appending(_ query: String) -> HTTPRequest {
    var copy = self
    let path = path ?? "/"
    copy.path = path + (path.contains("?") ? "&" : "?") + query
    return copy
  }

  /// Returns a copy with a part of its path replaced.
  func replacing(_ text: String, with other: String) -> HTTPRequest {
    var copy = self
    copy.path = (path ?? "/").replacing(text, with: other)
    return copy
  }

  /// Returns a copy with a part of its authorization replaced.
  func replacingInAuthorization(_ text: String, with other: String) -> HTTPRequest {
    var copy = self
    copy.headerFields[.authorization] = (headerFields[.authorization] ?? "").replacing(text, with: other)
    return copy
  }
}
