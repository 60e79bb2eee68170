// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting

/// The signer under test and its samples.
enum Samples {
  static let signer = OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou")

  static func maker() throws -> SampleMaker {
    SampleMaker(
      endpoint: try ServiceEndpoint("https://oss-cn-hangzhou.aliyuncs.com", style: .virtualHosted), bucket: "photos",
      parameters: ["prefix", "acl", "uploadId"], headers: ["content-type", "x-oss-meta-a", "x-oss-meta-b"])
  }

  static func all() throws -> [SigningSample<AccessKey>] { try maker().samples(count: 20) }
}

extension HTTPRequest {
  /// Returns a copy with a header set.
  func setting(_ name: String, _ value: String) -> HTTPRequest {
    var copy = self
    if let name = HTTPField.Name(name) { copy.headerFields[name] = value }
    return copy
  }
}

extension PresignedRequest {
  /// Returns a copy with other components.
  func with(
    method: HTTPRequest.Method? = nil, url: String? = nil, headers: HTTPFields? = nil, expiration: Timestamp? = nil
  ) -> PresignedRequest {
    PresignedRequest(
      method: method ?? self.method, url: url ?? self.url, headers: headers ?? self.headers,
      expiration: expiration ?? self.expiration)
  }
}

extension SigningError {
  static let test = SigningError(.invalidCredential, "It was rejected.", remedy: "Use another one.")
}
