// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageCrypto
import StorageDiagnosis
import XCTest

/// Diagnosis of requests that other software signed incorrectly, with its string to sign.
final class ForeignSignerTests: XCTestCase {
  /// Returns a request with the V1 signature of an arbitrary string.
  private func v1(_ request: HTTPRequest, signing text: String) -> HTTPRequest {
    var request = request
    let signature = HMACKey<SHA1>(writing: { $0.append("not-a-secret") }).authenticationCode { $0.append(text) }
    request["Date"] = Provocation.now.httpDate
    request["Authorization"] = "OSS LTAItest:\(signature.base64)"
    return request
  }

  private func explainV1(
    _ path: String, host: String = Provocation.ossHost, _ headers: [String: String] = [:], signing resource: String,
    before headerLines: String = "", for service: SignedService = .oss()
  ) async throws -> SignatureDiagnosis? {
    let provocation = try await Provocation(self)
    let text = "GET\n\n\n\(Provocation.now.httpDate)\n\(headerLines)\(resource)"
    let request = v1(Provocation.request(.get, path, host: host, headers), signing: text)
    return try await provocation.explain(request, for: service, signing: text)
  }

  func testMissingBucketIsNamed() async throws {
    assertDiagnosis(
      try await explainV1("/cat.jpg", host: "photos.example.com", signing: "/cat.jpg", for: .oss(bucket: "photos")),
      .bucketMissing, line: "path", sent: "/cat.jpg", received: "/photos/cat.jpg")
  }

  func testUnsignedSubresourceIsNamed() async throws {
    assertDiagnosis(
      try await explainV1("/cat.jpg?acl", signing: "/photos/cat.jpg"), .subresourceUnsigned,
      line: "query parameter acl")
  }

  func testUnsignedTokenIsNamed() async throws {
    let provocation = try await Provocation(self)
    let text = "GET\n\n\n\(Provocation.now.httpDate)\n/photos/cat.jpg"
    var request = v1(Provocation.request(.get, "/cat.jpg"), signing: text)
    request["Authorization"] = request["Authorization"]?.replacing("LTAItest", with: "STS.test")
    request["x-oss-security-token"] = Provocation.token
    assertDiagnosis(
      try await provocation.explain(request, signing: text), .tokenUnsigned,
      line: "header x-oss-security-token", sent: nil, received: Secret.mask)
  }

  func testPathSignedInEncodedFormIsNamed() async throws {
    assertDiagnosis(
      try await explainV1("/my%20cat", signing: "/photos/my%20cat"), .decodedTwice, line: "path",
      sent: "/photos/my%20cat", received: "/photos/my cat")
  }

  func testSpellingOfEscapesIsNamed() async throws {
    let provocation = try await Provocation(self)
    let window = "\(Provocation.now.unixSeconds);\(Provocation.now.unixSeconds + 60)"
    let text = "get\n/cat.jpg\nprefix=a%2fb\nhost=\(Provocation.cosHost)\n"
    let hash = SHA1.hash(writing: { $0.append(text) }).hex
    let stringToSign = "sha1\n\(window)\n\(hash)\n"
    let signKey = HMACKey<SHA1>(writing: { $0.append("not-a-secret") }).authenticationCode { $0.append(window) }.hex
    let signature = HMACKey<SHA1>(writing: { $0.append(signKey) }).authenticationCode { $0.append(stringToSign) }.hex
    var request = Provocation.request(.get, "/cat.jpg?prefix=a%2fb", host: Provocation.cosHost)
    request["Authorization"] =
      "q-sign-algorithm=sha1&q-ak=LTAItest&q-sign-time=\(window)&q-key-time=\(window)&q-header-list=host"
      + "&q-url-param-list=prefix&q-signature=\(signature)"
    assertDiagnosis(
      try await provocation.explain(request, for: .cos(), signing: stringToSign, canonicalRequest: text),
      .escapeSpelling, line: "query parameter prefix", sent: "a%2fb", received: "a%2Fb")
  }

  func testHostWithoutItsPortIsNamed() async throws {
    let provocation = try await Provocation(self, isStrict: true)
    let host = Provocation.cosHost + ":8080"
    let request = try Provocation.request(.get, "/a", host: Provocation.cosHost).cos()
    let texts = try COSSigner().prepare(
      Provocation.request(.get, "/a", host: Provocation.cosHost), as: Provocation.key.identity,
      in: .at(Provocation.now))
    var sent = request
    sent.authority = host
    assertDiagnosis(
      try await provocation.explain(
        sent, for: .cos(), signing: texts.stringToSign, canonicalRequest: texts.canonicalRequest), .hostPort,
      line: "Host")
  }
}
