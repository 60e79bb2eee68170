// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningJobs
import SigningProperties
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Known answers of OSS signatures: the vendor's documentation and tests, and output of its SDKs.
final class OSSVectorTests: XCTestCase {
  /// Vectors that are not signed unchanged, with the reason.
  private static let reasons: [String: String] = [
    "v1-header-repeated-subresource#a":
      "a repeated subresource is rejected: the SDKs disagree, and the service's behaviour is unknown",
    "v1-header-repeated-subresource#b":
      "a repeated subresource is rejected: the SDKs disagree, and the service's behaviour is unknown",
    "v1-header-unknown-x-oss-query#a": "the SDKs disagree; every x-oss- parameter is signed, as in #b",
    "official-v4-header-doc": "the secret is not published; see testPublishedSigningKeyIsReproduced",
  ]

  // matrix: OSS V1: header, presign
  // matrix: OSS V4: header, presign
  func testEveryVectorIsReproduced() throws {
    var counts: [String: Int] = [:]
    for vector in try Vector.load("oss", from: .module) where vector.mode == "header" || vector.mode == "presign" {
      let disagreement = vector.object["recommended"] as? Bool == false
      if disagreement || Self.reasons[vector.id] != nil { continue }
      let answer = try SigningJob(json: vector.json).signed(defaultMode: .header, now: Timestamp(unixSeconds: 0))
      if vector.object["doNotImplement"] as? Bool == true {
        if vector.object["expires"] as? Int == 0 {
          XCTAssertEqual(answer.error?.hasPrefix("lifetimeOutOfRange"), true, vector.id)
          try assertCorrected(vector)
          counts["corrected", default: 0] += 1
          continue
        }
        XCTAssertEqual(answer.stringToSign, vector.correction("correctStringToSign"), vector.id)
        XCTAssertEqual(
          answer.authorization?.hasSuffix(":" + (vector.correction("correctSignature") ?? "?")), true, vector.id)
        counts["corrected", default: 0] += 1
        continue
      }
      XCTAssertNil(answer.error, vector.id)
      XCTAssertEqual(answer.stringToSign, vector["stringToSign"], vector.id)
      if let expected = vector["canonicalRequest"] { XCTAssertEqual(answer.canonicalRequest, expected, vector.id) }
      let signature = try XCTUnwrap(vector["signature"], vector.id)
      if vector.mode == "header" {
        let authorization = try XCTUnwrap(answer.authorization, vector.id)
        XCTAssertTrue(
          authorization.hasSuffix(":" + signature) || authorization.hasSuffix("Signature=" + signature), vector.id)
        if let expected = vector["authorization"] {
          XCTAssertEqual(parts(authorization), parts(expected), vector.id)
        }
        let (request, signer) = try SigningJob(json: vector.json).requestForOSS()
        let date = Timestamp(unixSeconds: Int64(try XCTUnwrap(vector.object["date"] as? Int)))
        let signed = try signer.signedByFields(request, with: vector.key(), in: .at(date))
        XCTAssertEqual(signed.headerFields[.authorization], authorization, vector.id)
      } else {
        let url = try XCTUnwrap(answer.url, vector.id)
        XCTAssertTrue(url.hasSuffix("ignature=" + signature.percentEncoded()), "\(vector.id) \(url)")
        XCTAssertFalse(url.contains("+"), vector.id)
        if let expected = vector["url"] { XCTAssertEqual(ParsedURL(url), ParsedURL(expected), vector.id) }
        try assertPrepared(vector, gives: url)
      }
      counts[vector.mode, default: 0] += 1
    }
    XCTAssertEqual(counts, ["header": 48, "presign": 30, "corrected": 4])
  }

  /// Checks that a presigner of objects creates a vector's URL, however its path is divided.
  private func assertPrepared(_ vector: Vector, gives url: String) throws {
    let (request, signer) = try SigningJob(json: vector.json).requestForOSS()
    let lifetime = Duration.seconds(vector.object["expires"] as? Int ?? 3600)
    let date = Timestamp(unixSeconds: Int64(try XCTUnwrap(vector.object["date"] as? Int)))
    let objects = ObjectOfRequest.divisions(of: request)
    XCTAssertFalse(objects.isEmpty, vector.id)
    for object in objects {
      let prepared = try object.presigned(by: signer, with: vector.key(), validFor: lifetime, in: .at(date))
      XCTAssertEqual(prepared.url, url, vector.id)
    }
  }

  /// Splits an authorization into its parts, whose order differs between SDKs and is ignored by the service.
  private func parts(_ authorization: String) -> Set<Substring> {
    Set(authorization.split { $0 == "," || $0 == " " })
  }

  /// Checks a vector of a URL that expires when it is created, signed one second earlier.
  ///
  /// The signer checks the lifetime first and rejects the vector at its own date.
  private func assertCorrected(_ vector: Vector) throws {
    let expected = try XCTUnwrap(vector.correction("correctStringToSign"))
    var object = vector.object
    let date = try XCTUnwrap(object["date"] as? Int)
    object["date"] = date - 1
    object["expires"] = 1
    let json = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    let answer = try SigningJob(json: json).signed(defaultMode: .header, now: Timestamp(unixSeconds: 0))
    XCTAssertNil(answer.error, vector.id)
    XCTAssertEqual(answer.stringToSign, expected, vector.id)
    let signature = try XCTUnwrap(vector.correction("correctSignature"))
    XCTAssertEqual(answer.url?.hasSuffix(signature.percentEncoded()), true, vector.id)
  }

  func testPublishedSigningKeyIsReproduced() throws {
    let vectors = try Vector.load("oss", from: .module)
    let vector = try XCTUnwrap(vectors.first { $0.id == "official-v4-header-doc" })
    let answer = try SigningJob(
      json: vector.json.replacingOccurrences(of: "(redacted; signingKeyHex is published)", with: "x")
    )
    .signed(defaultMode: .header, now: .now)
    XCTAssertEqual(answer.canonicalRequest, vector["canonicalRequest"])
    XCTAssertEqual(answer.stringToSign, vector["stringToSign"])
    let key = try XCTUnwrap([UInt8](hex: XCTUnwrap(vector.object["signingKeyHex"] as? String)))
    let signature = HMACKey<SHA256>(key).authenticationCode(for: try XCTUnwrap(answer.stringToSign)).hex
    XCTAssertEqual(signature, vector["signature"])
  }

  func testRepeatedSubresourceIsRejected() throws {
    let vectors = try Vector.load("oss", from: .module).filter { $0.id.hasPrefix("v1-header-repeated-subresource") }
    XCTAssertEqual(vectors.count, 2)
    for vector in vectors {
      let answer = try SigningJob(json: vector.json).signed(defaultMode: .header, now: .now)
      XCTAssertEqual(answer.error?.hasPrefix("invalidPath"), true)
    }
  }
}
