// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import S3Auth
import SigningProperties
import StorageAuth
import XCTest

/// Known attacks on S3 signature verifiers.
final class S3AttackTests: XCTestCase {
  // A header that changes the operation is added after signing.
  // matrix: S3 V4: verify
  func testHeadersThatChangeTheOperationMustBeSigned() throws {
    for request in [try S3Fixture.signed(S3Fixture.request(.put)), try S3Fixture.presigned(S3Fixture.request(.put))] {
      XCTAssertNil(S3Fixture.refusal(request))
      let names: [StaticString] = [
        "x-amz-copy-source", "x-amz-acl", "x-amz-tagging", "x-amz-meta-a", "x-amz-bypass-governance-retention",
        "x-amz-server-side-encryption-customer-key", "X-Amz-Grant-Read", "x-amz-website-redirect-location",
      ]
      for name in names {
        S3Fixture.assertRefused(request.adding(name, "a"), .unsignedField, "AccessDenied", "\(name)")
      }
    }
    let url = try S3Fixture.presigned(S3Fixture.request(.put))
    S3Fixture.assertRefused(url.adding("x-amz-date", "20261120T080000Z"), .unsignedField, "AccessDenied")
    S3Fixture.assertRefused(
      url.adding("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"), .unsupported, "InvalidArgument")
    XCTAssertNil(
      S3Fixture.refusal(url.adding("x-amz-content-sha256", S3Payload.empty.text)), "the header has no effect")
    S3Fixture.assertRefused(url.adding("x-amz-security-token", "t"), .ambiguous, "InvalidArgument")
    let metadata = try S3Fixture.signed(S3Fixture.request(.put).adding("x-amz-meta-a", "b"))
    S3Fixture.assertRefused(metadata.adding("x-amz-meta-a", "c"), .mismatch, "SignatureDoesNotMatch")
  }

  // Credentials in two locations, and partial credentials.
  // matrix: S3 V4: verify
  func testCredentialsInHeaderAndURLAreAmbiguous() throws {
    let header = try S3Fixture.signed()
    let url = try S3Fixture.presigned()
    let query = (url.path ?? "").dropFirst("/cat.jpg?".count)
    S3Fixture.assertRefused(header.appending(String(query)), .ambiguous, "InvalidArgument")
    for parameter in query.split(separator: "&") {
      S3Fixture.assertRefused(header.appending(String(parameter)), .ambiguous, "InvalidArgument", "\(parameter)")
      S3Fixture.assertRefused(
        S3Fixture.request().appending(String(parameter)), .malformed, "AuthorizationQueryParametersError",
        "\(parameter) without the others")
      S3Fixture.assertRefused(
        url.replacing("&\(parameter)", with: "").replacing("\(parameter)&", with: ""), .malformed,
        "AuthorizationQueryParametersError", "without \(parameter)")
      let lowered = parameter.lowercased()
      S3Fixture.assertRefused(
        S3Fixture.request().appending(lowered), .malformed, "AuthorizationQueryParametersError", lowered)
    }
    S3Fixture.assertRefused(header.appending("AWSAccessKeyId=a"), .unsupported, "InvalidRequest")
    S3Fixture.assertRefused(header.adding("authorization", "AWS a:b"), .ambiguous, nil)
    S3Fixture.assertRefused(S3Fixture.request().adding("authorization", ""), .unsupported, "InvalidArgument")
    S3Fixture.assertRefused(S3Fixture.request().adding("x-amz-security-token", "t"), .unsigned, "AccessDenied")
    XCTAssertNil(try S3Fixture.verifier.claim(in: S3Fixture.request()))
  }

