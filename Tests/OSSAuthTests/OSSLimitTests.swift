// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// Requests, keys, regions and lifetimes that the OSS signer rejects.
final class OSSLimitTests: XCTestCase {
  private let request = OSSFixture.request()
  private let date = OSSFixture.date

  private func presignError(
    _ version: OSSSignatureVersion, _ lifetime: Duration, with key: AccessKey = OSSFixture.key
  ) throws -> SigningError {
    try signingError { () throws(SigningError) in
      try OSSFixture.signer(version).presign(request, with: key, validFor: lifetime, in: .at(date))
    }
  }

  // matrix: OSS V4: expiry
  func testV4URLIsValidForAtMostSevenDays() throws {
    let signer = OSSFixture.signer(.v4)
    let longest = try signer.presign(request, with: OSSFixture.key, validFor: .seconds(604_800), in: .at(date))
    XCTAssertEqual(longest.expiration, Timestamp(unixSeconds: date.unixSeconds + 604_800))
    XCTAssertEqual(try presignError(.v4, .seconds(604_801)).code, .lifetimeOutOfRange)
  }

  // matrix: OSS V4: expiry
  func testV4URLOfATemporaryKeyIsValidForAtMostTwelveHours() throws {
    let signer = OSSFixture.signer(.v4)
    XCTAssertNoThrow(
      try signer.presign(request, with: OSSFixture.temporary, validFor: .seconds(43_200), in: .at(date)))
    let error = try presignError(.v4, .seconds(43_201), with: OSSFixture.temporary)
    XCTAssertEqual(error.code, .lifetimeOutOfRange)
    XCTAssertTrue(error.remedy.contains("43200"), error.remedy)
  }

  // matrix: OSS V1: expiry, bad input
  // matrix: OSS V4: expiry, bad input
  func testPresignRejectsLifetimesBelowASecond() throws {
    for version in OSSSignatureVersion.allCases {
      for lifetime: Duration in [.zero, .seconds(-1), .milliseconds(999), .seconds(Int64.min)] {
        XCTAssertEqual(try presignError(version, lifetime).code, .lifetimeOutOfRange, "\(version) \(lifetime)")
      }
    }
  }

  // matrix: OSS V1: expiry
  func testV1URLLifetimeIsUnlimitedWithoutOverflow() throws {
    let signer = OSSFixture.signer(.v1)
    let url = try signer.presign(request, with: OSSFixture.key, validFor: .seconds(10 * 365 * 86_400), in: .at(date))
    XCTAssertEqual(url.expiration.unixSeconds, date.unixSeconds + 10 * 365 * 86_400)
    XCTAssertEqual(try presignError(.v1, .seconds(Int64.max)).code, .lifetimeOutOfRange)
    XCTAssertNoThrow(
      try signer.presign(
        request, with: OSSFixture.key, validFor: .seconds(Int64.max / 2), in: .at(Timestamp(unixSeconds: .max))))
  }

  // matrix: OSS V1: expiry
  // matrix: OSS V4: expiry
  func testPresignRejectsExpirationBeforeURLLifetime() throws {
    let end = Timestamp(unixSeconds: date.unixSeconds + 599)
    for version in OSSSignatureVersion.allCases {
      let key = AccessKey(id: "STS.example", secret: "s", sessionToken: "t", expiration: end)
      let error = try presignError(version, .seconds(600), with: key)
      XCTAssertEqual(error.code, .credentialEndsFirst)
      XCTAssertTrue(error.message.contains("2026-11-20T08:09:59Z"), error.message)
      XCTAssertTrue(error.message.contains("2026-11-20T08:10:00Z"), error.message)
      XCTAssertNoThrow(
        try OSSFixture.signer(version).presign(request, with: key, validFor: .seconds(599), in: .at(date)))
      XCTAssertEqual(
        OSSFixture.signer(version).requiredValidity(from: date, validFor: .seconds(599)), end)
    }
  }

