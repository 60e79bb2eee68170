// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import S3Auth
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Known answers for forms.
enum S3FormVectors {
  static func check(_ vector: S3Vector) throws {
    let policy = try XCTUnwrap(vector.policy)
    let text = Data(policy.utf8).base64EncodedString()
    XCTAssertEqual(text, vector.expected.policyBase64, vector.id)
    let scope = "\(vector.dateISO.prefix(8))/\(vector.region)/s3/aws4_request"
    var fields = (vector.fields ?? []).map { FormField($0[0], $0[1]) }
    if fields.isEmpty {
      fields = [
        FormField("key", vector.id == "doc-post-policy" ? "user/user1/${filename}" : "写真/a"),
        FormField("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
        FormField("X-Amz-Credential", "\(vector.credential.id)/\(scope)"), FormField("X-Amz-Date", vector.dateISO),
        FormField("Policy", text), FormField("X-Amz-Signature", vector.expected.signature),
      ]
    }
    if vector.id == "doc-post-policy" {
      fields += [
        FormField("acl", "public-read"), FormField("Content-Type", "image/jpeg"),
        FormField(
          "success_action_redirect", "http://sigv4examplebucket.s3.amazonaws.com/successful_upload.html"),
        FormField("x-amz-meta-uuid", "14365123651274"), FormField("x-amz-server-side-encryption", "AES256"),
        FormField("x-amz-meta-tag", ""),
      ]
    }
    let form = SubmittedForm(
      bucket: try XCTUnwrap(vector.bucket), fields: fields, fileName: "photo.jpg", fileType: "image/jpeg")
    let verifier = S3Verifier(region: vector.region)
    let proof = try verifier.verify(form, against: vector.key, at: vector.timestamp)
    XCTAssertEqual(proof.accessKeyID, vector.key.id, vector.id)
    var wrong = fields
    let last = try XCTUnwrap(wrong.firstIndex { $0.name.lowercased() == "x-amz-signature" })
    wrong[last] = FormField("x-amz-signature", String(vector.expected.signature.reversed()))
    XCTAssertThrowsError(
      try verifier.verify(
        SubmittedForm(bucket: form.bucket, fields: wrong), against: vector.key, at: vector.timestamp), vector.id)
  }
}

/// Signing and verification of S3 form uploads.
final class S3FormTests: XCTestCase {
  private let date = S3Fixture.date

  private func policy(conditions: [FormCondition] = [], type: FormCondition.Rule? = .startsWith("image/")) -> FormPolicy
  {
    FormPolicy(
      bucket: "photos", objects: .prefix("alice/"), sizes: 1...1024, contentType: type, response: .created,
      conditions: conditions, until: date.advanced(by: .seconds(600)))
  }

  private func signed(_ policy: FormPolicy? = nil, with key: AccessKey = S3Fixture.key) throws -> SignedForm {
    try S3Fixture.signer().sign(
      policy ?? self.policy(), to: .s3(region: S3Fixture.region), with: key, in: .at(date))
  }

  private func submitted(
    _ form: SignedForm, bucket: String = "photos",
    adding fields: [FormField] = [FormField("Content-Type", "image/png")],
    name: String = "a.png"
  ) -> SubmittedForm {
    SubmittedForm(bucket: bucket, fields: form.fields + fields, fileName: name, fileType: "image/png")
  }

  private func code(
    _ form: SubmittedForm, against key: AccessKey = S3Fixture.key, at date: Timestamp? = nil,
    by verifier: S3Verifier = S3Fixture.verifier
  ) -> String? {
    do throws(VerificationError) {
      _ = try verifier.verify(form, against: key, at: date ?? self.date)
      return nil
    } catch {
      return "\(error.code) \(error.serviceCode ?? "-")"
    }
  }

  // matrix: S3 V4: form, verify, expiry, bad input, redaction
  func testFormsConform() throws {
    try FormConformance(
      S3Fixture.signer(), verifier: S3Fixture.verifier, endpoint: .s3(region: S3Fixture.region), bucket: "photos",
      metadata: "x-amz-meta-author"
    ).report().throwIfFailed()
  }

