// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import S3Auth
import SigningProperties
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Signing of strings from untrusted clients: each is parsed back into a request or rejected.
final class S3StringToSignSignerTests: XCTestCase {
  private let upload = AccessPolicy([AccessRule(.write, objects: .prefix("alice/"), in: "photos")])

  private func signer(_ endpoint: ServiceEndpoint) -> S3StringToSignSigner {
    S3StringToSignSigner(region: S3Fixture.region, endpoint: endpoint)
  }

  private func signer() throws -> S3StringToSignSigner { signer(try .s3(region: S3Fixture.region)) }

  private func schemes() throws -> [SigningScheme<S3Signer, S3Verifier>] {
    try [S3Schemes.scheme(.virtualHosted), S3Schemes.scheme(.path)]
  }

  private func pendings(
    _ signer: S3Signer, _ request: HTTPRequest, as identity: Identity, at date: Timestamp
  ) throws -> [PendingSignature] {
    [
      try signer.prepare(request, as: identity, in: .at(date)),
      try signer.prepare(presigning: request, as: identity, validFor: .seconds(600), in: .at(date)),
    ]
  }

  // matrix: S3 V4: remote signing
  func testPreparedStringIsParsedBackIntoItsRequest() throws {
    var count = 0
    for scheme in try schemes() {
      for sample in try scheme.samples(80) {
        let target = try XCTUnwrap(sample.target)
        for pending in try pendings(scheme.signer, sample.request, as: sample.credential.identity, at: sample.date) {
          XCTAssertEqual(pending.scheme, .s3V4)
          let intent = try signer(scheme.maker.endpoint).intent(of: SigningRequest(pending))
          XCTAssertEqual(intent.method, sample.request.method)
          XCTAssertEqual(intent.target.bucket, "photos")
          XCTAssertEqual(intent.target.key, target.key)
          XCTAssertEqual(
            Set(intent.target.parameters.map { "\($0.name)=\($0.value ?? "")" }),
            Set(target.parameters.map { "\($0.name)=\($0.value ?? "")" }))
          XCTAssertEqual(intent.expiration, pending.expiration)
          XCTAssertEqual(intent.placement, pending.isPresigned ? .query : .header)
          count += 1
        }
      }
    }
    XCTAssertEqual(count, 320)
  }

  // matrix: S3 V4: remote signing
  func testSignerOfStringsConforms() throws {
    let scheme = try S3Schemes.scheme(.virtualHosted)
    try scheme.signsStrings(of: scheme.samples(80), with: signer(scheme.maker.endpoint))
  }

  // matrix: S3 V4: remote signing, verify
  func testAllowedOperationsAreSignedAndVerify() throws {
    let rules = SigningRules(RemoteOperations.everything(in: "photos"))
    var count = 0
    for scheme in try schemes() {
      for sample in try scheme.samples(8) {
        let key = try XCTUnwrap(sample.target?.key?.string)
        let operations =
          RemoteOperations.onObjects.map { ($0.method, Optional(key), $0.parameters) }
          + RemoteOperations.onBuckets(prefix: key).map { ($0.method, nil, $0.parameters) }
        for (method, key, parameters) in operations {
          let request = try scheme.maker.endpoint.request(
            method, bucket: "photos", key: key, parameters: parameters,
            headers: [.contentType: "text/plain", .named("x-amz-meta-a"): "1, 2"])
          for pending in try pendings(scheme.signer, request, as: sample.credential.identity, at: sample.date) {
            let answer = try signer(scheme.maker.endpoint).sign(
              SigningRequest(pending), with: sample.credential, under: rules, at: sample.date)
            let finished = try scheme.signer.finish(pending, signature: answer.signature)
            let proof = try scheme.verify(finished, against: sample.credential, at: sample.date)
            XCTAssertEqual(proof.target.key?.string, key)
            count += 1
          }
        }
      }
    }
    XCTAssertGreaterThan(count, 300)
  }

  // matrix: S3 V4: remote signing
  func testBucketNamesWithDotsAreSupported() throws {
    let bucket = "www.example.com"
    let endpoint = try ServiceEndpoint.s3(region: "eu-central-1", bucket: bucket)
    let request = try endpoint.request(.get, bucket: bucket, key: "a")
    let pending = try S3Fixture.signer().prepare(
      request, as: S3Fixture.temporary.identity, in: .at(S3Fixture.date))
    func sign(_ bucket: String) throws -> SigningResponse {
      try S3StringToSignSigner(region: "eu-central-1", endpoint: endpoint).sign(
        SigningRequest(pending), with: S3Fixture.temporary,
        under: SigningRules(AccessPolicy([AccessRule(.read, objects: .all, in: bucket)])), at: S3Fixture.date)
    }
    XCTAssertNoThrow(try S3Fixture.signer().finish(pending, signature: sign(bucket).signature))
    XCTAssertThrowsError(try sign("www.example.org"))
    XCTAssertThrowsError(try sign("www"))
  }

