// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import COSAuth
import Foundation
import OSSAuth
import StorageAuth
import XCTest

/// Known answers of forms: policies and signatures that were computed by other software.
final class FormVectorTests: XCTestCase {
  private let endpoint = "http://127.0.0.1:9000"

  private func key(_ vector: Vector) throws -> AccessKey {
    let credential = try XCTUnwrap(vector.object["credential"] as? [String: Any])
    return AccessKey(
      id: try XCTUnwrap(credential["id"] as? String), secret: try XCTUnwrap(credential["secret"] as? String),
      sessionToken: credential["token"] as? String)
  }

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
    let vectors = try Vector.load("oss").filter { $0.mode == "post" }
    XCTAssertEqual(vectors.map(\.id).sorted(), ["post-v1", "post-v4"])
    for vector in vectors {
      let version: OSSSignatureVersion = vector.id == "post-v1" ? .v1 : .v4
      let form = try OSSSigner(version, region: "cn-hangzhou").sign(
        policy(version), to: ServiceEndpoint(endpoint), with: try key(vector),
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
    for vector in try Vector.load("oss") where vector.mode == "post" {
      let key = try key(vector)
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

  // matrix: COS V5: form, verify
  func testCOSFormsOfOtherSignersVerify() throws {
    let sent: [String: (present: Int64, more: [FormField], key: String, sizes: ClosedRange<Int64>)] = [
      "f01-doc-post": (
        1_567_150_700,
        [
          FormField("acl", "default"), FormField("Content-Type", "image/jpeg"),
          FormField("success_action_redirect", "https://my.website/done"),
          FormField("x-cos-server-side-encryption", "AES256"),
        ], "folder/subfolder/x.jpg", 0...5_368_709_120
      ),
      "f03-post-token": (1_700_000_100, [], "\u{76ee}\u{5f55}/\u{6587}\u{4ef6}.txt", 0...5_368_709_120),
      "f04-post-range": (1_700_000_100, [], "user/eric/cat.png", 1...1_048_576),
    ]
    var count = 0
    for vector in try Vector.load("cos", list: "cases") where vector.mode == "post" && vector["signature"] != nil {
      let expected = try XCTUnwrap(sent[vector.id])
      let pairs = try XCTUnwrap((vector.object["expected"] as? [String: Any])?["formFields"] as? [[String]])
      let fields = pairs.map { FormField($0[0], $0[1]) } + expected.more
      let form = SubmittedForm(bucket: "examplebucket-1250000000", fields: fields, fileName: "cat.png")
      let proof = try COSVerifier().verify(
        form, against: try key(vector), at: Timestamp(unixSeconds: expected.present))
      XCTAssertEqual(proof.key, expected.key, vector.id)
      XCTAssertEqual(proof.sizes, expected.sizes, vector.id)
      count += 1
    }
    XCTAssertEqual(count, 3)
  }

  // matrix: COS V5: form
  func testCOSFormMatchesTheKnownAnswer() throws {
    // The policy and the signature were computed with Python's hmac and hashlib.
    let key = AccessKey(id: "AKIDQjz3ltompVjBni5LitkWHFlFpwkn9U5q", secret: "BQYIM75p8x0iWVFSIgqEKwFprpRSVHlz")
    let form = try COSSigner().sign(
      FormPolicy(
        bucket: "examplebucket-1250000000", objects: .prefix("user/eric/"), sizes: 1...1_048_576, response: .ok,
        until: Timestamp(unixSeconds: 1_700_003_600)),
      to: .cos(region: "ap-beijing"), with: key, in: .at(Timestamp(unixSeconds: 1_700_000_000)))
    let fields = Dictionary(uniqueKeysWithValues: form.fields.map { ($0.name, $0.value) })
    XCTAssertEqual(form.url, "https://examplebucket-1250000000.cos.ap-beijing.myqcloud.com/")
    XCTAssertEqual(fields["q-key-time"], "1700000000;1700003600")
    XCTAssertEqual(
      Data(base64Encoded: try XCTUnwrap(fields["policy"])).map { String(decoding: $0, as: UTF8.self) },
      #"{"expiration":"2023-11-14T23:13:20.000Z","conditions":[{"bucket":"examplebucket-1250000000"},"#
        + #"{"q-sign-algorithm":"sha1"},{"q-ak":"AKIDQjz3ltompVjBni5LitkWHFlFpwkn9U5q"},"#
        + #"{"q-sign-time":"1700000000;1700003600"},["content-length-range",1,1048576],"#
        + #"["eq","$success_action_status","200"],["starts-with","$key","user/eric/"]]}"#)
    XCTAssertEqual(fields["q-signature"], "9ebe094c4415e34dee1843e636cdd6e77683c146")
  }
}