  // matrix: S3 V4: form, verify
  func testSignedFormVerifies() throws {
    for key in [S3Fixture.key, S3Fixture.temporary, AccessKey(id: "minio/with-slash", secret: "x")] {
      let form = try signed(with: key)
      XCTAssertEqual(form.url, "https://photos.s3.eu-central-1.amazonaws.com/")
      let proof = try S3Fixture.verifier.verify(submitted(form), against: key, at: date)
      XCTAssertEqual(proof.key, "alice/a.png")
      XCTAssertEqual(proof.sizes, 1...1024)
      XCTAssertEqual(proof.contentType, "image/png")
      XCTAssertEqual(proof.unlistedFields, [])
      for field in form.fields {
        let rest = form.fields.filter { $0 != field } + [FormField("Content-Type", "image/png")]
        XCTAssertNotNil(code(SubmittedForm(bucket: "photos", fields: rest, fileName: "a"), against: key), field.name)
      }
    }
  }

  // matrix: S3 V4: form, verify, bad input
  func testChangedAddedAndRepeatedFieldsAreRejected() throws {
    let form = try signed()
    XCTAssertNil(code(submitted(form)))
    XCTAssertEqual(code(submitted(form, bucket: "other")), "conditionFailed -")
    let type = FormField("Content-Type", "image/png")
    XCTAssertEqual(
      code(submitted(form, adding: [type, FormField("acl", "public-read")])), "conditionFailed AccessDenied")
    XCTAssertEqual(
      code(submitted(form, adding: [type, FormField("bucket", "other")])), "conditionFailed AccessDenied")
    XCTAssertNil(code(submitted(form, adding: [type, FormField("bucket", "photos")])))
    XCTAssertNil(code(submitted(form, adding: [type, FormField("x-ignore-a", "b")])))
    XCTAssertEqual(code(submitted(form, adding: [type, FormField("KEY", "alice/b")])), "ambiguous -")
    XCTAssertEqual(code(submitted(form, adding: [type, FormField("Policy", "e30=")])), "ambiguous -")
    XCTAssertEqual(
      code(submitted(form, adding: [FormField("Content-Type", "image/png, text/html")])), "conditionFailed -")
    XCTAssertNil(code(submitted(form, adding: [FormField("Content-Type", "image/png, image/jpeg")])))
    XCTAssertEqual(
      code(submitted(form, adding: [type, FormField("x-amz-security-token", "t")])), "invalidToken InvalidToken")
    XCTAssertEqual(
      code(submitted(form, adding: [type, FormField("AWSAccessKeyId", "a")])), "unsupported InvalidRequest")
    XCTAssertEqual(
      code(submitted(form, adding: [type, FormField("x-ignore-a", String(repeating: "a", count: 20_480))])),
      "limitExceeded MaxPostPreDataLengthExceeded")
    XCTAssertEqual(code(SubmittedForm(bucket: "photos", fields: [FormField("key", "a")])), "unsigned AccessDenied")
  }

  // matrix: S3 V4: form, expiry, skew
  func testFormIsBoundToItsTimeAndScope() throws {
    let form = submitted(try signed())
    XCTAssertNil(code(form, at: date.advanced(by: .seconds(599))))
    XCTAssertEqual(code(form, at: date.advanced(by: .seconds(600))), "policyExpired -")
    XCTAssertEqual(code(form, at: date.advanced(by: .seconds(-901))), "clockSkew RequestTimeTooSkewed")
    XCTAssertEqual(code(form, by: S3Verifier(region: "us-east-1")), "wrongScope InvalidArgument")
    XCTAssertEqual(code(form, by: S3Verifier(service: "s3-outposts")), "wrongScope InvalidArgument")
    for (name, value) in [
      ("x-amz-date", "20261120T080001Z"), ("x-amz-date", "20261121T080000Z"), ("x-amz-date", "20261199T080000Z"),
      ("x-amz-date", ""), ("x-amz-algorithm", "AWS4-HMAC-SHA256x"),
      ("x-amz-credential", "AKIAexample/20261119/eu-central-1/s3/aws4_request"),
      ("x-amz-credential", "AKIAexample/20261120/eu-central-1/s3/aws4_reques"), ("x-amz-credential", "AKIAexample"),
    ] {
      let fields = form.fields.map { $0.name == name ? FormField(name, value) : $0 }
      XCTAssertNotNil(code(SubmittedForm(bucket: "photos", fields: fields, fileName: "a")), "\(name) \(value)")
    }
  }

