// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth

/// A bucket, a permanent and a temporary key, and a date.
enum OSSFixture {
  static let date = Timestamp(unixSeconds: 1_795_161_600)  // 2026-11-20T08:00:00Z
  static let key = AccessKey(id: "LTAIexample", secret: "8Jj5kZexample")
  static let token = "CAIS/tok+en=="
  static let temporary = AccessKey(id: "STS.example", secret: "9Kk6lYexample", sessionToken: token)

  static func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "/cat.jpg", _ headers: HTTPFields = [:],
    host: String = "photos.oss-cn-hangzhou.aliyuncs.com"
  ) -> HTTPRequest {
    HTTPRequest(method: method, scheme: "https", authority: host, path: path, headerFields: headers)
  }

  static func signer(_ version: OSSSignatureVersion) -> OSSSigner {
    OSSSigner(version, bucket: "photos", region: "cn-hangzhou")
  }

  static func signed(
    _ version: OSSSignatureVersion, _ request: HTTPRequest = request(), with key: AccessKey = key
  ) throws -> HTTPRequest {
    try signer(version).signed(request, with: key, in: .at(date))
  }

  static func presigned(
    _ version: OSSSignatureVersion, _ request: HTTPRequest = request(), with key: AccessKey = key,
    for lifetime: Duration = .seconds(600)
  ) throws -> HTTPRequest {
    try signer(version).presign(request, with: key, validFor: lifetime, in: .at(date)).request()
  }

  /// Returns the error with which the verifier rejects a request, or `nil` if it accepts it.
  static func refusal(
    _ request: HTTPRequest, against key: AccessKey = key, at date: Timestamp = date,
    by verifier: OSSVerifier = OSSVerifier()
  ) throws -> VerificationError? {
    do throws(VerificationError) {
      guard let claim = try verifier.claim(in: request) else { return .unknownKey("anonymous") }
      _ = try verifier.verify(claim, against: key, at: date)
      return nil
    } catch {
      return error
    }
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
