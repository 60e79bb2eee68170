// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import SigningProperties
import StorageAuth
import XCTest

/// Known attacks on signature verifiers, against the COS verifier in both of its modes.
final class COSAttackTests: XCTestCase {
  private func assertRefused(
    _ request: HTTPRequest, _ code: VerificationError.Code, _ mode: COSVerifier.Mode,
    against key: AccessKey = COSFixture.key, at date: Timestamp = COSFixture.date, _ note: String = "",
    line: UInt = #line
  ) throws {
    let error = try COSFixture.refusal(request, mode, against: key, at: date)
    XCTAssertEqual(error?.code, code, "\(mode) \(note) \(error?.message ?? "accepted")", line: line)
  }

  private func inBothModes(_ body: (COSVerifier.Mode) throws -> Void) rethrows {
    for mode in COSFixture.modes { try body(mode) }
  }

  private func allForms(_ request: HTTPRequest = COSFixture.request()) throws -> [HTTPRequest] {
    [
      try COSFixture.signed(request), try COSFixture.presigned(request), try COSFixture.presigned(request, form: .sign),
    ]
  }

  // matrix: COS V5: verify
  func testControlHeaderAddedAfterSigningIsRejectedInBothModes() throws {
    try inBothModes { mode in
      for request in try allForms(COSFixture.request(.put)) {
        try assertRefused(request.adding("x-cos-copy-source", "other-1.cos.x.myqcloud.com/a"), .unsignedField, mode)
        try assertRefused(request.adding("x-cos-acl", "public-read-write"), .unsignedField, mode)
        try assertRefused(request.adding("X-Cos-Meta-A", "1"), .unsignedField, mode)
        try assertRefused(request.adding("x-cos-grant-read", "id=\"1\""), .unsignedField, mode)
        try assertRefused(request.adding("x-ci-process", "x"), .unsignedField, mode)
        try assertRefused(request.adding("Pic-Operations", "{}"), .unsignedField, mode)
        try assertRefused(request.appending("x-cos-acl=public-read"), .unsignedField, mode)
        try assertRefused(request.appending("x%2Dcos-acl=public-read"), .unsignedField, mode)
        try assertRefused(request.appending("X-Ci-Process=x"), .unsignedField, mode)
      }
      let signed = try COSFixture.signed(COSFixture.request(.put).adding("x-cos-acl", "private"))
      XCTAssertNil(try COSFixture.refusal(signed, mode))
      var changed = signed
      changed.headerFields[.named("x-cos-acl")] = "public-read"
      try assertRefused(changed, .mismatch, mode)
      try assertRefused(signed.adding("x-cos-acl", "public-read"), .ambiguous, mode)
      try assertRefused(
        signed.replacingInAuthorization("host;x-cos-acl", with: "host;x-cos-acl;x-cos-acl"), .ambiguous, mode)
    }
  }

  // matrix: COS V5: verify
  func testParameterAddedAfterSigningIsRejectedOnlyInStrictMode() throws {
    for request in try allForms() {
      try assertRefused(request.appending("acl"), .unsignedField, .strict)
      try assertRefused(request.appending("response-content-type=text%2Fhtml"), .unsignedField, .strict)
      XCTAssertNil(try COSFixture.refusal(request.appending("prefix=a"), .compatible))
    }
  }

  // matrix: COS V5: verify
  func testStrictModeRequiresSignedContentLengthAndHost() throws {
    let put = COSFixture.request(.put)
    for request in try allForms(put) {
      let sent = request.adding("content-length", "3")
      try assertRefused(sent, .unsignedField, .strict)
      XCTAssertNil(try COSFixture.refusal(sent, .compatible))
    }
    for request in [
      try COSFixture.signed(policy: .standardWithoutHost), try COSFixture.presigned(policy: .standardWithoutHost),
    ] {
      try assertRefused(request, .unsignedField, .strict)
      XCTAssertNil(try COSFixture.refusal(request, .compatible))
    }
  }

  // matrix: COS V5: verify
  func testSignatureIsBoundToItsHostInBothModes() throws {
    try inBothModes { mode in
      for request in try allForms() {
        for host in [
          "other-1250000000.cos.ap-guangzhou.myqcloud.com", "photos-1250000000.cos.ap-beijing.myqcloud.com",
          COSFixture.host + ":8080", "cos.ap-guangzhou.myqcloud.com",
        ] {
          var other = request
          other.authority = host
          let isOwnPort = host.hasSuffix(":8080") && mode == .compatible
          let code: VerificationError.Code? = isOwnPort ? nil : host.hasPrefix("cos.") ? .malformed : .mismatch
          XCTAssertEqual(try COSFixture.refusal(other, mode)?.code, code, "\(mode) \(host)")
        }
      }
    }
  }

