// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import S3Auth
import SigningProperties
import StorageAuth
import StorageAuthTesting
import XCTest

/// The S3 schemes in every addressing style, as the property tests require them.
enum S3Schemes {
  static let headers = [
    "content-type", "content-md5", "x-amz-meta-a", "x-amz-meta-author-with-a-long-name", "x-amz-acl", "range",
    "if-match",
  ]
  static let parameters = [
    "acl", "uploadId", "partNumber", "response-content-type", "versionId", "prefix", "x y", "a/b", "a-b", "a.b", "é",
    "Upper", "p+q", "p%q", "~",
  ]

  static func scheme(
    _ style: AddressingStyle, additionalHeaders: Set<String> = []
  ) throws -> SigningScheme<S3Signer, S3Verifier> {
    let url =
      switch style {
      case .virtualHosted: "https://s3.eu-central-1.amazonaws.com"
      case .path: "http://127.0.0.1:9000"
      case .customDomain: "https://img.example.com"
      }
    return SigningScheme(
      "S3 \(style)",
      signer: S3Signer(
        region: "eu-central-1", bucket: "photos", style: style, additionalHeaders: additionalHeaders),
      verifier: S3Verifier(region: "eu-central-1", style: style, bucket: style == .customDomain ? "photos" : nil),
      maker: SampleMaker(
        endpoint: try ServiceEndpoint(url, style: style), bucket: "photos", parameters: parameters,
        headers: Set(headers + additionalHeaders.map { $0.lowercased() }).subtracting(["host"]).sorted()),
      remoteSignature: signature)
  }

  static func all() throws -> [SigningScheme<S3Signer, S3Verifier>] {
    try AddressingStyle.allCases.map { try scheme($0) }
  }

  /// Signs a string with code that is independent of the package.
  @Sendable static func signature(_ pending: PendingSignature, _ secret: String) -> String {
    let lines = pending.stringToSign.split(separator: "\n")
    let scope = lines.count > 2 ? lines[2].split(separator: "/").map(String.init) : []
    let key = scope.reduce(Array("AWS4\(secret)".utf8)) { key, part in
      ReferenceHash.sha256.authenticationCode(key: key, message: part)
    }
    return ReferenceHash.sha256.authenticationCode(key: key, message: pending.stringToSign).hexText
  }
}

/// Properties of S3 signatures, checked with random requests.
final class S3PropertyTests: XCTestCase {
  // matrix: S3 V4: header
  func testFieldsAloneMakeTheSignedRequest() throws {
    for scheme in try S3Schemes.all() { try scheme.signsByFields(scheme.samples(100)) }
  }

  // matrix: S3 V4: header, verify
  func testHeaderSignaturesVerify() throws {
    for scheme in try S3Schemes.all() {
      try scheme.verifiesHeaders(scheme.samples(150), keeping: .acceptance, .unsigned)
      try scheme.verifiesHeaders(scheme.samples(10), keeping: .secret, .time, .secrecy)
    }
  }

  // matrix: S3 V4: presign, verify, expiry
  func testPresignedURLsVerifyUntilTheyExpire() throws {
    for scheme in try S3Schemes.all() {
      for (index, sample) in try scheme.samples(150).enumerated() {
        let lifetime = Duration.seconds(1 + index * 287 % 43_200)
        try scheme.verifiesURLs([sample], lifetime: lifetime, keeping: .acceptance, .time)
      }
      try scheme.verifiesURLs(scheme.samples(10), keeping: .secret, .secrecy)
    }
  }

  // matrix: S3 V4: header, atomicity, bad input
  func testSigningKeepsPathAndHeaders() throws {
    for scheme in try S3Schemes.all() {
      try scheme.signs(
        scheme.samples(100), keeping: .untouchedPath, .keptHeaders, .anonymity, .atomicity, .refusal, .secrecy)
    }
  }

  // matrix: S3 V4: header
  func testSignatureDependsOnEveryInput() throws {
    for scheme in try S3Schemes.all() {
      try scheme.signs(
        scheme.samples(100), keeping: .determinism, .boundSecret, .boundDate, .boundMethod, .boundPath, .validity,
        .headerOrder, .resigning)
    }
  }

  // matrix: S3 V4: presign
  func testPresigningOnlyAppendsToTheURLWithoutPlusSigns() throws {
    for scheme in try S3Schemes.all() {
      try scheme.presigns(scheme.samples(150), keeping: .appending, .determinism, .kept, .preparation)
      try scheme.presigns(scheme.samples(10), keeping: .secrecy)
    }
  }

  // matrix: S3 V4: presign, expiry, bad input
  func testPresigningRejectsUnusableInputs() throws {
    for scheme in try S3Schemes.all() {
      try scheme.presigns(
        scheme.samples(60), keeping: .expiry, .endedCredential, .anonymity, .lifetime, .refusal)
    }
    let signer = S3Fixture.signer()
    let request = S3Fixture.request(.get, "/a")
    XCTAssertNoThrow(
      try signer.presign(request, with: S3Fixture.key, validFor: .seconds(604_800), in: .at(S3Fixture.date)))
    XCTAssertThrowsError(
      try signer.presign(request, with: S3Fixture.key, validFor: .seconds(604_801), in: .at(S3Fixture.date))
    ) { XCTAssertEqual(($0 as? SigningError)?.code, .lifetimeOutOfRange) }
  }

  // matrix: S3 V4: remote signing
  func testRemoteSigningEqualsLocalSigning() throws {
    for scheme in try S3Schemes.all() {
      try scheme.signsInTwoSteps(scheme.samples(60))
    }
  }

  // matrix: S3 V4: header, verify
  func testEveryByteOfASignedRequestIsProtected() throws {
    var count = 0
    for scheme in try S3Schemes.all() {
      count += try scheme.verifiesHeaders(scheme.samples(6), keeping: .path, .headers, .method, .host)
    }
    XCTAssertGreaterThan(count, 3_000)
  }

  // matrix: S3 V4: presign, verify
  func testEveryByteOfAPresignedURLIsProtected() throws {
    var count = 0
    for scheme in try S3Schemes.all() {
      count += try scheme.verifiesURLs(scheme.samples(6), keeping: .path, .method, .host)
      try scheme.verifiesURLs(scheme.samples(20), keeping: .headers)
    }
    XCTAssertGreaterThan(count, 3_000)
  }

  // matrix: S3 V4: header
  func testAdditionalHeadersAreSigned() throws {
    let scheme = try S3Schemes.scheme(.path, additionalHeaders: ["Host", "Cache-Control", "Content-Length"])
    let samples = try scheme.samples(40)
    try scheme.verifiesHeaders(samples, keeping: .acceptance)
    try scheme.verifiesURLs(samples, keeping: .acceptance)
    try scheme.verifiesHeaders(scheme.samples(6), keeping: .path, .headers, .method, .host)
    try scheme.signsInTwoSteps(samples, keeping: [.urls])
  }
}