  private func uploads() throws -> [PendingSignature] {
    let request = S3Fixture.request(.put, "/alice/a", [.contentType: "text/plain", .named("x-amz-meta-b"): "c"])
    return try pendings(S3Fixture.signer(), request, as: S3Fixture.temporary.identity, at: S3Fixture.date)
  }

  /// Requests a signature for a changed canonical request, with the correct hash around it.
  private func signs(_ text: String, _ pending: PendingSignature, method: String = "PUT") throws -> Bool {
    let head = pending.stringToSign.split(separator: "\n").dropLast().joined(separator: "\n")
    let order = SigningRequest(
      .s3V4, method: method, stringToSign: "\(head)\n\(SHA256.hash(Array(text.utf8)).hex)", canonicalRequest: text)
    let signer = try signer()
    return (try? signer.sign(order, with: S3Fixture.temporary, under: SigningRules(upload), at: S3Fixture.date)) != nil
  }

  private func checkWithinPolicy(_ text: String) {
    XCTAssertTrue(text.hasPrefix("PUT\n/alice/"), text)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    XCTAssertEqual(lines.filter { $0.hasPrefix("host:") }, ["host:photos.s3.eu-central-1.amazonaws.com"], text)
    for line in lines.dropFirst(3) where line.hasPrefix("x-amz-") && line.contains(":") {
      let name = line.prefix { $0 != ":" }
      XCTAssertTrue(
        name.hasPrefix("x-amz-meta-")
          || ["x-amz-content-sha256", "x-amz-date", "x-amz-security-token"].contains(name), text)
    }
  }

  // matrix: S3 V4: remote signing, bad input
  func testChangedBytesNeverExceedThePolicy() throws {
    for pending in try uploads() {
      let text = try XCTUnwrap(pending.canonicalRequest)
      XCTAssertTrue(try signs(text, pending))
      var (signed, refused) = (0, 0)
      for changed in RemoteOperations.changes(of: text) {
        if try signs(changed, pending) {
          signed += 1
          checkWithinPolicy(changed)
        } else {
          refused += 1
        }
      }
      XCTAssertGreaterThan(signed, 20, "strings that the policy allows are signed")
      XCTAssertGreaterThan(refused, 1_000)
    }
  }

  // matrix: S3 V4: remote signing, bad input
  func testSmuggledLinesNeverExceedThePolicy() throws {
    let lines = [
      "x-amz-acl:public-read", "x-amz-copy-source:/secrets/a", "host:other.s3.eu-central-1.amazonaws.com",
      "x-amz-security-token:t", "x-amz-tagging:a=b", "/secrets/a", "acl=", "UNSIGNED-PAYLOAD",
    ]
    for pending in try uploads() {
      for changed in RemoteOperations.smuggled(into: try XCTUnwrap(pending.canonicalRequest), lines) {
        if try signs(changed, pending) { checkWithinPolicy(changed) }
      }
    }
  }

  func testOnlyHostsOfTheEndpointAreSigned() throws {
    let rules = SigningRules(RemoteOperations.everything(in: "photos"))
    func code(_ host: String, _ path: String, _ signer: S3StringToSignSigner) throws -> SigningRefusal.Code? {
      let pending = try S3Fixture.signer().prepare(
        S3Fixture.request(.get, path, host: host), as: S3Fixture.key.identity, in: .at(S3Fixture.date))
      do throws(SigningRefusal) {
        _ = try signer.sign(SigningRequest(pending), with: S3Fixture.key, under: rules, at: S3Fixture.date)
        return nil
      } catch {
        return error.code
      }
    }
    let vendor = try signer()
    XCTAssertNil(try code("photos.s3.eu-central-1.amazonaws.com", "/a", vendor))
    XCTAssertNil(try code("PHOTOS.s3.eu-central-1.amazonaws.com:443", "/a", vendor))
    XCTAssertNil(try code("s3.eu-central-1.amazonaws.com", "/photos/a", vendor))
    XCTAssertNotNil(try code("s3.eu-central-1.amazonaws.com", "/secrets/a", vendor))
    for host in [
      "s3.us-east-1.amazonaws.com", "photos.example.com", "photos", "127.0.0.1", "xs3.eu-central-1.amazonaws.com",
      "photos.s3.eu-central-1.amazonaws.com:444", ".s3.eu-central-1.amazonaws.com",
    ] {
      XCTAssertEqual(try code(host, "/photos/a", vendor), .wrongScope, host)
    }
    XCTAssertNotNil(try code("secrets.s3.eu-central-1.amazonaws.com", "/photos/a", vendor))
    let own = signer(try ServiceEndpoint("http://127.0.0.1:9000"))
    XCTAssertNil(try code("127.0.0.1:9000", "/photos/a", own))
    XCTAssertEqual(try code("photos.127.0.0.1:9000", "/a", own), .wrongScope)
  }