  // matrix: COS V5: verify
  func testCredentialsInHeaderAndURLAreAmbiguousInBothModes() throws {
    try inBothModes { mode in
      let forms = try allForms()
      let authorization = forms[0].headerFields[.authorization] ?? ""
      for request in forms {
        try assertRefused(request.adding("authorization", authorization), .ambiguous, mode)
        try assertRefused(request.appending("q-signature=aa"), .ambiguous, mode)
        try assertRefused(request.appending("q-ak=AKIDexample"), .ambiguous, mode)
        try assertRefused(request.appending("sign=aa"), .ambiguous, mode)
      }
      try assertRefused(
        forms[0].adding("x-cos-security-token", "a").appending("x-cos-security-token=b"), .ambiguous, mode)
      try assertRefused(
        forms[0].adding("x-cos-security-token", "a").adding("x-ci-security-token", "b"), .ambiguous, mode)
    }
  }

  // matrix: COS V5: verify
  func testUnknownAlgorithmsAndFieldsAreRejectedInBothModes() throws {
    try inBothModes { mode in
      let signed = try COSFixture.signed()
      for algorithm in ["sha1x", "sha", "SHA1", "sha256", "md5", "none", "sha1;md5", " sha1"] {
        try assertRefused(
          signed.replacingInAuthorization("algorithm=sha1", with: "algorithm=" + algorithm), .unsupported, mode,
          algorithm)
      }
      try assertRefused(signed.replacingInAuthorization("algorithm=sha1", with: "algorithm="), .unsupported, mode)
      for (text, other) in [
        ("q-sign-algorithm=sha1&", ""), ("&q-key-time", "&q-key-tim"), ("&q-ak=", "&q-ak=AKIDexample&q-ak="),
        ("&q-header-list", "&extra=1&q-header-list"), ("q-ak=AKIDexample", "q-ak="),
        ("q-sign-algorithm", "Q-Sign-Algorithm"),
      ] {
        try assertRefused(signed.replacingInAuthorization(text, with: other), .malformed, mode, text)
      }
      for scheme in ["OSS id:sig", "Bearer x", "AWS4-HMAC-SHA256 Credential=a", "sha1"] {
        var other = signed
        other.headerFields[.authorization] = scheme
        try assertRefused(other, .malformed, mode, scheme)
      }
      try assertRefused(
        try COSFixture.presigned().replacing("algorithm=sha1", with: "algorithm=sha1x"), .unsupported, mode)
      try assertRefused(try COSFixture.presigned().replacing("&q-header-list=host", with: ""), .malformed, mode)
    }
  }

  // matrix: COS V5: verify, expiry
  func testSignTimeIsCheckedAtStartAndEndInBothModes() throws {
    func at(_ seconds: Int64) -> Timestamp { Timestamp(unixSeconds: COSFixture.date.unixSeconds + seconds) }
    try inBothModes { mode in
      for request in [try COSFixture.presigned(), try COSFixture.presigned(form: .sign)] {
        XCTAssertNil(try COSFixture.refusal(request, mode, at: at(0)))
        XCTAssertNil(try COSFixture.refusal(request, mode, at: at(600).advanced(by: .milliseconds(900))))
        let ended = try COSFixture.refusal(request, mode, at: at(601))
        XCTAssertEqual(ended?.code, .expired)
        XCTAssertEqual(ended?.instant, at(600))
        XCTAssertEqual(ended?.accessKeyID, "AKIDexample")
        try assertRefused(request, .notYetValid, mode, at: at(-1))
      }
      let signed = try COSFixture.signed()
      let window = "1795161600;1795165200"
      XCTAssertTrue(signed.headerFields[.authorization]?.contains(window) == true)
      try assertRefused(signed, .expired, mode, at: at(3_601))
      for other in [
        "1795161600;2795165200", "1795161500;1795165200",
      ] {
        try assertRefused(signed.replacingInAuthorization(window, with: other), .mismatch, mode, other)
        try assertRefused(
          signed.replacingInAuthorization("q-sign-time=" + window, with: "q-sign-time=" + other), .malformed, mode,
          other)
        try assertRefused(
          signed.replacingInAuthorization("q-key-time=" + window, with: "q-key-time=" + other), .malformed, mode, other)
      }
      for other in [
        "", "1795161600", "1795165200;1795161600", "1795161600;1795165200;1", "a;b", "+1;2", " 1;2", "-1;9795165200",
        "1795161600;99999999999999999999", ";",
      ] {
        try assertRefused(signed.replacingInAuthorization(window, with: other), .malformed, mode, other)
      }
    }
  }

