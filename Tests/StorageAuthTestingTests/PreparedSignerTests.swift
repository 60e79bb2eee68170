// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth
import XCTest

/// The refusals of prepared signers; the known answers are compared by `signedByFields(_:with:in:)`.
final class PreparedSignerTests: XCTestCase {
  private let key = AccessKey(id: "AKIDexample", secret: "secret", sessionToken: "token")
  private let date = Timestamp(unixSeconds: 1_795_161_600)
  private let signers: [(signer: any HeaderSigner<AccessKey>, host: String)] = [
    (OSSSigner(bucket: "photos", region: "cn-hangzhou"), "photos.oss-cn-hangzhou.aliyuncs.com"),
    (OSSSigner(.v1, bucket: "photos"), "photos.oss-cn-hangzhou.aliyuncs.com"),
    (COSSigner(), "p-1.cos.ap-guangzhou.myqcloud.com"),
    (S3Signer(region: "eu-central-1"), "photos.s3.eu-central-1.amazonaws.com"),
    (PlainSigner(), "photos.example.com"),
  ]

  private func code(_ act: () throws -> Void) -> SigningError.Code? {
    do { try act() } catch { return (error as? SigningError)?.code }
    return nil
  }

  func testRequestsAreSignedAsByTheSigner() throws {
    for (signer, host) in signers {
      let prepared = try signer.preparedSigner(with: key, in: .at(date))
      XCTAssertEqual(prepared.date, date)
      for path in ["/", "/a%20b?versionId=1", "/a"] {
        var request = HTTPRequest(method: .put, scheme: "https", authority: host, path: path)
        request.headerFields[.contentType] = "image/jpeg"
        let signed = try signer.signed(request, with: key, in: .at(date))
        let fields = try prepared.fields(for: request)
        XCTAssertTrue(fields.elementsEqual(try signer.fields(for: request, with: key, in: .at(date)), by: ==))
        XCTAssertEqual(fields.last?.value, signed.headerFields[.authorization])
        try prepared.sign(&request)
        XCTAssertEqual(request, signed)
        try prepared.sign(&request)
        XCTAssertEqual(request, signed, "An earlier signature is replaced.")
      }
    }
  }

  func testInvalidRequestIsRefusedAndUnchanged() throws {
    for (signer, _) in signers {
      let prepared = try signer.preparedSigner(with: key, in: .at(date))
      var request = HTTPRequest(method: .get, scheme: "https", authority: "a b", path: "/")
      let original = request
      XCTAssertEqual(code { try prepared.sign(&request) }, .invalidRequest, "\(signer)")
      XCTAssertEqual(request, original)
      XCTAssertEqual(code { _ = try prepared.fields(for: request) }, .invalidRequest)
    }
  }

  func testInvalidCredentialAndConfigurationAreRefusedOnce() {
    for (signer, _) in signers.dropLast() {
      XCTAssertEqual(
        code { _ = try signer.preparedSigner(with: AccessKey(id: "", secret: "secret"), in: .at(date)) },
        .invalidCredential)
    }
    let expired = AccessKey(id: "AKIDexample", secret: "secret", expiration: date)
    XCTAssertEqual(code { _ = try COSSigner().preparedSigner(with: expired, in: .at(date)) }, .credentialEndsFirst)
    XCTAssertEqual(code { _ = try OSSSigner().preparedSigner(with: key, in: .at(date)) }, .invalidConfiguration)
    XCTAssertEqual(
      code { _ = try S3Signer(region: "a b").preparedSigner(with: key, in: .at(date)) }, .invalidConfiguration)
  }

  func testAnonymousCredentialLeavesRequestsUnsigned() throws {
    for (signer, host) in signers {
      let prepared = try signer.preparedSigner(with: .anonymous, in: .at(date))
      var request = HTTPRequest(method: .get, scheme: "https", authority: host, path: "/a")
      let original = request
      try prepared.sign(&request)
      XCTAssertEqual(request, original)
      XCTAssertTrue(try prepared.fields(for: request).isEmpty)
    }
  }
}

/// A signer without preparation, which writes the host and the path as the authorization.
private struct PlainSigner: HeaderSigner {
  func fields(
    for request: HTTPRequest, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> [(name: HTTPField.Name, value: String)] {
    if key.isAnonymous { return [] }
    guard let host = request.authority, !host.contains(" ") else { throw .noHost(example: "photos.example.com") }
    return [(.date, context.date.httpDate), (.authorization, "PLAIN \(host)\(request.path ?? "/")")]
  }

  func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    for (name, value) in try fields(for: request, with: key, in: context) { request.headerFields[name] = value }
  }
}
