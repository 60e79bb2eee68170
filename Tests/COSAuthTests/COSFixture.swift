// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import SigningProperties
import StorageAuth

/// A bucket, a permanent and a temporary key, and a period of one hour.
enum COSFixture {
  static let date = Timestamp(unixSeconds: 1_795_161_600)  // 2026-11-20T08:00:00Z
  static let key = AccessKey(id: "AKIDexample", secret: "BQYIM75p8xexample")
  static let token = "tok+en/with=="
  static let temporary = AccessKey(id: "AKIDtemporary", secret: "9Kk6lYexample", sessionToken: token)
  static let host = "photos-1250000000.cos.ap-guangzhou.myqcloud.com"
  static let modes = [COSVerifier.Mode.compatible, .strict]

  static func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "/cat.jpg", host: String = host
  ) -> HTTPRequest {
    HTTPRequest(method: method, scheme: "https", authority: host, path: path)
  }

  static func signed(
    _ request: HTTPRequest = request(), with key: AccessKey = key, policy: COSHeaderPolicy = .standard
  ) throws -> HTTPRequest {
    try COSSigner(policy: policy).signed(request, with: key, in: .at(date))
  }

  static func presigned(
    _ request: HTTPRequest = request(), with key: AccessKey = key, policy: COSHeaderPolicy = .standard,
    form: COSSigner.URLForm = .parameters
  ) throws -> HTTPRequest {
    try COSSigner(policy: policy, urlForm: form).presign(
      request, with: key, validFor: .seconds(600), in: .at(date)
    ).request()
  }

  /// Returns the error with which the verifier rejects a request, or `nil` if it accepts it.
  static func refusal(
    _ request: HTTPRequest, _ mode: COSVerifier.Mode, against key: AccessKey = key, at date: Timestamp = date,
    limits: VerificationLimits = VerificationLimits()
  ) throws -> VerificationError? {
    let verifier = COSVerifier(mode: mode, limits: limits)
    do throws(VerificationError) {
      guard let claim = try verifier.claim(in: request) else { return .unknownKey("anonymous") }
      _ = try verifier.verify(claim, against: key, at: date)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the authorization of an SDK that formats its string differently, computed here from that string.
  static func authorization(
    of text: String, headers: String, parameters: String, with key: AccessKey = key, in window: String = window
  ) -> String {
    let signKey = ReferenceHash.sha1.authenticationCode(key: Array(key.secret.reveal().utf8), message: window).hexText
    let hash = ReferenceHash.sha1.digest(Array(text.utf8)).hexText
    let signature = ReferenceHash.sha1.authenticationCode(
      key: Array(signKey.utf8), message: "sha1\n\(window)\n\(hash)\n")
    return "q-sign-algorithm=sha1&q-ak=\(key.id)&q-sign-time=\(window)&q-key-time=\(window)"
      + "&q-header-list=\(headers)&q-url-param-list=\(parameters)&q-signature=\(signature.hexText)"
  }

  static let window = "1795161540;1795165140"
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