  // matrix: COS V5: verify
  func testListedHeadersAndParametersMustBePresentInBothModes() throws {
    try inBothModes { mode in
      let request = COSFixture.request(.put, "/a?prefix=b").adding("content-type", "text/plain")
      for signed in try allForms(request) {
        XCTAssertNil(try COSFixture.refusal(signed, mode))
        var without = signed
        without.headerFields[.contentType] = nil
        try assertRefused(without, .malformed, mode)
        try assertRefused(signed.adding("content-type", "text/plain"), .ambiguous, mode)
        try assertRefused(signed.replacing("prefix=b", with: "suffix=b"), .malformed, mode)
        try assertRefused(signed.replacing("prefix=b", with: "prefix=c"), .mismatch, mode)
        try assertRefused(signed.appending("prefix=b"), mode == .strict ? .ambiguous : .mismatch, mode)
        try assertRefused(signed.appending("Prefix=c"), mode == .strict ? .ambiguous : .mismatch, mode)
      }
      let signed = try COSFixture.signed(request)
      let shorter = signed.replacingInAuthorization("list=content-type;host", with: "list=host")
      try assertRefused(shorter, .mismatch, mode)
      try assertRefused(
        signed.replacingInAuthorization("param-list=prefix", with: "param-list="),
        mode == .strict ? .unsignedField : .mismatch,
        mode)
      try assertRefused(
        signed.replacingInAuthorization("param-list=prefix", with: "param-list=prefix%"), .malformed, mode)
    }
  }

  // matrix: COS V5: verify
  func testForgedSignatureForAKnownKeyIsRejectedInBothModes() throws {
    try inBothModes { mode in
      for signed in try allForms() {
        let text = signed.headerFields[.authorization] ?? signed.path ?? ""
        let signature = String(text.suffix(40))
        func with(_ other: String) -> HTTPRequest {
          signed.headerFields.contains(.authorization)
            ? signed.replacingInAuthorization(signature, with: other) : signed.replacing(signature, with: other)
        }
        XCTAssertNil(try COSFixture.refusal(with(signature), mode))
        for made in [
          String(repeating: "0", count: 40), "x", signature.uppercased(), signature + "0", String(signature.dropLast()),
        ] {
          try assertRefused(with(made), .mismatch, mode, made)
        }
        try assertRefused(with(""), .malformed, mode)
      }
    }
  }

  // matrix: COS V5: verify
  func testSignatureIsBoundToMethodObjectAndKeyInBothModes() throws {
    try inBothModes { mode in
      for signed in try allForms() {
        for method in [HTTPRequest.Method.put, .delete, .head, .post] {
          var other = signed
          other.method = method
          try assertRefused(other, .mismatch, mode)
        }
        try assertRefused(signed.replacing("/cat.jpg", with: "/dog.jpg"), .mismatch, mode)
        try assertRefused(signed.replacing("/cat.jpg", with: "/"), .mismatch, mode)
        try assertRefused(signed, .unknownKey, mode, against: AccessKey(id: "AKIDother", secret: "BQYIM75p8xexample"))
        try assertRefused(signed, .mismatch, mode, against: AccessKey(id: "AKIDexample", secret: "other"))
      }
    }
  }

  // matrix: COS V5: redaction
  func testErrorsAndDescriptionsMaskSecrets() throws {
    try inBothModes { mode in
      for name: StaticString in [
        "x-cos-server-side-encryption-customer-key", "x-cos-copy-source-server-side-encryption-customer-key",
      ] {
        let request = COSFixture.request(.put).adding(name, "Y3VzdG9tZXItc2VjcmV0").adding("x-cos-meta-a", "shown")
        for signed in try allForms(request) {
          let wrong = AccessKey(id: COSFixture.key.id, secret: "another")
          let error = try XCTUnwrap(COSFixture.refusal(signed, mode, against: wrong))
          let comparison = try XCTUnwrap(error.comparison)
          let canonicalRequest = try XCTUnwrap(comparison.canonicalRequest)
          XCTAssertTrue(canonicalRequest.contains("\(name)=\(Secret.mask)"), canonicalRequest)
          XCTAssertTrue(canonicalRequest.contains("shown"), canonicalRequest)
          for text in ["\(error)", "\(comparison)", canonicalRequest, comparison.stringToSign] {
            XCTAssertFalse(text.contains("Y3VzdG9tZXItc2VjcmV0"), text)
          }
        }
      }
    }
  }
}
