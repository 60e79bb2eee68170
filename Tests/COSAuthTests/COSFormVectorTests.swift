// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import Foundation
import SigningProperties
import StorageAuth
import XCTest

/// Known answers of COS forms: policies and signatures that were computed by other software.
final class COSFormVectorTests: XCTestCase {
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
    for vector in try Vector.load("cos", list: "cases", from: .module)
    where vector.mode == "post" && vector["signature"] != nil {
      let expected = try XCTUnwrap(sent[vector.id])
      let pairs = try XCTUnwrap((vector.object["expected"] as? [String: Any])?["formFields"] as? [[String]])
      let fields = pairs.map { FormField($0[0], $0[1]) } + expected.more
      let form = SubmittedForm(bucket: "examplebucket-1250000000", fields: fields, fileName: "cat.png")
      let proof = try COSVerifier().verify(
        form, against: try vector.key(), at: Timestamp(unixSeconds: expected.present))
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