  // A verifier must not fall through on an unknown scheme, nor accept a prefix of the algorithm.
  // matrix: S3 V4: verify, bad input
  func testOtherSchemesAreRejectedWithTheirNames() throws {
    let header = try S3Fixture.signed()
    let url = try S3Fixture.presigned()
    for (word, code) in [
      ("AWS4-ECDSA-P256-SHA256", "NotImplemented"), ("GOOG4-HMAC-SHA256", "NotImplemented"),
      ("AWS4-HMAC-SHA256x", "InvalidArgument"), ("aws4-hmac-sha256", "InvalidArgument"),
      ("AWS4-HMAC-SHA25", "InvalidArgument"),
      ("Basic", "InvalidArgument"), ("Bearer", "InvalidArgument"), ("OSS4-HMAC-SHA256", "InvalidArgument"),
      ("AWS", "InvalidRequest"),
    ] {
      let changed = header.replacingInAuthorization("AWS4-HMAC-SHA256 ", with: word + " ")
      S3Fixture.assertRefused(changed, .unsupported, code, word)
      let other = url.replacing("=AWS4-HMAC-SHA256&", with: "=\(word)&")
      S3Fixture.assertRefused(other, .unsupported, code, "\(word) in a URL")
      XCTAssertEqual(try S3Fixture.verifier.recognizes(changed), word.lowercased().hasPrefix("aws"), word)
    }
    S3Fixture.assertRefused(S3Fixture.request().adding("authorization", "AWS a:b"), .unsupported, "InvalidRequest")
    S3Fixture.assertRefused(
      S3Fixture.request().appending("AWSAccessKeyId=a&Expires=1&Signature=b"), .unsupported, "InvalidRequest")
    S3Fixture.assertRefused(header.adding("x-amz-region-set", "*"), .unsupported, "NotImplemented")
    S3Fixture.assertRefused(header.adding("x-amz-s3session-token", "t"), .unsupported, "NotImplemented")
    S3Fixture.assertRefused(S3Fixture.request().appending("X-Amz-Region-Set=*"), .unsupported, "NotImplemented")
    S3Fixture.assertRefused(
      header.replacingInAuthorization("/s3/", with: "/s3express/"), .unsupported, "NotImplemented")
    XCTAssertTrue(try S3Fixture.verifier.recognizes(url))
    XCTAssertFalse(try S3Fixture.verifier.recognizes(S3Fixture.request()))
  }

  // A verifier must compare the date with its clock.
  // matrix: S3 V4: verify, skew
  func testDateIsComparedWithTheClock() throws {
    let header = try S3Fixture.signed()
    for (seconds, isRight) in [(-901, false), (-900, true), (900, true), (901, false)] {
      let date = S3Fixture.date.advanced(by: .seconds(seconds))
      if isRight {
        XCTAssertNil(S3Fixture.refusal(header, at: date), "\(seconds)")
      } else {
        S3Fixture.assertRefused(header, .clockSkew, "RequestTimeTooSkewed", at: date)
      }
    }
    let url = try S3Fixture.presigned()
    for (seconds, code) in [(-901, VerificationError.Code.notYetValid), (601, .expired)] {
      S3Fixture.assertRefused(url, code, "AccessDenied", at: S3Fixture.date.advanced(by: .seconds(seconds)))
    }
    for seconds in [-900, 0, 600] {
      XCTAssertNil(S3Fixture.refusal(url, at: S3Fixture.date.advanced(by: .seconds(seconds))), "\(seconds)")
    }
    for date in ["20240230T000000Z", "20261120", "2026-11-20T08:00:00Z", "", "20261120T080000", "20261120T080000Zx"] {
      S3Fixture.assertRefused(header.setting("x-amz-date", date), .missingDate, "AccessDenied", date)
      S3Fixture.assertRefused(
        url.replacing("20261120T080000Z", with: date.replacing(":", with: "%3A")), .malformed,
        "AuthorizationQueryParametersError", date)
    }
    S3Fixture.assertRefused(header.setting("x-amz-date", nil), .missingDate, "AccessDenied")
  }

  // Arithmetic of the lifetime.
  // matrix: S3 V4: verify, expiry
  func testURLLifetimeMustBeAnIntegerWithinAWeek() throws {
    let url = try S3Fixture.presigned()
    for text in [
      "0", "604801", "-1", "%2B600", "1e3", "NaN", "", "600s", "0x258", "9223372036854775808", "-9223372036854775809",
      String(repeating: "9", count: 400), "%D9%A1", "6.0",
    ] {
      S3Fixture.assertRefused(
        url.replacing("X-Amz-Expires=600", with: "X-Amz-Expires=\(text)"), .malformed,
        "AuthorizationQueryParametersError", text)
    }
    XCTAssertNil(S3Fixture.refusal(try S3Fixture.presigned(for: .seconds(604_800))))
    S3Fixture.assertRefused(
      url, .lifetimeOutOfRange, nil, by: S3Verifier(limits: VerificationLimits(urlLifetime: .seconds(60))))
  }

