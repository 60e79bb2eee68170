// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// The canonical resource of requests whose path or host is ambiguous.
final class OSSResourceTests: XCTestCase {
  private let key = AccessKey(id: "AKIDexample", secret: "secret")
  private let date = Timestamp(unixSeconds: 1_700_000_000)

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testSignatureIsNotValidForAKeyWithAnEncodedSlash() throws {
    for version in OSSSignatureVersion.allCases {
      let scheme = try OSSSchemes.scheme(version, .path)
      for (signed, sent) in [("/photos//", "/photos%2F"), ("/photos/cat/", "/photos%2Fcat")] {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: signed)
        try OSSSigner(version, region: "cn-hangzhou").sign(&request, with: key, in: .at(date))
        request.path = sent
        XCTAssertThrowsError(try scheme.verify(request, against: key, at: date), "\(version) \(sent)")
      }
    }
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testSignerAndVerifierDecodeAnEncodedSlash() throws {
    for version in OSSSignatureVersion.allCases {
      let scheme = try OSSSchemes.scheme(version, .path)
      var request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/photos/a%2Fb")
      try scheme.signer.sign(&request, with: key, in: .at(date))
      XCTAssertEqual(try scheme.verify(request, against: key, at: date).target.key, "a/b")
      request.path = "/photos/a%252Fb"
      XCTAssertThrowsError(try scheme.verify(request, against: key, at: date))
    }
  }

  private func signature(
    _ version: OSSSignatureVersion, _ host: String, _ path: String, bucket: String? = "photos",
    style: AddressingStyle? = nil
  ) throws -> String? {
    let request = HTTPRequest(method: .get, scheme: "https", authority: host, path: path)
    return try OSSSigner(version, bucket: bucket, region: "cn-hangzhou", style: style)
      .signed(request, with: key, in: .at(date)).headerFields[.authorization]
  }

  // matrix: OSS V1: header
  // matrix: OSS V4: header
  func testEveryAddressOfAnObjectHasTheSameSignature() throws {
    for version in OSSSignatureVersion.allCases {
      let plain = try signature(version, "photos.oss-cn-hangzhou.aliyuncs.com", "/a%2Bb/c?acl")
      XCTAssertNotNil(plain)
      let others = [
        try signature(version, "photos.oss-cn-hangzhou.aliyuncs.com", "/a%2Bb/c?acl", bucket: nil),
        try signature(version, "photos.oss-cn-hangzhou-internal.aliyuncs.com:443", "/a%2Bb/c?acl"),
        try signature(version, "photos.oss-accelerate.aliyuncs.com", "/a%2Bb/c?acl"),
        try signature(version, "img.example.com", "/a%2Bb/c?acl"),
        try signature(version, "oss.example.com", "/a%2Bb/c?acl"),
        try signature(version, "example", "/a%2Bb/c?acl", style: .customDomain),
        try signature(version, "127.0.0.1:9000", "/photos/a%2Bb/c?acl"),
        try signature(version, "[::1]:9000", "/photos/a%2Bb/c?acl", bucket: nil),
        try signature(version, "localhost", "/photos/a%2Bb/c?acl", bucket: nil),
        try signature(version, "oss-cn-hangzhou.aliyuncs.com", "/photos/a%2Bb/c?acl", style: .path),
      ]
      for other in others { XCTAssertEqual(other, plain, "\(version)") }
    }
  }

  // matrix: OSS V1: header
  // matrix: OSS V4: header
  func testTrailingSlashOfABucketDoesNotAffectTheSignature() throws {
    for version in OSSSignatureVersion.allCases {
      let plain = try signature(version, "photos.oss-cn-hangzhou.aliyuncs.com", "/?acl")
      XCTAssertEqual(try signature(version, "127.0.0.1", "/photos/?acl"), plain)
      XCTAssertEqual(try signature(version, "127.0.0.1", "/photos?acl"), plain)
    }
  }