  // matrix: OSS V4: bad input
  func testMisspelledRegionIsRejectedWithTheCorrectSpelling() throws {
    let spellings = [
      ("oss-cn-hangzhou", "cn-hangzhou"), ("cn-hangzhou-internal", "cn-hangzhou"), ("beijing", "cn-"),
      ("CN-Hangzhou", "lower-case"), ("", "cn-hangzhou"), ("cn hangzhou", "lower-case"), ("cn/hangzhou", "lower-case"),
      ("-cn-hangzhou", "cn-hangzhou"), ("cn-hangzhou\n", "lower-case"),
    ]
    for (region, advice) in spellings {
      let signer = OSSSigner(.v4, bucket: "photos", region: region)
      let error = try signingError { () throws(SigningError) in
        try signer.signed(request, with: OSSFixture.key, in: .at(date))
      }
      XCTAssertEqual(error.code, .invalidConfiguration, region)
      XCTAssertTrue(error.remedy.contains(advice), "\(region): \(error.remedy)")
      XCTAssertThrowsError(
        try signer.presign(request, with: OSSFixture.key, validFor: .seconds(60), in: .at(date)), region)
    }
  }

  // matrix: OSS V1: bad input
  func testV1RequiresNoRegion() throws {
    XCTAssertNoThrow(try OSSSigner(.v1, bucket: "photos").signed(request, with: OSSFixture.key, in: .at(date)))
  }

  // matrix: OSS V4: bad input
  func testInvalidProductIsRejected() throws {
    for product in ["", "oss/x", "OSS"] {
      let signer = OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou", product: product)
      XCTAssertThrowsError(try signer.signed(request, with: OSSFixture.key, in: .at(date)), product)
    }
  }

  // matrix: OSS V1: bad input, atomicity
  // matrix: OSS V4: bad input, atomicity
  func testInvalidKeyIsRejectedAndLeavesTheRequestUnchanged() throws {
    let keys = [
      AccessKey(id: "", secret: "s"), AccessKey(id: "id", secret: ""), AccessKey(id: "id ", secret: "s"),
      AccessKey(id: "id\n", secret: "s"), AccessKey(id: "i/d", secret: "s"), AccessKey(id: "i,d", secret: "s"),
      AccessKey(id: "i:d", secret: "s"), AccessKey(id: "ïd", secret: "s"), AccessKey(id: "id", secret: "s\n"),
      AccessKey(id: "id", secret: " s"), AccessKey(id: "id", secret: "s", sessionToken: "t\r\nx-oss-acl: public-read"),
      AccessKey(id: "id", secret: "s", sessionToken: "t\n"), AccessKey(id: "id", secret: "s", sessionToken: " t"),
      AccessKey(id: "", secret: "", sessionToken: "t"), AccessKey(id: "", secret: ""),
    ]
    for version in OSSSignatureVersion.allCases {
      let scheme = try OSSSchemes.scheme(version)
      for (index, key) in keys.enumerated() {
        let error = try scheme.throwLeavesTheRequest(request, with: key, at: date)
        XCTAssertEqual(error.code, .invalidCredential, "\(version) \(index)")
        XCTAssertEqual(try presignError(version, .seconds(60), with: key).code, .invalidCredential)
        let prepared = try? scheme.signer.prepare(request, as: key.identity, in: .at(date))
        XCTAssertEqual(
          prepared == nil, index != 1 && index != 8 && index != 9,
          "preparing with an identity, which has no secret: \(index)")
      }
    }
  }

  // matrix: OSS V1: bad input, atomicity
  // matrix: OSS V4: bad input, atomicity
  func testInvalidRequestIsRejectedAndRemainsUnchanged() throws {
    let type = HTTPField(name: .contentType, value: "text/plain")
    let meta = HTTPField(name: .named("x-oss-meta-a"), value: "1")
    var noHost = request
    noHost.authority = nil
    let cases: [(HTTPRequest, SigningError.Code)] = [
      (noHost, .invalidRequest), (OSSFixture.request(host: ""), .invalidRequest),
      (OSSFixture.request(host: "photos.oss-cn-hangzhou.aliyuncs.com/x?"), .invalidRequest),
      (OSSFixture.request(host: "user@photos.oss-cn-hangzhou.aliyuncs.com"), .invalidRequest),
      (OSSFixture.request(.get, "/a%2"), .invalidPath), (OSSFixture.request(.get, "/a%zz"), .invalidPath),
      (OSSFixture.request(.get, "/a?b=%"), .invalidPath), (OSSFixture.request(.get, "/a b"), .invalidPath),
      (OSSFixture.request(.get, "/é"), .invalidPath), (OSSFixture.request(.get, "/a#b"), .invalidPath),
      (OSSFixture.request(.get, ""), .invalidPath), (OSSFixture.request(.get, "a"), .invalidPath),
      (OSSFixture.request(.get, "/a?acl&acl"), .invalidPath), (OSSFixture.request(.get, "/a?acl&%61cl"), .invalidPath),
      (OSSFixture.request(.get, "/a", HTTPFields([type, type])), .invalidHeader),
      (OSSFixture.request(.get, "/a", HTTPFields([meta, meta])), .invalidHeader),
      (OSSFixture.request(.get, "/a?Signature=x"), .invalidPath),
      (OSSFixture.request(.get, "/a?OSSAccessKeyId=x"), .invalidPath),
      (OSSFixture.request(.get, "/a?x-oss-signature=x"), .invalidPath),
      (OSSFixture.request(.get, "/a?Expires=1"), .invalidPath),
    ]
    for version in OSSSignatureVersion.allCases {
      let scheme = try OSSSchemes.scheme(version)
      for (request, code) in cases {
        let error = try scheme.throwLeavesTheRequest(request, with: OSSFixture.key, at: date)
        XCTAssertEqual(error.code, code, "\(version) \(request.path ?? "")")
        XCTAssertThrowsError(
          try scheme.signer.presign(request, with: OSSFixture.key, validFor: .seconds(60), in: .at(date)))
        XCTAssertThrowsError(
          try scheme.signer.prepare(request, as: OSSFixture.key.identity, in: .at(date)))
      }
    }
  }