  // matrix: S3 V4: form, bad input
  func testPoliciesThatS3CannotExpressAreRejected() throws {
    XCTAssertThrowsError(try signed(policy(type: .oneOf(["a/b"]))))
    XCTAssertThrowsError(try signed(policy(conditions: [FormCondition("x-amz-meta-a", .noneOf(["b"]))])))
    XCTAssertThrowsError(try signed(policy(conditions: [FormCondition("x-amz-credential", .equals("b"))])))
    XCTAssertThrowsError(try signed(with: .anonymous))
    var long = policy()
    long.expiration = date.advanced(by: .seconds(604_801))
    XCTAssertThrowsError(try signed(long))
    let ending = AccessKey(
      id: "ASIA", secret: "x", sessionToken: "t", expiration: date.advanced(by: .seconds(599)))
    XCTAssertThrowsError(try signed(with: ending))
  }

  // matrix: S3 V4: form, bad input
  func testSignerOfOneBucketSignsFormsForNoOther() throws {
    let endpoint = try ServiceEndpoint.s3(region: S3Fixture.region)
    for style in [nil, AddressingStyle.path, .customDomain] {
      func sign(by bucket: String) throws -> SignedForm {
        try S3Signer(region: S3Fixture.region, bucket: bucket, style: style).sign(
          policy(), to: endpoint, with: S3Fixture.key, in: .at(date))
      }
      XCTAssertNil(code(submitted(try sign(by: "photos"))))
      for other in ["photo", "photos2", "Photos", ""] {
        XCTAssertThrowsError(try sign(by: other)) {
          XCTAssertEqual(($0 as? SigningError)?.code, .invalidRequest, other)
        }
      }
    }
  }

  /// Conditions that are smuggled in through a value.
  func testQuotesInAValueDoNotInjectConditions() throws {
    let evil = #"a","x":"b\"#
    for conditions in [
      [FormCondition("x-amz-meta-a", .equals(evil))], [FormCondition("x-amz-meta-a", .startsWith(evil))],
    ] {
      let form = try signed(policy(conditions: conditions))
      let text = try XCTUnwrap(form.fields.first { $0.name == "policy" }?.value)
      let json = try JSONSerialization.jsonObject(with: XCTUnwrap(Data(base64Encoded: text))) as? [String: Any]
      XCTAssertEqual(json?.count, 2)
      let extra = conditions[0].rule == .equals(evil) ? [] : [FormField("x-amz-meta-a", evil)]
      XCTAssertNil(code(submitted(form, adding: [FormField("Content-Type", "image/png")] + extra)))
    }
  }

  // matrix: S3 V4: form, redaction
  func testMismatchErrorMasksTheToken() throws {
    let form = try signed(with: S3Fixture.temporary)
    let fields = form.fields.map {
      $0.name == "x-amz-signature" ? FormField($0.name, String(repeating: "0", count: 64)) : $0
    }
    XCTAssertThrowsError(
      try S3Fixture.verifier.verify(
        SubmittedForm(bucket: "photos", fields: fields, fileName: "a"), against: S3Fixture.temporary, at: date)
    ) { XCTAssertFalse("\($0)".contains(S3Fixture.token)) }
  }

  // matrix: S3 V4: form, bad input
  func testFormKeysAreLimitedTo1024Bytes() throws {
    let longest = String(repeating: "é", count: 512)
    func sign(_ objects: ObjectScope, _ endpoint: ServiceEndpoint) throws -> SignedForm {
      try S3Signer(region: "eu-central-1").sign(
        FormPolicy(bucket: "photos", objects: objects, until: date.advanced(by: .seconds(60))), to: endpoint,
        with: S3Fixture.temporary, in: .at(date))
    }
    let endpoint = try ServiceEndpoint.s3(region: "eu-central-1")
    for objects in [ObjectScope.key(longest), .prefix(longest)] {
      XCTAssertNoThrow(try sign(objects, endpoint))
      XCTAssertThrowsError(try sign(objects, ServiceEndpoint("https://s3.example.com")))
    }
    XCTAssertThrowsError(try sign(.key(longest + "a"), endpoint))
  }
}