  // matrix: S3 V4: remote signing, bad input
  func testForeignStringsSchemesKeysAndDatesAreRejected() throws {
    let pending = try uploads()[0]
    let text = try XCTUnwrap(pending.canonicalRequest)
    let signer = try signer()
    func code(_ order: SigningRequest, at date: Timestamp = S3Fixture.date, with key: AccessKey = S3Fixture.temporary)
      -> SigningRefusal.Code?
    {
      do throws(SigningRefusal) {
        _ = try signer.sign(order, with: key, under: SigningRules(upload), at: date)
        return nil
      } catch {
        return error.code
      }
    }
    XCTAssertNil(code(SigningRequest(pending)))
    let string = pending.stringToSign
    for (changed, expected) in [
      (string.replacing("AWS4-HMAC-SHA256\n", with: "AWS4-HMAC-SHA256-PAYLOAD\n"), SigningRefusal.Code.malformed),
      (string.replacing("/s3/", with: "/sts/"), .wrongScope), (string.replacing("central", with: "west"), .wrongScope),
      (string.replacing("20261120/", with: "20261119/"), .wrongScope), (string + "\n", .malformed),
      (String(string.dropLast()) + "0", .hashMismatch), ("eyJleHBpcmF0aW9uIjoiIn0=", .malformed),
    ] where changed != string {
      XCTAssertEqual(
        code(SigningRequest(.s3V4, method: "PUT", stringToSign: changed, canonicalRequest: text)), expected)
    }
    XCTAssertEqual(code(SigningRequest(.s3V4, method: "PUT", stringToSign: string)), .malformed)
    XCTAssertEqual(
      code(SigningRequest(.s3V4, method: "GET", stringToSign: string, canonicalRequest: text)), .malformed)
    XCTAssertEqual(
      code(
        SigningRequest(
          SignatureScheme(service: "oss", version: "v4"), method: "PUT", stringToSign: string, canonicalRequest: text)),
      .malformed)
    XCTAssertEqual(code(SigningRequest(pending), at: S3Fixture.date.advanced(by: .seconds(901))), .clockSkew)
    XCTAssertEqual(code(SigningRequest(pending), with: S3Fixture.key), .anotherKey)
    let chunked = S3Fixture.request(.put, "/alice/a").adding("x-amz-decoded-content-length", "5")
    let seed = try S3Fixture.signer(.signedChunks).prepare(
      chunked, as: S3Fixture.temporary.identity, in: .at(S3Fixture.date))
    XCTAssertEqual(code(SigningRequest(seed)), .malformed)
    let hoisted = try S3Fixture.signer().prepare(
      presigning: S3Fixture.request(.put, "/alice/a?x-amz-acl=public-read"), as: S3Fixture.temporary.identity,
      validFor: .seconds(60), in: .at(S3Fixture.date))
    XCTAssertEqual(code(SigningRequest(hoisted)), .unknownOperation)
  }

  // matrix: S3 V4: remote signing, bad input, expiry
  func testCanonicalRequestMustMatchItsStringToSign() throws {
    let signer = try signer()
    let pendings = try uploads()
    func code(_ change: (String) -> String, of pending: PendingSignature) throws -> SigningRefusal.Code? {
      let text = change(try XCTUnwrap(pending.canonicalRequest))
      let lines = pending.stringToSign.split(separator: "\n").prefix(3) + [SHA256.hash(Array(text.utf8)).hex[...]]
      let order = SigningRequest(
        .s3V4, method: "PUT", stringToSign: lines.joined(separator: "\n"), canonicalRequest: text)
      do throws(SigningRefusal) {
        _ = try signer.intent(of: order)
        return nil
      } catch {
        return error.code
      }
    }
    for pending in pendings { XCTAssertNil(try code({ $0 }, of: pending)) }
    let (header, url) = (pendings[0], pendings[1])
    // The service reads the time from the header, and the scope contains only the day.
    XCTAssertEqual(
      try code({ $0.replacing("x-amz-date:20261120T080000Z", with: "x-amz-date:20261120T200000Z") }, of: header),
      .malformed)
    XCTAssertEqual(
      try code({ $0.replacing("X-Amz-Date=20261120T080000Z", with: "X-Amz-Date=20261120T200000Z") }, of: url),
      .malformed)
    XCTAssertNil(try code({ $0.replacing("X-Amz-Expires=600", with: "X-Amz-Expires=604800") }, of: url))
    for seconds in ["604801", "0"] {
      XCTAssertEqual(
        try code({ $0.replacing("X-Amz-Expires=600", with: "X-Amz-Expires=\(seconds)") }, of: url), .lifetime, seconds)
    }
    for seconds in ["-1", "1e3", "0600", "+600", ""] {
      XCTAssertNotNil(
        try code({ $0.replacing("X-Amz-Expires=600", with: "X-Amz-Expires=\(seconds)") }, of: url), seconds)
    }
    for parameter in ["AWSAccessKeyId=a", "Signature=a", "X-Amz-Signature=a", "x-amz-storage-class=GLACIER"] {
      XCTAssertEqual(
        try code({ $0.replacing("/alice/a\n\n", with: "/alice/a\n\(parameter)\n") }, of: header), .unknownOperation,
        parameter)
    }
    XCTAssertEqual(
      try code({ $0.replacing("host:", with: "host:s3.eu-central-1.amazonaws.com\nhost:") }, of: header), .malformed)
  }
}
