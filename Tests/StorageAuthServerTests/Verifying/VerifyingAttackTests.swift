// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// Tests known attacks on signature verifiers over the wire against the middleware; COS in strict mode.
///
/// The attack on a remote signer as an oracle, the only one not on verification, is in `SigningRouteTests`.
final class VerifyingAttackTests: XCTestCase {
  private func withEach(_ body: (VerifyingBench) async throws -> Void) async throws {
    for service in VerifyingBench.Service.allCases { try await body(VerifyingBench(service, self)) }
  }

  private func named(_ text: String) throws -> HTTPField.Name { try XCTUnwrap(HTTPField.Name(text)) }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  // matrix: COS V5: verify
  // matrix: S3 V4: verify
  func testValidSignatureIsAcceptedAndTheHandlerReceivesSignedParts() async throws {
    try await withEach { bench in
      for key in [VerifyingBench.key, VerifyingBench.temporary] {
        let plain = try bench.request(.put, "a b/+é", headers: [named("\(bench.prefix)meta-a"): "1"])
        for request in [try bench.signed(plain, with: key), try bench.presigned(plain, with: key)] {
          let (status, text) = try await bench.send(request)
          XCTAssertEqual(status, 200, "\(bench.service): \(text)")
          XCTAssertTrue(text.hasPrefix("\(VerifyingBench.bucket)|a b/+é|"), text)
          XCTAssertTrue(text.hasSuffix("|5"), text)
        }
      }
    }
  }

  func testControlHeaderAddedAfterSigningIsRejected() async throws {
    try await withEach { bench in
      for name in ["copy-source", "acl", "object-acl", "meta-owner", "tagging", "storage-class"] {
        var request = try bench.presigned(bench.request(.put))
        request.headerFields[try named(bench.prefix + name)] = "/x/y"
        try await bench.assertRefused(request, ["SignatureDoesNotMatch", "AccessDenied"], name)
        request = try bench.signed(bench.request(.put))
        request.headerFields[try named(bench.prefix + name)] = "/x/y"
        try await bench.assertRefused(request, ["SignatureDoesNotMatch", "AccessDenied"], name)
      }
    }
  }

  func testCredentialsInTwoLocationsAreRejected() async throws {
    try await withEach { bench in
      let header = try bench.signed(bench.request())
      var both = try bench.presigned(bench.request())
      both.headerFields = header.headerFields
      try await bench.assertRefused(both, ["InvalidArgument"], "header and URL")
      var twice = header
      twice.headerFields.append(HTTPField(name: .authorization, value: header.headerFields[.authorization] ?? ""))
      try await bench.assertRefused(twice, ["InvalidArgument"], "two headers")
      XCTAssertEqual(bench.lookups.value, 0, "the request must be rejected before a key lookup")
    }
  }

  func testUnknownAuthorizationSchemeIsRejected() async throws {
    try await withEach { bench in
      for authorization in ["Bearer x", "OSS2 a:b", "AWS4-HMAC-SHA256 Credential=a", "x", "", " "] {
        var request = try bench.signed(bench.request())
        request.headerFields[.authorization] = authorization
        try await bench.assertRefused(request, ["InvalidArgument", "AccessDenied"], authorization)
      }
      try await bench.assertRefused(bench.request(), ["AccessDenied"], "no authorization")
    }
  }

  func testSignatureOutsideItsTimeIsRejected() async throws {
    try await withEach { bench in
      let header = try bench.signed(bench.request())
      let link = try bench.presigned(bench.request())
      let future = try bench.signed(bench.request(), at: bench.time.now.advanced(by: .seconds(901)))
      try await bench.assertRefused(future, ["RequestTimeTooSkewed"], "from the future")
      bench.time.advance(by: .seconds(61))
      try await bench.assertRefused(link, ["AccessDenied"], "an expired URL")
      bench.time.advance(by: .seconds(3600))
      try await bench.assertRefused(header, ["RequestTimeTooSkewed", "AccessDenied"], "old")
    }
  }

