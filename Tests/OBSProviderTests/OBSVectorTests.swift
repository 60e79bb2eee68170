// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OBSProvider
import StorageAuth
import XCTest

/// Known answers of OBS signatures: Huawei's own signature tool, and output of its Python SDK.
final class OBSVectorTests: XCTestCase {
  /// Vectors that are not signed unchanged, with the reason.
  private static let refused: [String: String] = [
    "sub-case#a": "the SDKs ignore the case of names, the documentation does not: send the documented spelling",
    "sub-case#b": "as sub-case#a",
    "sub-obscompresspolicy": "the documentation and the SDKs disagree on the name",
    "sub-dispolicy": "only the Python SDK signs it", "sub-select": "only an older page lists it",
    "put-meta-utf8": "the documentation requires the client to encode non-ASCII characters",
  ]

  /// Vectors with an alternative answer to a question that only the service could settle, with the signed answer.
  private static let alternatives: [String: String] = [
    "sub-empty#b": "an empty value is signed as an absent one, as in #a: send flags without =",
    "path-style-bucket#a": "the bucket is signed with a trailing slash, as in #b",
  ]

  func testEveryVectorIsReproduced() throws {
    var counts: [String: Int] = [:]
    for vector in try Vector.load() {
      for isExplicit in [true, false] where vector.mode != "post" {
        let signer = OBSSigner(style: vector.style(isExplicit: isExplicit))
        if Self.refused[vector.id] != nil {
          XCTAssertThrowsError(
            try signer.signed(vector.request, with: vector.key, in: .at(vector.date)), vector.id)
        } else if Self.alternatives[vector.id] != nil {
          let signed = try signer.signed(vector.request, with: vector.key, in: .at(vector.date))
          XCTAssertNotEqual(signed.headerFields[.authorization], vector["authorization"], vector.id)
        } else if vector.mode == "header" {
          try assertHeader(vector, signer)
        } else {
          try assertURL(vector, signer)
        }
      }
      if vector.mode == "post" { try assertForm(vector) }
      let isSkipped = Self.refused[vector.id] != nil || Self.alternatives[vector.id] != nil
      counts[isSkipped ? "undecided" : vector.mode, default: 0] += 1
    }
    XCTAssertEqual(counts, ["header": 53, "presign": 10, "post": 3, "undecided": 8])
  }

  private func assertHeader(_ vector: Vector, _ signer: OBSSigner) throws {
    let signed = try signer.signed(vector.request, with: vector.key, in: .at(vector.date))
    XCTAssertEqual(signed.headerFields[.authorization], vector["authorization"], vector.id)
    let pending = try signer.prepare(vector.request, as: vector.key.identity, in: .at(vector.date))
    XCTAssertEqual(pending.stringToSign, vector["stringToSign"], vector.id)
    for signature in [vector["signature"], vector["authorization"]] {
      XCTAssertEqual(try signer.finish(pending, signature: XCTUnwrap(signature)), signed, vector.id)
    }
    if !vector.request.headerFields.contains(where: { $0.name.canonicalName == "x-obs-date" }) {
      XCTAssertEqual(signed.headerFields[.date], vector.text("dateHttp"), vector.id)
    }
    let verifier = OBSVerifier(style: signer.style).acceptingPayloadHashes
    let claim = try XCTUnwrap(verifier.claim(in: signed), vector.id)
    let verified = try verifier.verify(claim, against: vector.key, at: vector.date)
    XCTAssertEqual(verified.target.key?.string, vector.text("key"), vector.id)
  }