  // matrix: OSS V1: header, presign
  // matrix: OSS V4: header, presign
  func testAnonymousKeyLeavesRequestsUnsignedAndPresignsNoURL() throws {
    for version in OSSSignatureVersion.allCases {
      let signed = try OSSSigner(version).signed(request, with: .anonymous, in: .at(date))
      XCTAssertEqual(signed, request)
      XCTAssertEqual(try presignError(version, .seconds(60), with: .anonymous).code, .anonymous)
    }
  }

  // matrix: OSS V1: bad input
  // matrix: OSS V4: bad input
  func testPresignedRequestIsNotSignedAgain() throws {
    for first in OSSSignatureVersion.allCases {
      for second in OSSSignatureVersion.allCases {
        let once = try OSSFixture.presigned(first)
        XCTAssertThrowsError(try OSSFixture.presigned(second, once))
        XCTAssertThrowsError(try OSSFixture.signed(second, once))
      }
    }
  }

  // matrix: OSS V1: skew
  // matrix: OSS V4: skew
  func testSigningUsesOnlyTheDateOfTheContext() throws {
    for version in OSSSignatureVersion.allCases {
      let scheme = try OSSSchemes.scheme(version)
      for seconds: Int64 in [0, 951_782_400, 4_102_444_800] {
        let date = Timestamp(unixSeconds: seconds)
        let signed = try scheme.signer.signed(request, with: OSSFixture.key, in: .at(date))
        XCTAssertEqual(signed, try scheme.signer.signed(request, with: OSSFixture.key, in: .at(date)))
        XCTAssertNil(scheme.refusal(of: signed, against: OSSFixture.key, at: date))
        XCTAssertEqual(
          signed.headerFields[version == .v1 ? .date : .named("x-oss-date")],
          version == .v1 ? date.httpDate : date.iso8601Basic)
      }
    }
  }

  func testErrorForAPresignedURLNamesTheExistingSignature() throws {
    let request = HTTPRequest(
      method: .get, scheme: "https", authority: "photos.oss-cn-hangzhou.aliyuncs.com", path: "/cat.jpg?x-oss-process=a")
    for version in OSSSignatureVersion.allCases {
      let signer = OSSSigner(version, bucket: "photos", region: "cn-hangzhou")
      let url = try signer.presign(
        request, with: OSSFixture.key, validFor: .seconds(60), in: .at(OSSFixture.date)
      ).url
      var again = request
      again.path = String(url.trimmingPrefix("https://photos.oss-cn-hangzhou.aliyuncs.com"))
      XCTAssertThrowsError(
        try signer.presign(again, with: OSSFixture.key, validFor: .seconds(60), in: .at(OSSFixture.date))
      ) { XCTAssertTrue("\($0)".contains("carries a signature"), "\(version): \($0)") }
      XCTAssertThrowsError(try signer.signed(again, with: OSSFixture.key, in: .at(OSSFixture.date))) {
        XCTAssertTrue("\($0)".contains("carries a signature"), "\(version): \($0)")
      }
    }
  }
}