  func testSignatureOfAnotherScopeIsRejected() async throws {
    let oss = try await VerifyingBench(.ossV4, self)
    try await oss.assertRefused(oss.signed(oss.request(), region: "cn-beijing"), ["InvalidArgument"], "region")
    try await oss.assertRefused(oss.signed(oss.request(), product: "oss-cloudbox"), ["InvalidArgument"], "product")
    var other = try oss.signed(oss.request())
    other.headerFields[.authorization] = other.headerFields[.authorization]?.replacing("/20261120/", with: "/20261121/")
    try await oss.assertRefused(other, ["InvalidArgument"], "day")
    let s3 = try await VerifyingBench(.s3, self)
    try await s3.assertRefused(s3.signed(s3.request(), region: "us-east-1"), ["InvalidArgument"], "region")
    for (right, wrong) in [("/s3/", "/sts/"), ("/20261120/", "/20261121/"), ("/aws4_request", "/aws4_requests")] {
      var moved = try s3.signed(s3.request())
      moved.headerFields[.authorization] = moved.headerFields[.authorization]?.replacing(right, with: wrong)
      try await s3.assertRefused(moved, ["InvalidArgument"], wrong)
    }
    let cos = try await VerifyingBench(.cos, self)
    var times = try cos.signed(cos.request())
    times.headerFields[.authorization] = times.headerFields[.authorization]?.replacing(
      "q-key-time=1", with: "q-key-time=2")
    try await cos.assertRefused(times, ["InvalidArgument"], "q-sign-time is not q-key-time")
  }

  func testSignedHeaderThatIsAbsentOrRepeatedIsRejected() async throws {
    try await withEach { bench in
      let name = try named("\(bench.prefix)meta-a")
      let signed = try bench.signed(bench.request(.put, headers: [name: "1"]))
      var absent = signed
      absent.headerFields[name] = nil
      try await bench.assertRefused(absent, ["SignatureDoesNotMatch", "InvalidArgument"], "absent")
      var twice = signed
      twice.headerFields.append(HTTPField(name: name, value: "1"))
      // S3 signs all values of a header; two values are another string than the signed one.
      let codes: Set = bench.service == .s3 ? ["SignatureDoesNotMatch"] : ["InvalidArgument"]
      try await bench.assertRefused(twice, codes, "twice")
    }
  }

  func testUnsignedHostIsRejected() async throws {
    let cos = try await VerifyingBench(.cos, self)
    let unsigned = try cos.signed(cos.request(), policy: .standardWithoutHost)
    try await cos.assertRefused(unsigned, ["AccessDenied"], "unsigned host")
    try await withEach { bench in
      var moved = try bench.signed(bench.request())
      moved.authority = "other-1250000000.localhost.example.com"
      try await bench.assertRefused(moved, ["SignatureDoesNotMatch"], "another host")
    }
  }

  func testUnknownAlgorithmIsNotVerifiedAsTheKnownOne() async throws {
    try await withEach { bench in
      let signed = try bench.signed(bench.request())
      let right = signed.headerFields[.authorization] ?? ""
      let others =
        switch bench.service {
        case .ossV4: [right.replacing("SHA256 ", with: "SHA256X "), right.replacing("OSS4", with: "oss4")]
        case .ossV1: [right.replacing("OSS ", with: "OSSX "), right.replacing("OSS ", with: "oss ")]
        case .cos, .cosCompatible:
          [right.replacing("sha1&", with: "sha1x&"), right.replacing("sha1&", with: "sha256&")]
        case .s3: [right.replacing("SHA256 ", with: "SHA256X "), right.replacing("AWS4", with: "aws4")]
        }
      for authorization in others {
        var request = signed
        request.headerFields[.authorization] = authorization
        try await bench.assertRefused(request, ["InvalidArgument"], authorization)
      }
    }
  }

  func testForgedSignatureForAKnownKeyIsRejected() async throws {
    try await withEach { bench in
      let signed = try bench.signed(bench.request())
      let right = signed.headerFields[.authorization] ?? ""
      let length = bench.service == .ossV4 || bench.service == .s3 ? 64 : bench.service == .cos ? 40 : 28
      for signature in [String(repeating: "0", count: length), "0", String(right.suffix(4))] {
        var request = signed
        request.headerFields[.authorization] = right.dropLast(length) + signature
        // S3 has a separate code for a malformed signature.
        let codes: Set =
          bench.service == .s3 ? ["SignatureDoesNotMatch", "InvalidArgument"] : ["SignatureDoesNotMatch"]
        try await bench.assertRefused(request, codes, signature)
      }
      var other = AccessKey(id: VerifyingBench.key.id, secret: "another")
      try await bench.assertRefused(bench.signed(bench.request(), with: other), ["SignatureDoesNotMatch"], "secret")
      other = AccessKey(id: "LTAIunknown", secret: "not-a-secret")
      try await bench.assertRefused(bench.signed(bench.request(), with: other), ["InvalidAccessKeyId"], "unknown key")
    }
  }