  private func assertURL(_ vector: Vector, _ signer: OBSSigner) throws {
    let signed = try signer.presign(
      vector.request, with: vector.key, validFor: vector.lifetime, in: .at(vector.date))
    let pending = try signer.prepare(
      presigning: vector.request, as: vector.key.identity, validFor: vector.lifetime, in: .at(vector.date))
    XCTAssertEqual(pending.stringToSign, vector["stringToSign"], vector.id)
    let finished = try signer.finish(pending, signature: XCTUnwrap(vector["signature"]))
    XCTAssertEqual(signed.url, "https://\(vector.text("host") ?? "")\(finished.path ?? "")", vector.id)
    let expected = try target(of: XCTUnwrap(vector["url"]))
    let target = try target(of: signed.url)
    XCTAssertEqual(target.key, expected.key, vector.id)
    XCTAssertEqual(Set(target.parameters), Set(expected.parameters), vector.id)
    XCTAssertEqual(target["Signature"]?.string, vector["signature"], vector.id)
    XCTAssertEqual(signed.headers, vector.request.headerFields, vector.id)

    var request = vector.request
    request.path = finished.path
    let verifier = OBSVerifier(style: signer.style)
    let claim = try XCTUnwrap(verifier.claim(in: request), vector.id)
    XCTAssertNoThrow(try verifier.verify(claim, against: vector.key, at: vector.date), vector.id)
  }

  private func target(of url: String) throws -> RequestTarget {
    let rest = try XCTUnwrap(url.split(separator: "://", maxSplits: 1).last)
    let slash = try XCTUnwrap(rest.firstIndex(of: "/"))
    return try RequestTarget(
      of: HTTPRequest(method: .get, scheme: "https", authority: String(rest[..<slash]), path: String(rest[slash...])),
      style: .customDomain)
  }

  private func assertForm(_ vector: Vector) throws {
    let policy = try XCTUnwrap(vector.text("policy"))
    let fields = try OBSSigner().fields(forPolicy: policy, with: vector.key)
    let values = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
    XCTAssertEqual(values["policy"], vector["policyBase64"], vector.id)
    XCTAssertEqual(values["signature"], vector["signature"], vector.id)
    XCTAssertEqual(values["x-obs-security-token"], vector.key.sessionToken?.reveal(), vector.id)
    XCTAssertEqual(
      "\(values["AccessKeyId"] ?? ""):\(values["signature"] ?? ""):\(values["policy"] ?? "")", vector["token"],
      vector.id)

    var conditions = [
      FormField("key", "up/load.txt"), FormField("x-obs-acl", "private"), FormField("content-type", "text/plain"),
      FormField("x-obs-meta-a", "ü 1"), FormField("success_action_status", "201"),
    ]
    conditions.removeAll { $0.name != "key" && !policy.contains($0.name) }
    for authorization in [fields, [FormField("token", try XCTUnwrap(vector["token"]))]] {
      let token = authorization.count > 1 ? [] : fields.filter { $0.name == "x-obs-security-token" }
      let form = SubmittedForm(bucket: "examplebucket", fields: conditions + authorization + token)
      let proof = try OBSVerifier().verify(form, against: vector.key, at: vector.date)
      XCTAssertEqual(proof.key, "up/load.txt", vector.id)
      XCTAssertThrowsError(
        try OBSVerifier().verify(form, against: vector.key, at: vector.date.advanced(by: vector.lifetime)), vector.id)
    }
  }

  /// Subresources that the documentation leaves open are signed if the application requests it.
  func testAdditionalSubresourcesAreSigned() throws {
    let vectors = try Vector.load().filter { ["sub-obscompresspolicy", "sub-dispolicy", "sub-select"].contains($0.id) }
    XCTAssertEqual(vectors.count, 3)
    let signer = OBSSigner(additionalSubresources: ["obscompresspolicy", "dispolicy", "select"])
    for vector in vectors { try assertHeaderAlone(vector, signer) }
  }

  private func assertHeaderAlone(_ vector: Vector, _ signer: OBSSigner) throws {
    let signed = try signer.signed(vector.request, with: vector.key, in: .at(vector.date))
    XCTAssertEqual(signed.headerFields[.authorization], vector["authorization"], vector.id)
  }
}