  // A verifier must bind the scope.
  // matrix: S3 V4: verify
  func testEveryComponentOfTheScopeIsBound() throws {
    let header = try S3Fixture.signed()
    let url = try S3Fixture.presigned()
    for (text, other) in [
      ("/20261120/", "/20261119/"), ("/eu-central-1/", "/us-east-1/"), ("/s3/", "/s3-outposts/"),
    ] {
      S3Fixture.assertRefused(
        header.replacingInAuthorization(text, with: other), .wrongScope, "AuthorizationHeaderMalformed", other)
      S3Fixture.assertRefused(
        url.replacing(
          text.replacing("/", with: "%2F"), with: other.replacing("/", with: "%2F")), .wrongScope,
        "AuthorizationQueryParametersError", other)
    }
    for other in ["/aws4_reques", "/aws4_request/x", ""] {
      S3Fixture.assertRefused(
        header.replacingInAuthorization("/aws4_request", with: other), .malformed, "AuthorizationHeaderMalformed", other
      )
    }
    S3Fixture.assertRefused(
      header.replacingInAuthorization("/eu-central-1/", with: "/us-east-1/"), .mismatch, "SignatureDoesNotMatch",
      by: S3Verifier())
  }

  // Signed header names that are absent, repeated, reordered or from elsewhere.
  // matrix: S3 V4: verify
  func testSignedHeaderListMustBeExact() throws {
    let header = try S3Fixture.signed(S3Fixture.request(.get, "/a", [.range: "bytes=0-1"]))
    let list = "host;range;x-amz-content-sha256;x-amz-date"
    for other in [
      "range;host;x-amz-content-sha256;x-amz-date", "host;host;range;x-amz-content-sha256;x-amz-date",
      "Host;range;x-amz-content-sha256;x-amz-date", "range;x-amz-content-sha256;x-amz-date", ";\(list)", "\(list);",
      "host;;range;x-amz-content-sha256;x-amz-date", "host, range", "",
    ] {
      S3Fixture.assertRefused(
        header.replacingInAuthorization(list, with: other), .malformed, "AuthorizationHeaderMalformed", other)
    }
    S3Fixture.assertRefused(
      header.replacingInAuthorization(list, with: list + ";x-amz-meta-a"), .malformed, "SignatureDoesNotMatch")
    S3Fixture.assertRefused(
      header.replacingInAuthorization(list, with: list + ";x-amz-meta-a").appending("x-amz-meta-a=b"), .malformed,
      "SignatureDoesNotMatch", "a parameter does not replace a header")
    S3Fixture.assertRefused(
      header.replacingInAuthorization(";x-amz-date", with: ""), .unsignedField, "AccessDenied")
    S3Fixture.assertRefused(header.setting("range", "bytes=0-2"), .mismatch, "SignatureDoesNotMatch")
    S3Fixture.assertRefused(header.adding("range", "bytes=0-1"), .ambiguous, "InvalidRequest")
    S3Fixture.assertRefused(header.adding("x-amz-date", "20261120T080000Z"), .ambiguous, nil)
    var moved = header
    moved.authority = "secrets.s3.eu-central-1.amazonaws.com"
    S3Fixture.assertRefused(moved, .mismatch, "SignatureDoesNotMatch")
    moved.authority = nil
    S3Fixture.assertRefused(moved, .malformed, nil)
    S3Fixture.assertRefused(
      header.adding("x-forwarded-host", "other").replacing("/a", with: "/b"), .mismatch, "SignatureDoesNotMatch")
  }

