// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OBSProvider
import StorageAuth
import XCTest

/// Signing and verification of OBS form uploads, including those of the vendor's SDK.
final class OBSFormTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_795_161_600)
  private let key = AccessKey(id: "OBSEXAMPLEACCESSKEY1", secret: "a secret")
  private let temporary = AccessKey(id: "OBSEXAMPLETEMPKEY002", secret: "a secret", sessionToken: "a/token+")

  private func policy(_ change: (inout FormPolicy) -> Void = { _ in }) -> FormPolicy {
    var policy = FormPolicy(
      bucket: "photos", objects: .prefix("up/"), sizes: 1...100, contentType: .startsWith("image/"), response: .created,
      conditions: [FormCondition("x-obs-acl", .equals("private"))], until: date.advanced(by: .seconds(600)))
    change(&policy)
    return policy
  }

  private func sign(_ policy: FormPolicy, with key: AccessKey? = nil) throws -> SignedForm {
    try OBSSigner().sign(
      policy, to: ServiceEndpoint("https://obs.cn-north-4.myhuaweicloud.com"), with: key ?? self.key, in: .at(date))
  }

  private func submitted(_ form: SignedForm, _ more: [FormField] = [FormField("Content-Type", "image/png")])
    -> SubmittedForm
  {
    SubmittedForm(bucket: "photos", fields: form.fields + more, fileName: "cat.png")
  }

  private func verify(
    _ form: SubmittedForm, with key: AccessKey? = nil, after seconds: Int = 0
  ) throws -> VerifiedForm {
    try OBSVerifier().verify(form, against: key ?? self.key, at: date.advanced(by: .seconds(seconds)))
  }

  private func assertRefused(
    _ form: SubmittedForm, _ code: VerificationError.Code, with key: AccessKey? = nil, after seconds: Int = 0,
    line: UInt = #line
  ) {
    XCTAssertThrowsError(try verify(form, with: key, after: seconds), line: line) {
      XCTAssertEqual(($0 as? VerificationError)?.code, code, "\($0)", line: line)
    }
  }

  func testSignedFormVerifies() throws {
    for key in [key, temporary] {
      let form = try sign(policy(), with: key)
      XCTAssertEqual(form.url, "https://photos.obs.cn-north-4.myhuaweicloud.com/")
      XCTAssertEqual(form.fields.first?.value, "up/${filename}")
      XCTAssertEqual(form.openConditions, [FormCondition("Content-Type", .startsWith("image/"))])
      let proof = try verify(submitted(form), with: key)
      XCTAssertEqual(proof.accessKeyID, key.id)
      XCTAssertEqual(proof.key, "up/cat.png")
      XCTAssertEqual(proof.sizes, 1...100)
      XCTAssertEqual(proof.contentType, "image/png")
      XCTAssertEqual(proof.unlistedFields, [])
      XCTAssertFalse("\(form)".contains("a/token+"))
    }
  }

  func testTokenFieldReplacesIdSignatureAndPolicy() throws {
    let form = try sign(policy())
    func value(_ name: String) -> String { form.fields.first { $0.name == name }?.value ?? "" }
    let token = "\(key.id.string):\(value("signature")):\(value("policy"))"
    let rest = form.fields.filter { !["AccessKeyId", "signature", "policy"].contains($0.name) }
    let short = rest + [FormField("token", token), FormField("Content-Type", "image/png")]
    XCTAssertEqual(try verify(SubmittedForm(bucket: "photos", fields: short, fileName: "a")).key, "up/a")
    assertRefused(SubmittedForm(bucket: "photos", fields: short + [FormField("policy", "x")]), .ambiguous)
    for wrong in ["\(token):", String(token.dropFirst(key.id.string.count + 1)), ""] {
      assertRefused(SubmittedForm(bucket: "photos", fields: rest + [FormField("token", wrong)]), .malformed)
    }
  }

  func testChangedFormsAreRejected() throws {
    let form = try sign(policy())
    func changed(_ name: String, _ value: String?) -> SubmittedForm {
      let fields = submitted(form).fields.filter { $0.name != name } + (value.map { [FormField(name, $0)] } ?? [])
      return SubmittedForm(bucket: "photos", fields: fields, fileName: "a")
    }
    assertRefused(changed("signature", "AAAA"), .mismatch)
    assertRefused(changed("signature", nil), .malformed)
    assertRefused(changed("AccessKeyId", "another"), .unknownKey)
    assertRefused(changed("key", "down/a"), .conditionFailed)
    assertRefused(changed("x-obs-acl", "public-read"), .conditionFailed)
    assertRefused(changed("x-obs-acl", nil), .conditionFailed)
    assertRefused(changed("Content-Type", "text/html"), .conditionFailed)
    assertRefused(changed("x-obs-meta-a", "1"), .conditionFailed)
    XCTAssertNoThrow(try verify(changed("x-ignore-a", "1")))
    assertRefused(SubmittedForm(bucket: "other", fields: submitted(form).fields), .conditionFailed)
    assertRefused(
      SubmittedForm(bucket: "photos", fields: submitted(form).fields + [FormField("KEY", "up/b")]), .ambiguous)
    assertRefused(SubmittedForm(bucket: "photos", fields: [FormField("key", "up/a")]), .unsigned)
    XCTAssertNoThrow(try verify(submitted(form), after: 599))
    assertRefused(submitted(form), .policyExpired, after: 600)
    assertRefused(submitted(form), .mismatch, with: AccessKey(id: key.id, secret: "another"))
  }

  func testFormIsBoundToItsSessionToken() throws {
    let form = try sign(policy(), with: temporary)
    assertRefused(submitted(form), .invalidToken, with: AccessKey(id: temporary.id, secret: "a secret"))
    let without = SubmittedForm(
      bucket: "photos", fields: submitted(form).fields.filter { $0.name != "x-obs-security-token" })
    assertRefused(without, .missingToken, with: temporary)
    let unbound = try sign(policy(), with: AccessKey(id: temporary.id, secret: "a secret"))
    let added = submitted(
      unbound, [FormField("Content-Type", "image/png"), FormField("x-obs-security-token", "a/token+")])
    assertRefused(added, .invalidPolicy, with: temporary)
  }

  func testPoliciesThatOBSCannotExpressAreRejected() throws {
    XCTAssertThrowsError(try sign(policy { $0.contentType = .oneOf(["a/b", "c/d"]) }))
    XCTAssertThrowsError(try sign(policy { $0.conditions = [FormCondition("x-obs-acl", .noneOf(["private"]))] }))
    for name in ["AccessKeyId", "Signature", "policy", "token", "x-obs-security-token", "key"] {
      XCTAssertThrowsError(try sign(policy { $0.conditions = [FormCondition(name, .equals("x"))] }), name)
    }
    XCTAssertThrowsError(try sign(policy(), with: .anonymous))
    XCTAssertThrowsError(try sign(policy { $0.expiration = self.date }))
    let ending = AccessKey(
      id: "a", secret: "b", sessionToken: "c", expiration: date.advanced(by: .seconds(599)))
    XCTAssertThrowsError(try sign(policy(), with: ending))
  }
}
