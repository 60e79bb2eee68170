// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// Known answers of OSS forms: policies and signatures that were computed by other software.
final class OSSFormVectorTests: XCTestCase {
  private let endpoint = "http://127.0.0.1:9000"

  /// Returns the policy of the documentation, as this package expresses it.
  private func policy(_ version: OSSSignatureVersion) -> FormPolicy {
    var policy = FormPolicy(
      bucket: "examplebucket", objects: .prefix("user/eric/"), sizes: 1...10_485_760, response: .created,
      until: Timestamp(unixSeconds: 1_702_747_257))
    if version == .v1 {
      policy.contentType = .oneOf(["image/jpg", "image/png"])
      policy.conditions = [FormCondition("cache-control", .noneOf(["no-cache"]))]
    }
    return policy
  }

  // matrix: OSS V1: form
  // matrix: OSS V4: form
  func testOSSFormsMatchTheKnownAnswers() throws {
    let vectors = try Vector.load("oss", from: .module).filter { $0.mode == "post" }
    XCTAssertEqual(vectors.map(\.id).sorted(), ["post-v1", "post-v4"])
    for vector in vectors {
      let version: OSSSignatureVersion = vector.id == "post-v1" ? .v1 : .v4
      let form = try OSSSigner(version, region: "cn-hangzhou").sign(
        policy(version), to: ServiceEndpoint(endpoint), with: try vector.key(),
        in: .at(Timestamp(unixSeconds: 1_702_743_657)))
      let fields = Dictionary(uniqueKeysWithValues: form.fields.map { ($0.name, $0.value) })
      XCTAssertEqual(fields["policy"], try XCTUnwrap(vector["policyBase64"]), vector.id)
      XCTAssertEqual(
        fields[version == .v1 ? "Signature" : "x-oss-signature"], try XCTUnwrap(vector["signature"]), vector.id)
    }
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testOSSFormsOfOtherSignersVerify() throws {
    for vector in try Vector.load("oss", from: .module) where vector.mode == "post" {
      let key = try vector.key()
      var fields = [
        FormField("key", "user/eric/cat.png"), FormField("success_action_status", "201"),
        FormField("policy", try XCTUnwrap(vector["policyBase64"])),
      ]
      let signature = try XCTUnwrap(vector["signature"])
      if vector.id == "post-v1" {
        fields += [
          FormField("OSSAccessKeyId", key.id.string), FormField("Signature", signature),
          FormField("cache-control", "private"),
        ]
      } else {
        fields += [
          FormField("x-oss-signature-version", "OSS4-HMAC-SHA256"), FormField("x-oss-date", "20231216T162057Z"),
          FormField("x-oss-credential", "\(key.id)/20231216/cn-hangzhou/oss/aliyun_v4_request"),
          FormField("x-oss-signature", signature),
        ]
      }
      let form = SubmittedForm(bucket: "examplebucket", fields: fields, fileName: "cat.png", fileType: "image/png")
      let proof = try OSSVerifier(region: "cn-hangzhou").verify(
        form, against: key, at: Timestamp(unixSeconds: 1_702_743_700))
      XCTAssertEqual(proof.key, "user/eric/cat.png")
      XCTAssertEqual(proof.sizes, 1...10_485_760)
      XCTAssertEqual(proof.contentType, "image/png")
    }
  }
}
