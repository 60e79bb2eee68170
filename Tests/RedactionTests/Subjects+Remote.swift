// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import XCTest

extension Subjects {
  /// Returns results of remote signing: signing requests, their intents, responses, rejections and rules.
  static func remote() throws -> [(name: String, value: Any)] {
    let policy = AccessPolicy([AccessRule(.write, objects: .all, in: "photos")])
    let rules = SigningRules(policy)
    let plain = OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou")
    var request = ossRequest
    request.path = "/a"
    let pending = try plain.prepare(request, as: key.identity, in: .at(date))
    let order = SigningRequest(pending)
    let signer = OSSStringToSignSigner(region: "cn-hangzhou")
    var refusal: (any Error)?
    let other = AccessKey(id: key.id, secret: secret, sessionToken: token + "x")
    XCTAssertThrowsError(try signer.sign(order, with: other, under: rules, at: date)) { refusal = $0 }
    return [
      ("StorageAuth.SigningRequest", order), ("StorageAuth.SigningRules", rules),
      ("StorageAuth.AuthorizedRequest", try signer.intent(of: order)),
      ("StorageAuth.SigningResponse", try signer.sign(order, with: key, under: rules, at: date)),
      ("StorageAuth.SigningResponse", SigningResponse(accessKeyID: "id", signature: secret)),
      ("StorageAuth.SigningRefusal", try XCTUnwrap(refusal)), ("OSSAuth.OSSStringToSignSigner", signer),
      ("COSAuth.COSStringToSignSigner", COSStringToSignSigner(endpoint: try .cos(region: "ap-guangzhou"))),
    ]
  }
}