  // matrix: S3 V4: verify, bad input
  func testAuthorizationSyntaxMustBeExact() throws {
    let header = try S3Fixture.signed()
    let text = header.headerFields[.authorization] ?? ""
    XCTAssertNil(S3Fixture.refusal(header.setting("authorization", text.replacing(", ", with: ","))))
    let parts = text.dropFirst("AWS4-HMAC-SHA256 ".count).split(separator: ", ")
    XCTAssertNil(
      S3Fixture.refusal(
        header.setting("authorization", "AWS4-HMAC-SHA256 \(parts.reversed().joined(separator: ", "))")))
    for part in parts {
      for other in [", \(part), \(part)", "", ", \(part)x=", ", \(part.split(separator: "=")[0])="] {
        let changed = "AWS4-HMAC-SHA256 " + (parts.filter { $0 != part }.joined(separator: ", ")) + other
        let error = S3Fixture.refusal(header.setting("authorization", changed))
        XCTAssertEqual(error?.code, .malformed, changed)
        // A longer name is a further signed header that is absent.
        let isAbsent = changed.contains("x-amz-datex")
        XCTAssertEqual(
          error?.serviceCode, isAbsent ? "SignatureDoesNotMatch" : "AuthorizationHeaderMalformed", changed)
      }
    }
    let signature = text.suffix(64)
    for other in [
      signature.uppercased(), String(signature.dropLast()), signature + "0", String(repeating: "0", count: 64),
      String(repeating: "g", count: 64), "",
    ] {
      XCTAssertNotNil(S3Fixture.refusal(header.replacingInAuthorization(String(signature), with: other)), other)
    }
  }

  // Paths and queries with several interpretations.
  // matrix: S3 V4: verify
  func testPathHasOneInterpretationOrIsRejected() throws {
    func target(_ signed: String, sent: String) throws -> String? {
      var request = try S3Fixture.signed(S3Fixture.request(.get, signed))
      request.path = sent
      guard S3Fixture.refusal(request) == nil else { return nil }
      let claim = try XCTUnwrap(S3Fixture.verifier.claim(in: request))
      let proof = try S3Fixture.verifier.verify(claim, against: S3Fixture.key, at: S3Fixture.date)
      return proof.target.key?.string
    }
    XCTAssertEqual(try target("/a/b", sent: "/a%2Fb"), "a/b", "signer and handler decode the same key")
    XCTAssertEqual(try target("/%C3%BC~", sent: "/%c3%bc%7E"), "ü~")
    XCTAssertEqual(try target("/a%28b%29", sent: "/a(b)"), "a(b)")
    for (signed, sent) in [
      ("/a/b", "/a%252Fb"), ("/a/b", "/a/./b"), ("/a/b", "/a/c/../b"), ("/a/b", "/a//b"), ("/a/b", "//a/b"),
      ("/a%20b", "/a+b"), ("/a%2Bb", "/a+b"), ("/a", "/a/"), ("/a", "/A"), ("/a", "/a%00"), ("/a", "/%C1%A1"),
      ("/a?b=1", "/a?b=1&b=2"), ("/a?b=1", "/a?b=2&b=1"), ("/a?b=1", "/a?B=1"), ("/a?b=1", "/a?b=1&c"),
      ("/a?b=1", "/a"),
      ("/a?b=1", "/a?b=1&=x"), ("/a", "/a?acl"), ("/a?b", "/a?b=x"), ("/a?b=1", "/a?b=%31&b"),
    ] {
      XCTAssertNil(try target(signed, sent: sent), "\(signed) as \(sent)")
    }
    S3Fixture.assertRefused(
      try S3Fixture.signed().replacing("/cat.jpg", with: "/c+t.jpg"), .malformed, "InvalidRequest")
    S3Fixture.assertRefused(
      try S3Fixture.signed(S3Fixture.request(host: "s3.eu-central-1.amazonaws.com")).replacing("/cat", with: "//cat"),
      .malformed, "InvalidBucketName")
  }

