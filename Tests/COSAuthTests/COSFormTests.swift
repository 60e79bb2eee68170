// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Signing and verification of COS form uploads.
final class COSFormTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_795_161_600)
  private let key = AccessKey(id: "id", secret: "secret")
  private let verifier = COSVerifier()

  private func policy(_ change: (inout FormPolicy) -> Void = { _ in }) -> FormPolicy {
    var policy = FormPolicy(bucket: "photos-125", objects: .key("a"), until: date.advanced(by: .seconds(600)))
    change(&policy)
    return policy
  }

  private func form(_ policy: FormPolicy? = nil, with other: AccessKey? = nil) throws -> SignedForm {
    try COSSigner().sign(
      policy ?? self.policy(), to: .cos(region: "ap-beijing"), with: other ?? key, in: .at(date))
  }

  /// Returns a form with an arbitrary policy document.
  private func form(
    policy text: String, window: String = "1795161600;1795162200", _ fields: [FormField] = []
  ) -> SubmittedForm {
    let signKey = HMACKey<SHA1>(Array("secret".utf8)).authenticationCode(for: window).hex
    let signature = HMACKey<SHA1>(Array(signKey.utf8)).authenticationCode(for: SHA1.hash(Array(text.utf8)).hex)
    return SubmittedForm(
      bucket: "photos-125",
      fields: [
        FormField("key", "a"), FormField("policy", String(writing: { $0.append(base64: Array(text.utf8)) })),
        FormField("q-sign-algorithm", "sha1"), FormField("q-ak", "id"), FormField("q-key-time", window),
        FormField("q-signature", signature.hex),
      ] + fields, fileName: "cat.png", fileType: "image/png")
  }

  private func text(_ conditions: String...) -> String {
    let own = [
      #"{"q-sign-algorithm":"sha1"}"#, #"{"q-ak":"id"}"#, #"{"q-sign-time":"1795161600;1795162200"}"#,
    ]
    return #"{"expiration":"2026-11-20T09:00:00Z","conditions":[\#((own + conditions).joined(separator: ","))]}"#
  }

  private func assertRefused(
    _ code: VerificationError.Code, _ form: SubmittedForm, with other: AccessKey? = nil, at moment: Timestamp? = nil,
    _ what: String = "", line: UInt = #line
  ) {
    XCTAssertThrowsError(try verifier.verify(form, against: other ?? key, at: moment ?? date), what, line: line) {
      XCTAssertEqual(($0 as? VerificationError)?.code, code, "\(what) \($0)", line: line)
    }
  }

  // matrix: COS V5: form, verify, expiry, bad input, redaction
  func testFormsConform() throws {
    try FormConformance(
      COSSigner(), verifier: verifier, endpoint: .cos(region: "ap-beijing"), bucket: "photos-125",
      metadata: "x-cos-meta-author"
    ).report().throwIfFailed()
  }

  // matrix: COS V5: form, expiry, skew
  func testFormIsBoundToItsSignTime() throws {
    let good = form(policy: text())
    XCTAssertNoThrow(try verifier.verify(good, against: key, at: date))
    XCTAssertNoThrow(try verifier.verify(good, against: key, at: date.advanced(by: .seconds(600))))
    assertRefused(.expired, good, at: date.advanced(by: .seconds(601)))
    assertRefused(.notYetValid, good, at: date.advanced(by: .seconds(-1)))
    assertRefused(.conditionFailed, form(policy: text(), window: "1795161600;1795169999"), "a different period")
    assertRefused(.malformed, form(policy: text(), window: "1795162200;1795161600"))
    let ended = text().replacing("2026-11-20T09:00:00Z", with: "2026-11-20T08:00:00Z")
    assertRefused(.policyExpired, form(policy: ended))
  }

  // matrix: COS V5: form, verify, bad input
  func testPolicyMustBindAlgorithmKeyAndSignTime() {
    for missing in ["q-sign-algorithm", "q-ak", "q-sign-time"] {
      assertRefused(.invalidPolicy, form(policy: text().replacing(missing, with: "bucket")), missing)
    }
    let loose = text().replacing(#"{"q-ak":"id"}"#, with: #"["starts-with","$q-ak",""]"#)
    assertRefused(.invalidPolicy, form(policy: loose))
    assertRefused(.conditionFailed, form(policy: text().replacing(#""id""#, with: #""other""#)))
  }

  func testOnlyTheContentTypeFieldIsEvaluated() throws {
    let bound = text(#"["starts-with","$Content-Type","image/"]"#)
    assertRefused(.conditionFailed, form(policy: bound), "the content type of the file is ignored")
    let proof = try verifier.verify(
      form(policy: bound, [FormField("content-type", "image/gif")]), against: key, at: date)
    XCTAssertEqual(proof.contentType, "image/gif")
    assertRefused(.conditionFailed, form(policy: bound, [FormField("Content-Type", "text/html")]))
  }

  func testUnsupportedConditionOperatorsAreRejected() throws {
    for condition in [#"["in","$acl",["private"]]"#, #"["not-in","$acl",["public-read"]]"#] {
      assertRefused(.invalidPolicy, form(policy: text(condition), [FormField("acl", "private")]), condition)
    }
    for rule in [FormCondition.Rule.oneOf(["a/b", "c/d"]), .noneOf(["a/b"]), .oneOf([])] {
      for policy in [policy { $0.contentType = rule }, policy { $0.conditions = [FormCondition("acl", rule)] }] {
        XCTAssertThrowsError(try form(policy)) { XCTAssertEqual(($0 as? SigningError)?.code, .invalidRequest) }
      }
    }
    let one = try form(policy { $0.contentType = .oneOf(["a/b"]) })
    XCTAssertTrue(one.fields.contains(FormField("Content-Type", "a/b")))
  }

  // matrix: COS V5: form, redaction
  func testTokenIsSentButMaskedInDescriptions() throws {
    let temporary = AccessKey(
      id: "id", secret: "secret", sessionToken: "M4RK+token", start: date.advanced(by: .seconds(-30)),
      expiration: date.advanced(by: .seconds(600)))
    let form = try form(with: temporary)
    XCTAssertTrue(form.fields.contains(FormField("x-cos-security-token", "M4RK+token")))
    XCTAssertTrue(form.fields.contains(FormField("q-key-time", "1795161570;1795162200")))
    var dumped = ""
    dump(form, to: &dumped)
    XCTAssertFalse("\(form)\(dumped)".contains("M4RK"))
    let sent = SubmittedForm(bucket: "photos-125", fields: form.fields)
    XCTAssertNoThrow(try verifier.verify(sent, against: temporary, at: date))
    assertRefused(.invalidToken, sent, with: AccessKey(id: "id", secret: "secret", sessionToken: "other"))
    assertRefused(.invalidToken, sent)
    assertRefused(.missingToken, self.form(policy: text()), with: temporary)
    XCTAssertThrowsError(try self.form(policy { $0.expiration = date.advanced(by: .seconds(601)) }, with: temporary)) {
      XCTAssertEqual(($0 as? SigningError)?.code, .credentialEndsFirst)
    }
    XCTAssertThrowsError(try self.form(policy { $0.expiration = date.advanced(by: .seconds(-1)) })) {
      XCTAssertEqual(($0 as? SigningError)?.code, .lifetimeOutOfRange, "The key does not expire.")
    }
  }

  // matrix: COS V5: form, bad input
  func testMissingAndDuplicateFieldsAreRejected() throws {
    let form = SubmittedForm(bucket: "photos-125", fields: try form().fields)
    for field in form.fields {
      let without = form.fields.filter { $0.name != field.name }
      XCTAssertThrowsError(
        try verifier.verify(SubmittedForm(bucket: "photos-125", fields: without), against: key, at: date), field.name)
      let twice = SubmittedForm(bucket: "photos-125", fields: form.fields + [field])
      assertRefused(.ambiguous, twice, field.name)
    }
    assertRefused(.conditionFailed, SubmittedForm(bucket: "other-125", fields: form.fields))
    for (bucket, isRefused) in [("photos-125", false), ("other-125", true)] {
      let sent = SubmittedForm(bucket: "photos-125", fields: form.fields + [FormField("bucket", bucket)])
      if isRefused {
        assertRefused(.conditionFailed, sent)
      } else {
        XCTAssertNoThrow(try verifier.verify(sent, against: key, at: date))
      }
    }
    assertRefused(.unsigned, SubmittedForm(bucket: "photos-125", fields: [FormField("key", "a")]))
    assertRefused(
      .mismatch, SubmittedForm(bucket: "photos-125", fields: form.fields), with: AccessKey(id: "id", secret: "wrong"))
    assertRefused(
      .limitExceeded,
      SubmittedForm(bucket: "photos-125", fields: form.fields + (0..<130).map { FormField("x\($0)", "") }))
    assertRefused(.unsupported, form.replacing("q-sign-algorithm", "sha256"))
    assertRefused(.invalidPolicy, form.replacing("policy", "not Base64"))
  }
}

extension SubmittedForm {
  fileprivate func replacing(_ name: String, _ value: String) -> SubmittedForm {
    SubmittedForm(bucket: bucket, fields: fields.map { $0.name == name ? FormField(name, value) : $0 })
  }
}