  func testPathAndQueryAreReadAlikeByVerifierAndHandler() async throws {
    try await withEach { bench in
      let name = "response-content-type"
      let signed = try bench.signed(bench.request(.get, "d/a", parameters: [.init(name: name, value: "x y")]))
      let path = signed.path ?? ""
      for changed in [
        path.replacing("/d/a", with: "/d%2Fb"), path.replacing("/d/a", with: "/d//a"),
        path.replacing("/d/a", with: "/d/./a"), path.replacing("/d/a", with: "/d/x/../a"),
        path.replacing("/d/a", with: "/d/a+"), path.replacing("/d/a", with: "/d%252Fa"),
        path.replacing("x%20y", with: "x%2By"), path.replacing("x%20y", with: "x%2520y"), path + "&\(name)=z",
        String(path.prefix { $0 != "?" }), path + "%00",
      ] {
        var request = signed
        request.path = changed
        try await bench.assertRefused(request, ["SignatureDoesNotMatch", "InvalidArgument", "AccessDenied"], changed)
      }
      var same = signed
      same.path = path.replacing("x%20y", with: "x+y")
      let (status, text) = try await bench.send(same)
      XCTAssertEqual(status, 200, "a plus is a space for the signature and the handler: \(text)")
      XCTAssertEqual(text, "\(VerifyingBench.bucket)|d/a|\(name)=x y|0")
    }
  }

  func testUnknownKeyAndWrongSignatureTakeTheSameSteps() async throws {
    try await withEach { bench in
      let wrong = try bench.signed(bench.request(), with: AccessKey(id: VerifyingBench.key.id, secret: "another"))
      let unknown = try bench.signed(bench.request(), with: AccessKey(id: "LTAIunknown", secret: "another"))
      for (index, request) in [wrong, unknown].enumerated() {
        let (status, _) = try await bench.send(request)
        XCTAssertEqual(status, 403)
        XCTAssertEqual(bench.lookups.value, index + 1, "one lookup each; the comparison is in constant time")
      }
    }
  }

  func testLimitsAreCheckedBeforeAnyWork() async throws {
    for service in VerifyingBench.Service.allCases {
      let limits = VerificationLimits(pathByteCount: 600, parameterCount: 20, headerCount: 30, headerByteCount: 2_000)
      let bench = try await VerifyingBench(service, self, limits: limits)
      let long = try bench.signed(bench.request(.get, String(repeating: "k", count: 700)))
      let parameters = (0..<30).map { RequestTarget.Parameter(name: "p\($0)", value: nil) }
      let many = try bench.signed(bench.request(parameters: parameters))
      var headers = HTTPFields()
      for index in 0..<40 { headers[try named("x-h\(index)")] = "1" }
      let crowded = try bench.signed(bench.request(headers: headers))
      let wide = try bench.signed(bench.request(headers: [named("x-wide"): String(repeating: "w", count: 3_000)]))
      for (name, request) in [("path", long), ("parameters", many), ("headers", crowded), ("bytes", wide)] {
        try await bench.assertRefused(request, ["InvalidArgument"], name)
      }
      XCTAssertEqual(bench.lookups.value, 0, "a key was looked up")
    }
  }

  func testErrorResponsesContainNoSecrets() async throws {
    try await withEach { bench in
      let wrong = AccessKey(id: VerifyingBench.temporary.id, secret: "another", sessionToken: "to+ken/=")
      try await bench.assertRefused(bench.signed(bench.request(), with: wrong), ["SignatureDoesNotMatch"], "header")
      try await bench.assertRefused(bench.presigned(bench.request(), with: wrong), ["SignatureDoesNotMatch"], "URL")
      let stolen = AccessKey(id: VerifyingBench.temporary.id, secret: "not-a-secret-either", sessionToken: "other")
      try await bench.assertRefused(
        bench.signed(bench.request(), with: stolen), ["InvalidSecurityToken", "InvalidToken"], "another token")
    }
  }
}