  // matrix: OSS V1: header
  // matrix: OSS V4: header
  func testServiceRequestIsSignedWithoutABucket() throws {
    for version in OSSSignatureVersion.allCases {
      let request = HTTPRequest(
        method: .get, scheme: "https", authority: "oss-cn-hangzhou.aliyuncs.com", path: "/?regionList")
      for bucket in [nil, "photos"] {
        let signer = OSSSigner(version, bucket: bucket, region: "cn-hangzhou")
        let pending = try signer.prepare(request, as: key.identity, in: .at(date))
        let text = pending.canonicalRequest ?? pending.stringToSign
        XCTAssertTrue(text.contains(version == .v1 ? "\n/?regionList" : "GET\n/\nregionList\n"), text)
      }
      XCTAssertEqual(
        try signature(version, "127.0.0.1", "/?regionList"),
        try signature(version, "oss-cn-hangzhou.aliyuncs.com", "/?regionList"))
    }
  }

  // matrix: OSS V1: bad input
  // matrix: OSS V4: bad input
  func testHostWithoutABucketRequiresAConfiguredBucket() throws {
    for version in OSSSignatureVersion.allCases {
      for style: AddressingStyle? in [nil, .customDomain, .virtualHosted] {
        let error = try signingError { () throws(SigningError) in
          try OSSSigner(version, region: "cn-hangzhou", style: style).signed(
            HTTPRequest(method: .get, scheme: "https", authority: "img.example.com", path: "/a"), with: key,
            in: .at(date))
        }
        XCTAssertEqual(error.code, .invalidConfiguration)
        XCTAssertTrue(error.message.contains("does not read from the host img.example.com"), error.message)
      }
      XCTAssertThrowsError(try signature(version, "127.0.0.1", "/other/a"))
      XCTAssertThrowsError(try signature(version, "127.0.0.1", "/photos2/a"))
      for name in ["Pho tos", "Photos", "photos_1", "photos.a", "photos:80"] {
        XCTAssertThrowsError(try signature(version, "img.example.com", "/a", bucket: name), name)
      }
      for host in ["other", "photos2", "photo", "oss"] {
        XCTAssertThrowsError(try signature(version, "\(host).oss-cn-hangzhou.aliyuncs.com", "/a"), host)
      }
      XCTAssertNoThrow(try signature(version, "PHOTOS.oss-cn-hangzhou.aliyuncs.com", "/a"))
    }
  }

  func testBucketNamedLikeTheServiceIsSupported() throws {
    for version in OSSSignatureVersion.allCases {
      XCTAssertEqual(
        try signature(version, "oss.oss-cn-hangzhou.aliyuncs.com", "/a", bucket: "oss"),
        try signature(version, "127.0.0.1", "/oss/a", bucket: "oss"))
    }
  }

  // matrix: OSS V1: header
  func testV1SignsTheCallersDateHeader() throws {
    let chosen = "Tue, 14 Nov 2023 22:13:20 GMT"
    let request = OSSFixture.request().adding("x-oss-date", chosen)
    let later = Timestamp(unixSeconds: date.unixSeconds + 3_600)
    let pending = try OSSFixture.signer(.v1).prepare(request, as: key.identity, in: .at(later))
    XCTAssertTrue(
      pending.stringToSign.hasPrefix("GET\n\n\n\(chosen)\nx-oss-date:\(chosen)\n/"), pending.stringToSign)
    let signed = try OSSFixture.signer(.v1).signed(request, with: key, in: .at(later))
    XCTAssertNil(signed.headerFields[.date])
    XCTAssertNil(try OSSFixture.refusal(signed, against: key, at: date))
    let both = try OSSFixture.signer(.v1).signed(
      request.adding("date", "Wed, 15 Nov 2023 22:13:20 GMT"), with: key, in: .at(later))
    XCTAssertEqual(both.headerFields[.date], chosen)
    for wrong in ["20231114T221320Z", "yesterday", ""] {
      XCTAssertThrowsError(
        try OSSFixture.signer(.v1).signed(OSSFixture.request().adding("x-oss-date", wrong), with: key, in: .at(date)))
    }
  }

  // matrix: OSS V1: presign
  func testV1URLOmitsTheXOSSDateHeader() throws {
    let url = try OSSFixture.signer(.v1).presign(
      OSSFixture.request().adding("x-oss-date", "Tue, 14 Nov 2023 22:13:20 GMT"), with: key, validFor: .seconds(60),
      in: .at(date))
    XCTAssertTrue(url.headers.isEmpty)
    XCTAssertNil(try OSSFixture.refusal(url.request(), against: key, at: date))
  }
}