  // Session tokens.
  // matrix: S3 V4: verify, expiry
  func testTokenMustMatchItsKey() throws {
    for request in [
      try S3Fixture.signed(with: S3Fixture.temporary), try S3Fixture.presigned(with: S3Fixture.temporary),
    ] {
      let key = S3Fixture.temporary
      XCTAssertNil(S3Fixture.refusal(request, against: key))
      let other = AccessKey(id: key.id, secret: key.secret, sessionToken: Secret("another"))
      S3Fixture.assertRefused(request, .invalidToken, "InvalidToken", against: other)
      let permanent = AccessKey(id: key.id, secret: key.secret)
      S3Fixture.assertRefused(request, .invalidToken, "InvalidToken", against: permanent)
      let ended = AccessKey(
        id: key.id, secret: key.secret, sessionToken: key.sessionToken, expiration: S3Fixture.date)
      S3Fixture.assertRefused(request, .keyExpired, "ExpiredToken", against: ended)
      S3Fixture.assertRefused(request, .unknownKey, "InvalidAccessKeyId", against: S3Fixture.key)
    }
    let bare = AccessKey(id: S3Fixture.temporary.id, secret: S3Fixture.temporary.secret)
    S3Fixture.assertRefused(
      try S3Fixture.signed(with: bare), .missingToken, "InvalidAccessKeyId", against: S3Fixture.temporary)
    S3Fixture.assertRefused(
      try S3Fixture.presigned(with: bare), .missingToken, "InvalidAccessKeyId", against: S3Fixture.temporary)
  }

