// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// Known attacks on signature verifiers, against the OSS verifier.
final class OSSAttackTests: XCTestCase {
  private func assertRefused(
    _ request: HTTPRequest, _ code: VerificationError.Code, against key: AccessKey = OSSFixture.key,
    at date: Timestamp = OSSFixture.date, by verifier: OSSVerifier = OSSVerifier(), _ note: String = "",
    line: UInt = #line
  ) throws {
    let error = try OSSFixture.refusal(request, against: key, at: date, by: verifier)
    XCTAssertEqual(error?.code, code, "\(note) \(error?.message ?? "accepted")", line: line)
  }

  private func versions(_ body: (OSSSignatureVersion) throws -> Void) rethrows {
    for version in OSSSignatureVersion.allCases { try body(version) }
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testControlHeaderAddedAfterSigningIsRejected() throws {
    try versions { version in
      let put = OSSFixture.request(.put)
      for request in [try OSSFixture.signed(version, put), try OSSFixture.presigned(version, put)] {
        try assertRefused(request.adding("x-oss-copy-source", "/other/secret.txt"), .mismatch)
        try assertRefused(request.adding("x-oss-object-acl", "public-read-write"), .mismatch)
        try assertRefused(request.adding("X-OSS-Meta-A", "1"), .mismatch)
        try assertRefused(request.adding("x-oss-tagging", "a=b"), .mismatch)
        try assertRefused(request.adding("x-oss-callback", "e30="), .mismatch)
        try assertRefused(request.adding("content-type", "text/html"), .mismatch)
        try assertRefused(request.adding("content-md5", "1B2M2Y8AsgTpgAmY7PhCfg=="), .mismatch)
        try assertRefused(request.appending("x-oss-process=image%2Fresize"), .mismatch)
        try assertRefused(request.appending("acl"), .mismatch)
        try assertRefused(request.appending("%61cl"), .mismatch, "an escaped name")
        try assertRefused(request.appending("uploads"), .mismatch)
      }
    }
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testCredentialsInHeaderAndURLAreAmbiguous() throws {
    try versions { first in
      try versions { second in
        var both = try OSSFixture.presigned(first)
        both.headerFields[.authorization] = try OSSFixture.signed(second).headerFields[.authorization]
        try assertRefused(both, .ambiguous)
      }
      var twice = try OSSFixture.signed(first)
      twice.headerFields.append(HTTPField(name: .authorization, value: "OSS other:c2ln"))
      try assertRefused(twice, .ambiguous)
      let v1 = try OSSFixture.presigned(.v1)
      try assertRefused(v1.appending("x-oss-signature=aa"), .ambiguous)
      try assertRefused(try OSSFixture.signed(first).appending("Signature=aa"), .ambiguous)
      try assertRefused(try OSSFixture.signed(first).appending("x-oss-credential=aa"), .ambiguous)
      try assertRefused(try OSSFixture.presigned(first).adding("x-oss-security-token", "t"), .ambiguous)
    }
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testUnknownSchemesAndAlgorithmsAreRejected() throws {
    let v4 = try OSSFixture.signed(.v4)
    for token in [
      "OSS4-HMAC-SHA256-EVIL", "OSS4-HMAC-SHA25", "OSS4-HMAC-SHA256X", "OSS2", "oss", "Oss4-hmac-sha256", "AWS",
      "Bearer",
    ] {
      try assertRefused(v4.replacingInAuthorization("OSS4-HMAC-SHA256", with: token), .unsupported, token)
    }
    let v1 = try OSSFixture.signed(.v1)
    for token in ["OSS1", "OSS2", "oss", "OS", "OSSX"] {
      try assertRefused(v1.replacingInAuthorization("OSS ", with: token + " "), .unsupported, token)
    }
    let url = try OSSFixture.presigned(.v4)
    for token in ["OSS4-HMAC-SHA256-EVIL", "oss4-hmac-sha256", "OSS2", ""] {
      try assertRefused(
        url.replacing("version=OSS4-HMAC-SHA256", with: "version=" + token), .unsupported, token)
    }
    try assertRefused(url.replacing("x-oss-signature-version", with: "x-oss-other"), .unsupported)
  }

  // matrix: OSS V1: verify, expiry
  // matrix: OSS V4: verify, expiry
  func testOldFutureAndMissingDatesAreRejected() throws {
    func at(_ seconds: Int64) -> Timestamp { Timestamp(unixSeconds: OSSFixture.date.unixSeconds + seconds) }
    try versions { version in
      let signed = try OSSFixture.signed(version)
      for seconds: Int64 in [-900, 0, 900] {
        XCTAssertNil(try OSSFixture.refusal(signed, at: at(seconds)))
      }
      for seconds: Int64 in [-901, 901, 86_400, -86_400] {
        let error = try OSSFixture.refusal(signed, at: at(seconds))
        XCTAssertEqual(error?.code, .clockSkew)
        XCTAssertEqual(error?.instant, OSSFixture.date)
        XCTAssertEqual(error?.accessKeyID, OSSFixture.key.id)
      }
      var undated = signed
      undated.headerFields[version == .v1 ? .date : .named("x-oss-date")] = nil
      try assertRefused(undated, version == .v1 ? .missingDate : .malformed)
      let url = try OSSFixture.presigned(version)
      XCTAssertNil(try OSSFixture.refusal(url, at: at(600)))
      let error = try OSSFixture.refusal(url, at: at(601))
      XCTAssertEqual(error?.code, .expired)
      XCTAssertEqual(error?.instant, at(600))
    }
    let url = try OSSFixture.presigned(.v4)
    XCTAssertNil(try OSSFixture.refusal(url, at: at(-900)))
    try assertRefused(url, .notYetValid, at: at(-901))
    try assertRefused(url.replacing("x-oss-date=2026", with: "x-oss-date=2027"), .wrongScope)
    try assertRefused(url.replacing("x-oss-date", with: "x-oss-dat"), .malformed)
    try assertRefused(url.replacing("expires=600", with: "expires=604801"), .malformed)
    try assertRefused(url.replacing("expires=600", with: "expires=0"), .malformed)
    try assertRefused(url.replacing("expires=600", with: "expires=-600"), .malformed)
    try assertRefused(url.replacing("expires=600", with: "expires=9999999999999999999"), .malformed)
    try assertRefused(url.replacing("expires=600", with: "expires=601"), .mismatch)
    let old = try OSSFixture.presigned(.v1)
    try assertRefused(old.replacing("Expires=17", with: "Expires=27"), .mismatch)
    try assertRefused(old.replacing("Expires=17", with: "Expires=-17"), .malformed)
    try assertRefused(old.replacing("Expires=17", with: "Other=17"), .malformed)
  }

  // matrix: OSS V4: verify
  func testScopeIsBoundToDateRegionAndProduct() throws {
    let strict = OSSVerifier(region: "cn-hangzhou")
    let signed = try OSSFixture.signed(.v4)
    XCTAssertNil(try OSSFixture.refusal(signed, by: strict))
    try assertRefused(signed, .wrongScope, by: OSSVerifier(region: "cn-beijing"))
    try assertRefused(signed, .wrongScope, by: OSSVerifier(product: "oss-cloudbox"))
    for (part, other) in [
      ("20261120", "20261119"), ("20261120", "20261121"), ("20261120", ""), ("cn-hangzhou", "cn-beijing"),
      ("cn-hangzhou", ""), ("cn-hangzhou", "oss-cn-hangzhou"), ("/oss/", "/OSS/"), ("/oss/", "/oss-cloudbox/"),
      ("/oss/", "//"),
    ] {
      try assertRefused(signed.replacingInAuthorization(part, with: other), .wrongScope, by: strict, "\(part) \(other)")
    }
    try assertRefused(signed.replacingInAuthorization("cn-hangzhou", with: "cn-beijing"), .mismatch, "any region")
    try assertRefused(signed.replacingInAuthorization("cn-hangzhou", with: "a/b"), .malformed)
    try assertRefused(signed.replacingInAuthorization("aliyun_v4_request", with: "aws4_request"), .malformed)
    try assertRefused(
      try OSSFixture.presigned(.v4).replacing("%2Fcn-hangzhou%2F", with: "%2Fcn-beijing%2F"), .wrongScope, by: strict)
  }

  // matrix: OSS V4: verify
  func testDeclaredAdditionalHeaderMustAppearExactlyOnce() throws {
    let signer = OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou", additionalHeaders: ["range", "host"])
    let plain = OSSFixture.request().adding("range", "bytes=0-9")
    let signed = try signer.signed(plain, with: OSSFixture.key, in: .at(OSSFixture.date))
    XCTAssertNil(try OSSFixture.refusal(signed))
    var without = signed
    without.headerFields[.range] = nil
    try assertRefused(without, .malformed)
    try assertRefused(signed.adding("range", "bytes=0-9"), .ambiguous)
    try assertRefused(signed.adding("range", "bytes=0-"), .ambiguous)
    var other = signed
    other.authority = "photos.oss-cn-beijing.aliyuncs.com"
    try assertRefused(other, .mismatch)
    for list in ["host;Range", "host;range;range", "host;;range", "range", "", "host;range;", "host;range;if-match"] {
      let changed = signed.replacingInAuthorization("AdditionalHeaders=host;range", with: "AdditionalHeaders=" + list)
      XCTAssertNotNil(try OSSFixture.refusal(changed), list)
    }
    let url = try signer.presign(plain, with: OSSFixture.key, validFor: .seconds(60), in: .at(OSSFixture.date))
      .request()
    XCTAssertNil(try OSSFixture.refusal(url))
    try assertRefused(url.replacing("host%3Brange", with: "host"), .mismatch)
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testForgedSignatureForAKnownKeyIsRejected() throws {
    let zeros = String(repeating: "0", count: 64)
    try versions { version in
      let signed = try OSSFixture.signed(version)
      let authorization = signed.headerFields[.authorization] ?? ""
      let signature = String(authorization.split(separator: version == .v1 ? ":" : "=").last ?? "")
      for made in [zeros, "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "x", String(signature.dropLast()), signature + "0", "é"] {
        try assertRefused(signed.replacingInAuthorization(signature, with: made), .mismatch, made)
      }
      try assertRefused(signed.replacingInAuthorization(signature, with: ""), .malformed)
      XCTAssertNotEqual(signature.uppercased(), signature)
      try assertRefused(signed.replacingInAuthorization(signature, with: signature.uppercased()), .mismatch)
      let url = try OSSFixture.presigned(version)
      let value = String((url.path ?? "").split(separator: "ignature=").last ?? "")
      try assertRefused(url.replacing(value, with: ""), .mismatch)
      try assertRefused(url.replacing(value, with: zeros), .mismatch)
      try assertRefused(url.replacing("ignature=" + value, with: "ignature"), .mismatch)
    }
    try assertRefused(
      try OSSFixture.signed(.v1).replacingInAuthorization(":", with: ":a:"), .malformed)
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testSignatureIsBoundToMethodBucketAndKey() throws {
    try versions { version in
      for request in [try OSSFixture.signed(version), try OSSFixture.presigned(version)] {
        for method in [HTTPRequest.Method.put, .delete, .head, .post] {
          var other = request
          other.method = method
          try assertRefused(other, .mismatch)
        }
        var other = request
        other.authority = "photos2.oss-cn-hangzhou.aliyuncs.com"
        try assertRefused(other, .mismatch)
        other.authority = "oss-cn-hangzhou.aliyuncs.com"
        try assertRefused(other, .malformed, "an object without a bucket")
        try assertRefused(other.replacing("/cat.jpg", with: "/photos/cat.jpg"), .malformed, "the same string to sign")
        try assertRefused(request.replacing("/cat.jpg", with: "/dog.jpg"), .mismatch)
        try assertRefused(request.replacing("/cat.jpg", with: "/"), .mismatch)
        try assertRefused(request, .unknownKey, against: AccessKey(id: "LTAIother", secret: "8Jj5kZexample"))
        try assertRefused(request, .mismatch, against: AccessKey(id: "LTAIexample", secret: "other"))
      }
    }
  }
}
