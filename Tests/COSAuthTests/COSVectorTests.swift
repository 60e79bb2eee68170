// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import Foundation
import HTTPTypes
import SigningJobs
import SigningProperties
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Known answers of COS signatures: the vendor's documentation and tests, output of its SDKs, and of its servers.
final class COSVectorTests: XCTestCase {
  // matrix: COS V5: header, presign
  func testEveryVectorIsReproduced() throws {
    var counts: [String: Int] = [:]
    let vectors = try Vector.load("cos", list: "cases", from: .module)
    for vector in vectors where vector.mode == "header" || vector.mode == "presign" {
      if vector.id.hasPrefix("e0") {
        try assertServerText(vector)
        counts["server", default: 0] += 1
        continue
      }
      let answer = try SigningJob(json: vector.json).signed(defaultMode: .header, now: Timestamp(unixSeconds: 0))
      XCTAssertNil(answer.error, vector.id)
      if let expected = vector["httpString"] { XCTAssertEqual(answer.canonicalRequest, expected, vector.id) }
      if let expected = vector["stringToSign"] { XCTAssertEqual(answer.stringToSign, expected, vector.id) }
      if vector.mode == "header" {
        let authorization = try XCTUnwrap(vector["authorization"], vector.id)
        XCTAssertEqual(answer.authorization, authorization, vector.id)
        try assertSigned(vector, with: authorization)
      } else {
        let url = try XCTUnwrap(answer.url, vector.id)
        XCTAssertFalse(url.contains("+"), vector.id)
        XCTAssertEqual(ParsedURL(url), ParsedURL(try XCTUnwrap(vector["url"], vector.id)), vector.id)
        try assertPrepared(vector, gives: url)
      }
      counts[vector.mode, default: 0] += 1
    }
    XCTAssertEqual(counts, ["header": 39, "presign": 13, "server": 4])
  }

  /// Checks that the fields alone have the authorization as their result.
  private func assertSigned(_ vector: Vector, with authorization: String) throws {
    let host = try XCTUnwrap(vector.object["host"] as? String)
    let (request, signer) = try SigningJob(json: vector.json).requestForCOS(
      host: host.hasPrefix("{") ? "host.invalid" : host)
    let window = (vector.object["keyTime"] as? String).flatMap { COSKeyTime($0) }
    let lifetime = Duration.seconds(vector.object["expires"] as? Int ?? 3600)
    let date = try window?.start ?? Timestamp(unixSeconds: Int64(XCTUnwrap(vector.object["date"] as? Int)))
    let signed = try COSSigner(policy: signer.policy, headerLifetime: lifetime, keyTime: window)
      .signedByFields(request, with: vector.key(), in: .at(date))
    XCTAssertEqual(signed.headerFields[.authorization], authorization, vector.id)
  }

  /// Checks that a presigner of objects creates a vector's URL, however its path is divided.
  private func assertPrepared(_ vector: Vector, gives url: String) throws {
    let host = try XCTUnwrap(vector.object["host"] as? String)
    let (request, signer) = try SigningJob(json: vector.json).requestForCOS(
      host: host.hasPrefix("{") ? "host.invalid" : host)
    let key = try vector.key()
    let objects = ObjectOfRequest.divisions(of: request)
    XCTAssertFalse(objects.isEmpty, vector.id)
    for object in objects {
      let presigner: ObjectPresigner
      if let window = (vector.object["keyTime"] as? String).flatMap({ COSKeyTime($0) }) {
        presigner = try signer.presigner(for: object.container, with: key, during: window)
      } else {
        let date = Timestamp(unixSeconds: Int64(try XCTUnwrap(vector.object["date"] as? Int)))
        let lifetime = Duration.seconds(vector.object["expires"] as? Int ?? 3600)
        presigner = try signer.presigner(for: object.container, with: key, validFor: lifetime, in: .at(date))
      }
      let prepared = try presigner.presign(object.key).url
      XCTAssertEqual(prepared.replacingOccurrences(of: "host.invalid", with: "{host}"), url, vector.id)
    }
  }

  /// Checks the hash in a server's output, whose key is unknown.
  private func assertServerText(_ vector: Vector) throws {
    let text = try XCTUnwrap(vector["httpString"])
    let keyTime = try XCTUnwrap(vector.object["keyTime"] as? String)
    let hash = SHA1.hash(Array(text.utf8)).hex
    XCTAssertEqual("sha1\n\(keyTime)\n\(hash)\n", vector["stringToSign"], vector.id)
  }

  func testSigningKeysMatchTheDocumentation() throws {
    var count = 0
    for vector in try Vector.load("cos", list: "cases", from: .module) {
      guard let expected = vector["signKey"], let credential = vector.object["credential"] as? [String: Any],
        let secret = credential["secret"] as? String, let keyTime = vector.object["keyTime"] as? String
      else { continue }
      let key = HMACKey<SHA1>(Array(secret.utf8)).authenticationCode(for: keyTime).hex
      XCTAssertEqual(key, expected, vector.id)
      count += 1
    }
    XCTAssertGreaterThanOrEqual(count, 5)
  }
}