  // Each body encoding with a missing, a wrong and a correct signature.
  // matrix: S3 V4: verify
  func testEveryBodyEncodingIsVerified() throws {
    let length = S3Fixture.request(.put).adding("x-amz-decoded-content-length", "5")
    let trailer = length.adding("x-amz-trailer", "x-amz-checksum-crc32")
    let forms: [(S3Payload, HTTPRequest)] = [
      (.unsigned, S3Fixture.request(.put)), (.empty, S3Fixture.request(.put)), (.bytes([1]), S3Fixture.request(.put)),
      (.signedChunks, length), (.signedChunksWithTrailer, trailer), (.unsignedChunksWithTrailer, trailer),
    ]
    for (payload, request) in forms {
      let signed = try S3Fixture.signed(request, payload)
      XCTAssertNil(S3Fixture.refusal(signed), payload.text)
      XCTAssertEqual(try S3Fixture.verifier.claim(in: signed)?.payload, payload)
      S3Fixture.assertRefused(
        signed.replacingInAuthorization("Signature=", with: "Signature=0").setting(
          "authorization",
          (signed.headerFields[.authorization] ?? "").dropLast(64) + String(repeating: "0", count: 64)), .mismatch,
        "SignatureDoesNotMatch", payload.text)
      S3Fixture.assertRefused(signed.setting("authorization", nil), .unsigned, nil, payload.text)
      for (other, _) in forms where other != payload && !other.isChunked {
        S3Fixture.assertRefused(
          signed.setting("x-amz-content-sha256", other.text), .mismatch, "SignatureDoesNotMatch", payload.text)
      }
      let strict = S3Verifier(allowsUnsignedPayload: false)
      if payload == .unsigned || payload == .unsignedChunksWithTrailer {
        S3Fixture.assertRefused(signed, .unsupported, "InvalidRequest", by: strict)
      } else {
        XCTAssertNil(S3Fixture.refusal(signed, by: strict))
      }
    }
    let signed = try S3Fixture.signed(length, .signedChunks)
    S3Fixture.assertRefused(signed.setting("x-amz-content-sha256", nil), .malformed, "InvalidRequest")
    for text in ["", "unsigned-payload", String(repeating: "A", count: 64), "STREAMING", "a"] {
      S3Fixture.assertRefused(signed.setting("x-amz-content-sha256", text), .unsupported, "InvalidArgument", text)
    }
    S3Fixture.assertRefused(
      signed.setting("x-amz-content-sha256", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD"), .unsupported, "NotImplemented"
    )
  }

  func testChunkedBodyRequiresDecodedLengthAndTrailer() throws {
    func signed(_ payload: S3Payload, _ names: (StaticString, String)...) throws -> HTTPRequest {
      var request = S3Fixture.request(.put).adding("x-amz-content-sha256", payload.text)
      for (name, value) in names { request = request.adding(name, value) }
      // A client without checks, with only the hash of the head.
      let text = S3Fixture.signer(.unsigned)
      let pending = try text.prepare(request, as: S3Fixture.key.identity, in: .at(S3Fixture.date))
      return try text.finish(pending, signature: String(repeating: "0", count: 64))
        .setting("x-amz-content-sha256", payload.text)
    }
    S3Fixture.assertRefused(try signed(.signedChunks), .malformed, "MissingContentLength")
    for text in ["-1", "+5", "5 5", "1e3", "9223372036854775808", "x", ""] {
      S3Fixture.assertRefused(
        try signed(.signedChunks, ("x-amz-decoded-content-length", text)), .malformed, "InvalidArgument", text)
    }
    let length = (StaticString("x-amz-decoded-content-length"), "5")
    S3Fixture.assertRefused(
      try signed(.signedChunks, length, ("x-amz-trailer", "x-amz-checksum-crc32")), .malformed, "MalformedTrailerError")
    S3Fixture.assertRefused(try signed(.unsignedChunksWithTrailer, length), .malformed, "MalformedTrailerError")
    for name in ["x-amz-meta-a", "x-amz-checksum-md5", "x-amz-checksum-crc32,x-amz-checksum-sha1", ""] {
      S3Fixture.assertRefused(
        try signed(.unsignedChunksWithTrailer, length, ("x-amz-trailer", name)), .malformed, "MalformedTrailerError",
        name)
    }
  }

  // Size limits must precede parsing.
  // matrix: S3 V4: bad input
  func testSizeLimitsPrecedeParsing() throws {
    let signed = try S3Fixture.signed()
    S3Fixture.assertRefused(
      signed.appending(String(repeating: "a", count: 33_000)), .limitExceeded, nil)
    S3Fixture.assertRefused(
      signed.appending(String(repeating: "a&", count: 200)), .limitExceeded, nil)
    S3Fixture.assertRefused(
      signed.adding("x-a", String(repeating: "a", count: 70_000)), .limitExceeded, nil)
  }

  // A claim that a verifier with other settings parsed.
  func testClaimIsVerifiedOnlyByTheVerifierThatParsedIt() throws {
    let claim = try XCTUnwrap(S3Fixture.verifier.claim(in: S3Fixture.signed()))
    XCTAssertNoThrow(try S3Fixture.verifier.verify(claim, against: S3Fixture.key, at: S3Fixture.date))
    let region = S3Fixture.verifier.region
    for other in [
      S3Verifier(region: region, style: .path), S3Verifier(region: region, bucket: "other"),
      S3Verifier(region: region, allowsUnsignedPayload: false),
    ] {
      XCTAssertThrowsError(try other.verify(claim, against: S3Fixture.key, at: S3Fixture.date)) {
        XCTAssertEqual(($0 as? VerificationError)?.code, .malformed)
      }
    }
  }

  // Secrets in errors.
  // matrix: S3 V4: redaction
  func testErrorsAndDescriptionsMaskSecrets() throws {
    let request = S3Fixture.request(.put)
      .adding("x-amz-server-side-encryption-customer-key", "Y3VzdG9tZXItc2VjcmV0")
    for signed in [
      try S3Fixture.signed(request, with: S3Fixture.temporary),
      try S3Fixture.presigned(request, with: S3Fixture.temporary),
    ] {
      let wrong = AccessKey(
        id: S3Fixture.temporary.id, secret: "another", sessionToken: S3Fixture.temporary.sessionToken?.reveal())
      let error = try XCTUnwrap(S3Fixture.refusal(signed, against: wrong))
      let comparison = try XCTUnwrap(error.comparison)
      let texts = ["\(error)", "\(comparison)", comparison.canonicalRequest ?? "", comparison.stringToSign]
      for text in texts {
        XCTAssertFalse(text.contains(S3Fixture.token) || text.contains("tok%2Ben"), text)
        XCTAssertFalse(text.contains("Y3VzdG9tZXItc2VjcmV0"), text)
      }
    }
    let pending = try S3Fixture.signer().prepare(request, as: S3Fixture.temporary.identity, in: .at(S3Fixture.date))
    XCTAssertFalse("\(pending)".contains(S3Fixture.token))
    XCTAssertFalse("\(S3Fixture.signer()) \(S3Fixture.verifier)".contains(S3Fixture.token))
    var text = ""
    dump(try S3Fixture.verifier.claim(in: S3Fixture.signed(with: S3Fixture.temporary)), to: &text)
    XCTAssertFalse(text.contains(S3Fixture.token))
  }
}
