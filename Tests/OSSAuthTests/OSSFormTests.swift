// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import OSSAuth
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Signing and verification of OSS form uploads.
final class OSSFormTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_795_161_600)
  private let key = AccessKey(id: "id", secret: "secret")
  private let temporary = AccessKey(
    id: "STS.id", secret: "secret", sessionToken: "M4RK/token+=",
    expiration: Timestamp(unixSeconds: 1_795_161_600 + 700_000))
  private let verifier = OSSVerifier(region: "cn-hangzhou")

  private func policy(_ change: (inout FormPolicy) -> Void = { _ in }) -> FormPolicy {
    var policy = FormPolicy(bucket: "photos", objects: .key("a"), until: date.advanced(by: .seconds(600)))
    change(&policy)
    return policy
  }

  private func form(
    _ version: OSSSignatureVersion = .v4, _ policy: FormPolicy? = nil, with key: AccessKey? = nil
  ) throws -> SignedForm {
    try OSSSigner(version, region: "cn-hangzhou").sign(
      policy ?? self.policy(), to: .oss(region: "cn-hangzhou"), with: key ?? self.key, in: .at(date))
  }

  private func submitted(_ form: SignedForm, _ change: (inout [FormField]) -> Void = { _ in }) -> SubmittedForm {
    var fields = form.fields
    change(&fields)
    return SubmittedForm(bucket: "photos", fields: fields, fileName: "cat.png")
  }

  /// Returns a form with an arbitrary policy document, signed with V1.
  private func form(policy text: String, _ fields: [FormField] = []) -> SubmittedForm {
    let policy = String(writing: { $0.append(base64: Array(text.utf8)) })
    let signature = HMACKey<SHA1>(Array("secret".utf8)).authenticationCode(for: policy).base64
    let own = [FormField("OSSAccessKeyId", "id"), FormField("policy", policy), FormField("Signature", signature)]
    return SubmittedForm(bucket: "photos", fields: own + fields, fileName: "cat.png", fileType: nil)
  }

  private func assertRefused(
    _ code: VerificationError.Code, _ form: SubmittedForm, with other: AccessKey? = nil, at moment: Timestamp? = nil,
    _ what: String = "", line: UInt = #line
  ) {
    XCTAssertThrowsError(try verifier.verify(form, against: other ?? key, at: moment ?? date), what, line: line) {
      XCTAssertEqual(($0 as? VerificationError)?.code, code, "\(what) \($0)", line: line)
      XCTAssertFalse("\($0)".contains("M4RK"), line: line)
    }
  }

  // matrix: OSS V1: form, verify, expiry, bad input, redaction
  // matrix: OSS V4: form, verify, expiry, bad input, redaction
  func testFormsConform() throws {
    for version in OSSSignatureVersion.allCases {
      try FormConformance(
        OSSSigner(version, region: "cn-hangzhou"), verifier: verifier, endpoint: .oss(region: "cn-hangzhou"),
        bucket: "photos", metadata: "x-oss-meta-author"
      ).report().throwIfFailed()
    }
  }

  // matrix: OSS V1: form, redaction
  // matrix: OSS V4: form, redaction
  func testDescriptionsOfAFormMaskItsSecrets() throws {
    for version in [OSSSignatureVersion.v1, .v4] {
      let form = try form(version, with: temporary)
      XCTAssertEqual(form.url, "https://photos.oss-cn-hangzhou.aliyuncs.com/")
      var dumped = ""
      dump(form, to: &dumped)
      dump(form.fields, to: &dumped)
      for text in ["\(form)", String(reflecting: form), dumped, "\(submitted(form))"] {
        for field in form.fields where ["policy", "Signature", "x-oss-signature"].contains(field.name) {
          XCTAssertFalse(text.contains(field.value), text)
        }
        XCTAssertFalse(text.contains("M4RK"), text)
      }
      XCTAssertTrue(form.json.contains(#"["x-oss-security-token","M4RK/token+="]"#))
    }
  }

  // matrix: OSS V4: form, expiry, skew
  func testFormIsBoundToItsDateAndExpiration() throws {
    let week = try form(.v4, policy { $0.expiration = date.advanced(by: .seconds(604_800)) })
    XCTAssertNoThrow(try verifier.verify(submitted(week), against: key, at: date.advanced(by: .seconds(604_799))))
    assertRefused(.policyExpired, submitted(week), at: date.advanced(by: .seconds(604_800)))
    let weekLater = date.advanced(by: .seconds(604_801))
    assertRefused(.expired, submitted(week), at: weekLater)
    XCTAssertThrowsError(try verifier.verify(submitted(week), against: key, at: weekLater)) { error in
      XCTAssertTrue("\(error)".contains("The form expired at "), "\(error)")
    }
    XCTAssertNoThrow(try verifier.verify(submitted(week), against: key, at: date.advanced(by: .seconds(-900))))
    assertRefused(.clockSkew, submitted(week), at: date.advanced(by: .seconds(-901)))
    for policy in [
      policy { $0.expiration = date.advanced(by: .seconds(604_801)) }, policy { $0.expiration = date },
      policy { $0.expiration = date.advanced(by: .seconds(-1)) },
    ] {
      XCTAssertThrowsError(try form(.v4, policy)) {
        XCTAssertEqual(($0 as? SigningError)?.code, .lifetimeOutOfRange)
      }
    }
    let short = AccessKey(id: "id", secret: "s", sessionToken: "t", expiration: date.advanced(by: .seconds(599)))
    for version in [OSSSignatureVersion.v1, .v4] {
      XCTAssertThrowsError(try form(version, with: short)) {
        XCTAssertEqual(($0 as? SigningError)?.code, .credentialEndsFirst)
      }
    }
  }

  // matrix: OSS V4: form, verify, bad input
  func testFormIsBoundToItsScope() throws {
    let form = try form()
    func with(_ name: String, _ value: String) -> SubmittedForm {
      submitted(form) { fields in
        if let index = fields.firstIndex(where: { $0.name == name }) { fields[index] = FormField(name, value) }
      }
    }
    assertRefused(.wrongScope, with("x-oss-credential", "id/20261120/cn-beijing/oss/aliyun_v4_request"), "region")
    assertRefused(.wrongScope, with("x-oss-credential", "id/20261119/cn-hangzhou/oss/aliyun_v4_request"), "day")
    assertRefused(.wrongScope, with("x-oss-credential", "id/20261120/cn-hangzhou/sts/aliyun_v4_request"), "product")
    assertRefused(.malformed, with("x-oss-credential", "id/20261120/cn-hangzhou/oss/aws4_request"))
    assertRefused(.malformed, with("x-oss-date", "2026-11-20"))
    assertRefused(.unsupported, with("x-oss-signature-version", "OSS4-HMAC-SHA256x"))
    assertRefused(.conditionFailed, with("x-oss-date", "20261120T080001Z"), "the policy binds the date")
    assertRefused(.ambiguous, submitted(form) { $0.append(FormField("Signature", "x")) })
    assertRefused(.ambiguous, submitted(form) { $0.append(FormField("POLICY", "x")) })
    assertRefused(.unsigned, SubmittedForm(bucket: "photos", fields: [FormField("key", "a")]))
    assertRefused(
      .missingToken, submitted(try self.form(with: temporary)) { $0.removeAll { $0.name.hasSuffix("token") } },
      with: temporary)
  }

  func testV4PolicyWithoutARequiredConditionIsRejected() throws {
    let scope = "20261120/cn-hangzhou/oss/aliyun_v4_request"
    let bound = [
      #"{"x-oss-signature-version":"OSS4-HMAC-SHA256"}"#, #"{"x-oss-credential":"STS.id/\#(scope)"}"#,
      #"["eq","$x-oss-date","20261120T080000Z"]"#, #"{"x-oss-security-token":"M4RK/token+="}"#,
    ]
    var signing = HMACKey<SHA256>(Array("aliyun_v4secret".utf8))
    for part in scope.split(separator: "/") {
      signing = signing.authenticationCode(for: String(part)).withBytes { HMACKey($0) }
    }
    for missing in -1..<bound.count {
      let list = bound.indices.filter { $0 != missing }.map { bound[$0] }.joined(separator: ",")
      let text = #"{"expiration":"2026-11-20T09:00:00Z","conditions":[\#(list)]}"#
      let policy = String(writing: { $0.append(base64: Array(text.utf8)) })
      let form = SubmittedForm(
        bucket: "photos",
        fields: [
          FormField("key", "a"), FormField("policy", policy), FormField("x-oss-credential", "STS.id/\(scope)"),
          FormField("x-oss-signature-version", "OSS4-HMAC-SHA256"), FormField("x-oss-date", "20261120T080000Z"),
          FormField("x-oss-security-token", "M4RK/token+="),
          FormField("x-oss-signature", signing.authenticationCode(for: policy).hex),
        ])
      if missing < 0 {
        XCTAssertNoThrow(try verifier.verify(form, against: temporary, at: date))
      } else {
        assertRefused(.invalidPolicy, form, with: temporary, bound[missing])
      }
    }
  }

  // matrix: OSS V1: form, verify, bad input
  func testEveryConditionOperatorIsEvaluated() throws {
    let cases: [(condition: String, accepted: [String], refused: [String?])] = [
      (#"{"x-oss-meta-a":"v"}"#, ["v"], ["V", "v ", "", nil]),
      (#"["eq","$x-oss-meta-a","v"]"#, ["v"], ["vv", "", nil]),
      (#"["EQ","$X-OSS-META-A","v"]"#, ["v"], ["w", nil]),
      (#"["starts-with","$x-oss-meta-a","v/"]"#, ["v/", "v/x"], ["v", "V/", "", nil]),
      (#"["starts-with","$x-oss-meta-a",""]"#, ["", "x"], [nil]),
      (#"["in","$x-oss-meta-a",["a","b"]]"#, ["a", "b"], ["c", "", "ab", nil]),
      (#"["not-in","$x-oss-meta-a",["a","b"]]"#, ["c", "", "A"], ["a", "b", nil]),
      (#"["eq","$x-oss-meta-a","é"]"#, ["\u{e9}"], ["e\u{301}"]),
    ]
    for (condition, accepted, refused) in cases {
      let text = #"{"expiration":"2026-11-20T09:00:00.000Z","conditions":[\#(condition)]}"#
      func sent(_ value: String?) -> SubmittedForm {
        form(policy: text, [FormField("key", "a")] + (value.map { [FormField("x-oss-meta-a", $0)] } ?? []))
      }
      for value in accepted { XCTAssertNoThrow(try verifier.verify(sent(value), against: key, at: date), condition) }
      for value in refused { assertRefused(.conditionFailed, sent(value), "\(condition) \(value ?? "-")") }
    }
  }

  func testSizeRangesIntersect() throws {
    let text =
      #"{"expiration":"2026-11-20T09:00:00Z","conditions":[["content-length-range",0,100],["content-length-range","5",200]]}"#
    let proof = try verifier.verify(
      form(policy: text, [FormField("key", "a"), FormField("acl", "x")]), against: key, at: date)
    XCTAssertEqual(proof.sizes, 5...100)
    XCTAssertEqual(proof.unlistedFields, ["key", "acl"])
    XCTAssertEqual(proof.key, "a")
  }

  func testMalformedPolicyIsRejected() {
    let conditions = [
      "", "{}", #"{"a":"b","c":"d"}"#, #"{"a":1}"#, "[]", #"["eq","$a"]"#, #"["eq","a","b"]"#, #"["eq","$","b"]"#,
      #"["like","$a","b"]"#, #"["in","$a","b"]"#, #"["in","$a",[1]]"#, #"["eq","$a",["b"]]"#, #"["not-in","$a","b"]"#,
      #"["content-length-range",1]"#, #"["content-length-range",2,1]"#, #"["content-length-range",-1,1]"#,
      #"["content-length-range",1.5,2]"#, #"["content-length-range",0,1],["content-length-range",2,3]"#,
      #""eq""#, "null",
    ]
    let texts =
      conditions.map { #"{"expiration":"2026-11-20T09:00:00Z","conditions":[\#($0)]}"# } + [
        "", "x", "[]", "{}", #"{"expiration":"2026-11-20T09:00:00Z"}"#, #"{"conditions":[{"bucket":"photos"}]}"#,
        #"{"expiration":"soon","conditions":[{"bucket":"photos"}]}"#,
        #"{"expiration":"2026-11-20T09:00:00Z","conditions":[{"bucket":"photos"}],"conditions":[]}"#,
        #"{"expiration":"2026-11-20T09:00:00Z","conditions":[{"bucket":"photos"}]} x"#,
      ]
    for text in texts where !text.isEmpty {
      assertRefused(.invalidPolicy, form(policy: text, [FormField("key", "a"), FormField("a", "b")]), text)
    }
    assertRefused(.malformed, form(policy: ""), "no policy")
  }

  func testSizeLimitsPrecedeParsing() {
    let text = #"{"expiration":"2026-11-20T09:00:00Z","conditions":[{"bucket":"photos"}]}"#
    let many = (0..<130).map { FormField("x-\($0)", "") }
    assertRefused(.limitExceeded, form(policy: text, many))
    assertRefused(.limitExceeded, form(policy: text, [FormField("x", String(repeating: "a", count: 70_000))]))
  }

  func testInvalidPoliciesAreNotSigned() throws {
    let policies = [
      policy { $0.bucket = "B" }, policy { $0.objects = .key("") }, policy { $0.objects = .prefix("a/${filename}") },
      policy { $0.objects = .prefix("a/${filename}\u{301}/") },
      policy { $0.sizes = -1...5 }, policy { $0.conditions = [FormCondition("policy", .equals("x"))] },
      policy { $0.conditions = [FormCondition("x-oss-date", .equals("x"))] },
      policy { $0.conditions = [FormCondition("content-type", .equals("x"))] },
      policy { $0.conditions = [FormCondition("a\"b", .equals("x"))] },
      policy { $0.conditions = [FormCondition("x", .equals("a\r\nb"))] },
    ]
    for policy in policies {
      XCTAssertThrowsError(try form(.v4, policy)) { XCTAssertEqual(($0 as? SigningError)?.code, .invalidRequest) }
    }
    XCTAssertThrowsError(try form(with: .anonymous)) { XCTAssertEqual(($0 as? SigningError)?.code, .anonymous) }
    XCTAssertThrowsError(
      try OSSSigner(region: "oss-cn-hangzhou").sign(
        policy(), to: .oss(region: "cn-hangzhou"), with: key, in: .at(date))
    ) { XCTAssertEqual(($0 as? SigningError)?.code, .invalidConfiguration) }
  }

  func testUnknownKeyIsRejectedAfterItsLookup() async throws {
    let form = submitted(try form())
    let proof = try await verifier.verify(form, at: date) { [key] in $0 == "id" ? key : nil }
    XCTAssertEqual(proof.accessKeyID, "id")
    do {
      _ = try await verifier.verify(form, at: date) { _ in nil }
      XCTFail("an unknown key was accepted")
    } catch let error as VerificationError {
      XCTAssertEqual(error.code, .unknownKey)
    }
  }
}
