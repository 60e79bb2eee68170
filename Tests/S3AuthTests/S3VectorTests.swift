// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import S3Auth
import SigningProperties
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Known answers of S3 signatures: documented examples, AWS's own suite, and output of SDKs.
final class S3VectorTests: XCTestCase {
  /// Vectors that the signer rejects, with the error code; libraries disagree on them.
  private static let refused: [String: SigningError.Code] = [
    "header-tab#a": .invalidHeader, "header-tab#b": .invalidHeader,
    "query-repeated#a": .invalidPath, "query-repeated#b": .invalidPath, "query-repeated#c": .invalidPath,
    "server-path-plus": .invalidPath,
  ]

  /// Vectors with another library's signature for the same request, which the signer does not reproduce.
  private static let others: [String: String] = [
    "header-no-break-space#b": "Unicode spaces are not trimmed, because headers are bytes, as in #a",
    "header-no-break-space#c": "Unicode spaces are not trimmed, because headers are bytes, as in #a",
  ]

  // matrix: S3 V4: header, presign, form
  func testEveryVectorIsReproduced() throws {
    var counts: [String: Int] = [:]
    for vector in try S3Vector.load() {
      let kind: String
      if vector.applies == false {
        XCTAssertNotEqual(try suiteAnswer(vector).signature, vector.expected.signature, vector.id)
        kind = "normalised"
      } else if vector.headersComplete == true {
        let answer = try suiteAnswer(vector)
        XCTAssertEqual(answer.canonicalRequest, vector.expected.canonicalRequest, vector.id)
        XCTAssertEqual(answer.stringToSign, vector.expected.stringToSign, vector.id)
        XCTAssertEqual(answer.signature, vector.expected.signature, vector.id)
        kind = "suite"
      } else if let code = Self.refused[vector.id] {
        var request = vector.request
        XCTAssertThrowsError(
          try vector.signer().sign(&request, with: vector.key, in: .at(vector.timestamp)), vector.id
        ) {
          XCTAssertEqual(($0 as? SigningError)?.code, code, vector.id)
        }
        XCTAssertEqual(request, vector.request)
        kind = "refused"
      } else if Self.others[vector.id] != nil {
        let signed = try vector.signer().signed(vector.request, with: vector.key, in: .at(vector.timestamp))
        XCTAssertNotEqual(signed.headerFields[.authorization], vector.expected.authorization, vector.id)
        kind = "other reading"
      } else {
        switch vector.mode {
        case "header": try checkHeader(vector)
        case "presign": try checkURL(vector)
        case "chunked": try S3ChunkVectors.check(vector)
        case "post": try S3FormVectors.check(vector)
        default: XCTFail("\(vector.id) has the unknown mode \(vector.mode)")
        }
        kind = vector.mode
      }
      counts[kind, default: 0] += 1
    }
    XCTAssertEqual(
      counts,
      [
        "header": 103, "presign": 31, "chunked": 15, "post": 6, "suite": 39, "normalised": 6, "refused": 6,
        "other reading": 2,
      ])
    XCTAssertEqual(counts.values.reduce(0, +), 208)
  }

  private func checkHeader(_ vector: S3Vector) throws {
    let signer = try vector.signer()
    let signed = try signer.signedByFields(vector.request, with: vector.key, in: .at(vector.timestamp))
    let pending = try signer.prepare(vector.request, as: vector.key.identity, in: .at(vector.timestamp))
    XCTAssertEqual(pending.canonicalRequest, vector.expected.canonicalRequest, vector.id)
    XCTAssertEqual(pending.stringToSign, vector.expected.stringToSign, vector.id)
    XCTAssertEqual(signed.headerFields[.authorization], vector.expected.authorization, vector.id)
    XCTAssertEqual(try signer.finish(pending, signature: vector.expected.signature), signed, vector.id)
    XCTAssertEqual(signed.path, vector.request.path, vector.id)
  }

  private func checkURL(_ vector: S3Vector) throws {
    let signer = try vector.signer()
    let lifetime = Duration.seconds(try XCTUnwrap(vector.expires))
    let presigned = try signer.presign(
      vector.request, with: vector.key, validFor: lifetime, in: .at(vector.timestamp))
    let pending = try signer.prepare(
      presigning: vector.request, as: vector.key.identity, validFor: lifetime, in: .at(vector.timestamp))
    XCTAssertEqual(pending.canonicalRequest, vector.expected.canonicalRequest, vector.id)
    XCTAssertEqual(pending.stringToSign, vector.expected.stringToSign, vector.id)
    // The order of the parameters is not signed, and libraries differ.
    func parts(_ url: String) -> [Substring] { url.split { "?&".contains($0) }.sorted() }
    XCTAssertEqual(parts(presigned.url), try parts(XCTUnwrap(vector.expected.url)), vector.id)
    XCTAssertTrue(presigned.url.hasSuffix("&X-Amz-Signature=\(vector.expected.signature)"), vector.id)
    XCTAssertEqual(presigned.expiration, vector.timestamp.advanced(by: lifetime), vector.id)
    XCTAssertEqual(presigned.headers, vector.request.headerFields, vector.id)
    // The first slash of one path precedes the bucket, without which there is no presigner.
    let objects = ObjectOfRequest.divisions(of: vector.request).filter {
      !$0.isDividedAtFirstSlash || vector.id != "presign-path-style"
    }
    for object in objects {
      let prepared = try object.presigned(by: signer, with: vector.key, validFor: lifetime, in: .at(vector.timestamp))
      XCTAssertEqual(prepared, presigned, vector.id)
    }
  }

  /// Signs a vector of AWS's suite, which describes a service other than S3.
  ///
  /// Its requests have no header for the body's hash, although the hash is signed.
  private func suiteAnswer(
    _ vector: S3Vector
  ) throws -> (canonicalRequest: String, stringToSign: String, signature: String) {
    var request = vector.request
    if vector.mode == "presign" {
      let signer = S3Signer(region: vector.region, service: vector.service, additionalHeaders: Set(vector.names))
      request.path = try signer.prepare(
        presigning: request, as: vector.key.identity, validFor: .seconds(vector.expires ?? 0),
        in: .at(vector.timestamp)
      ).request.path
    }
    let canonical = S3CanonicalRequest(signing: vector.names, payload: vector.payloadHash)
    let (text, hash) = try canonical.withCanonicalRequest(
      request, fields: FieldDraft(request.headerFields), path: request.path ?? "/"
    ) { text, _ in
      (String(writing: text), SHA256.hash(writing: text))
    }
    let scope = S3Scope(date: vector.timestamp, region: vector.region, service: vector.service)
    let string = String(writing: { scope.append(stringToSign: hash, to: &$0) })
    return (text, string, scope.signingKey(of: vector.key).authenticationCode(for: string).hex)
  }
}
