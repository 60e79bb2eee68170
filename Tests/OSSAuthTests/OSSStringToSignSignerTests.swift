// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Signing of strings from untrusted clients: each is parsed back into a request or rejected.
final class OSSStringToSignSignerTests: XCTestCase {
  private let signer = OSSStringToSignSigner(region: "cn-hangzhou")
  private let upload = AccessPolicy([AccessRule(.write, objects: .prefix("alice/"), in: "photos")])

  private func pendings(
    _ scheme: SigningScheme<OSSSigner, OSSVerifier>, _ request: HTTPRequest, as identity: Identity, at date: Timestamp
  ) throws -> [PendingSignature] {
    [
      try scheme.signer.prepare(request, as: identity, in: .at(date)),
      try scheme.signer.prepare(presigning: request, as: identity, validFor: .seconds(600), in: .at(date)),
    ]
  }

  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  func testPreparedStringIsParsedBackIntoItsRequest() throws {
    var count = 0
    for scheme in try OSSSchemes.all() + [OSSSchemes.scheme(.v4, additionalHeaders: ["host", "range", "x-b", "a"])] {
      for sample in try scheme.samples(120) {
        let target = try XCTUnwrap(sample.target)
        if scheme.signer.version == .v1, isAmbiguous(sample) { continue }
        for pending in try pendings(scheme, sample.request, as: sample.credential.identity, at: sample.date) {
          let intent = try signer.intent(of: SigningRequest(pending))
          XCTAssertEqual(intent.method, sample.request.method)
          XCTAssertEqual(intent.target.bucket, "photos")
          XCTAssertEqual(intent.target.key, target.key)
          XCTAssertEqual(
            Set(intent.target.parameters.map { "\($0.name)=\($0.value ?? "")" }),
            Set(target.parameters.map { "\($0.name)=\($0.value ?? "")" }))
          XCTAssertEqual(intent.headers[.contentType], sample.request.headerFields[.contentType])
          XCTAssertEqual(intent.expiration, pending.expiration)
          count += 1
        }
      }
    }
    XCTAssertGreaterThan(count, 800)
  }

  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  func testSignerOfStringsConforms() throws {
    for version in OSSSignatureVersion.allCases {
      let scheme = try OSSSchemes.scheme(version)
      let samples = try scheme.samples(120).filter { version == .v4 || !isAmbiguous($0) }
      try scheme.signsStrings(of: samples, with: signer)
    }
  }

  /// V1 cannot distinguish a question mark in a key or a value from the delimiter before the parameters, nor an
  /// ampersand in a value.
  private func isAmbiguous(_ sample: SigningSample<AccessKey>) -> Bool {
    let values = sample.target?.parameters.map { $0.value?.string } ?? []
    return (sample.target?.key?.string ?? "").contains("?")
      || (values + [sample.credential.sessionToken?.reveal()]).contains { $0?.contains { "?&".contains($0) } == true }
  }

  // matrix: OSS V1: remote signing, verify
  // matrix: OSS V4: remote signing, verify
  func testAllowedOperationsAreSignedAndVerify() throws {
    let rules = SigningRules(RemoteOperations.everything(in: "photos"))
    var count = 0
    for scheme in try OSSSchemes.all() {
      for sample in try scheme.samples(12) {
        let key = try XCTUnwrap(sample.target?.key?.string)
        let token = sample.credential.sessionToken?.reveal() ?? ""
        if scheme.signer.version == .v1, key.contains("?") || token.contains(where: { "?&".contains($0) }) { continue }
        let operations =
          RemoteOperations.onObjects.map { ($0.method, Optional(key), $0.parameters) }
          + RemoteOperations.onBuckets(prefix: key).map { ($0.method, nil, $0.parameters) }
        for (method, key, parameters) in operations {
          let headers: HTTPFields = [.contentType: "text/plain", .named("x-oss-meta-a"): "1, 2"]
          let request = try scheme.maker.endpoint.request(
            method, bucket: "photos", key: key, parameters: parameters, headers: headers)
          for pending in try pendings(scheme, request, as: sample.credential.identity, at: sample.date) {
            let answer = try signer.sign(
              SigningRequest(pending), with: sample.credential, under: rules, at: sample.date)
            let finished = try scheme.signer.finish(pending, signature: answer.signature)
            let proof = try scheme.verify(finished, against: sample.credential, at: sample.date)
            XCTAssertEqual(proof.target.key?.string, key)
            count += 1
          }
        }
      }
    }
    XCTAssertGreaterThan(count, 1_000)
  }

  /// Returns the strings to sign of an upload by alice: for V1 the string to sign, for V4 the canonical request.
  private func uploads() throws -> [(version: OSSSignatureVersion, pending: PendingSignature)] {
    let request = OSSFixture.request(.put, "/alice/a", [.contentType: "text/plain", .named("x-oss-meta-b"): "c"])
    return try OSSSignatureVersion.allCases.flatMap { version in
      let signer = OSSFixture.signer(version)
      return [
        (version, try signer.prepare(request, as: OSSFixture.temporary.identity, in: .at(OSSFixture.date))),
        (
          version,
          try signer.prepare(
            presigning: request, as: OSSFixture.temporary.identity, validFor: .seconds(60), in: .at(OSSFixture.date))
        ),
      ]
    }
  }

  /// Requests a signature for a changed string, with the correct hash around a canonical request.
  private func sign(_ text: String, _ pending: PendingSignature, _ version: OSSSignatureVersion) -> Bool {
    var order = SigningRequest(.ossV1, method: "PUT", stringToSign: text)
    if version == .v4 {
      let head = pending.stringToSign.split(separator: "\n").dropLast().joined(separator: "\n")
      order = SigningRequest(
        .ossV4, method: "PUT", stringToSign: "\(head)\n\(SHA256.hash(Array(text.utf8)).hex)", canonicalRequest: text)
    }
    let rules = SigningRules(upload)
    return (try? signer.sign(order, with: OSSFixture.temporary, under: rules, at: OSSFixture.date)) != nil
  }

  // matrix: OSS V1: remote signing, bad input
  // matrix: OSS V4: remote signing, bad input
  func testChangedBytesNeverExceedThePolicy() throws {
    for (version, pending) in try uploads() {
      let text = pending.canonicalRequest ?? pending.stringToSign
      var (signed, refused) = (0, 0)
      for changed in RemoteOperations.changes(of: text) {
        guard sign(changed, pending, version) else {
          refused += 1
          continue
        }
        signed += 1
        XCTAssertTrue(changed.hasPrefix("PUT\n"), changed)
        switch version {
        case .v4:
          XCTAssertTrue(changed.hasPrefix("PUT\n/photos/alice/"), changed)
          let lines = changed.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3)
          let names = lines.filter { $0.hasPrefix("x-oss-") }.map { $0.prefix { $0 != ":" } }
          for name in names {
            XCTAssertTrue(
              name.hasPrefix("x-oss-meta-")
                || ["x-oss-content-sha256", "x-oss-date", "x-oss-security-token"].contains(name),
              changed)
          }
        case .v1:
          XCTAssertTrue(changed.contains("\n/photos/alice/"), changed)
          XCTAssertFalse(changed.contains("?acl"), changed)
        }
      }
      XCTAssertGreaterThan(signed, 50, "strings that the policy allows are signed")
      XCTAssertGreaterThan(refused, 1_000)
    }
  }

  // matrix: OSS V1: remote signing, bad input
  // matrix: OSS V4: remote signing, bad input
  func testDuplicateMovedAndSmuggledLinesAreRejected() throws {
    let lines = ["x-oss-acl:public-read", "X-Oss-Meta-B:c", "x-oss-meta-b: c", "x-oss-meta-b:d", "/photos/bob/a"]
    for (version, pending) in try uploads() {
      let text = pending.canonicalRequest ?? pending.stringToSign
      for smuggled in RemoteOperations.smuggled(into: text, lines) where sign(smuggled, pending, version) {
        // Such a line can only become the value of a header, or a part of alice's own key.
        let isInside = smuggled.utf8.split(separator: UInt8(ascii: "\n")).contains {
          $0.starts(with: "/photos/alice/a".utf8)
        }
        XCTAssertTrue(version == .v1 && isInside && !smuggled.contains("\nx-oss-acl"), smuggled.debugDescription)
      }
    }
  }

  // matrix: OSS V4: remote signing, bad input
  func testDifferentRegionProductOrDayIsRejected() throws {
    for other in [
      OSSSigner(.v4, bucket: "photos", region: "cn-shanghai"),
      OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou", product: "oss-cloudbox"),
    ] {
      let pending = try other.prepare(
        OSSFixture.request(.put, "/alice/a"), as: OSSFixture.key.identity, in: .at(OSSFixture.date))
      XCTAssertThrowsError(try signer.intent(of: SigningRequest(pending))) {
        XCTAssertEqual(($0 as? SigningRefusal)?.code, .wrongScope)
      }
    }
    let (_, pending) = try XCTUnwrap(uploads().first { $0.version == .v4 })
    let order = SigningRequest(
      .ossV4, method: "PUT", stringToSign: pending.stringToSign.replacing("20261120/", with: "20261121/"),
      canonicalRequest: pending.canonicalRequest)
    XCTAssertThrowsError(try signer.intent(of: order)) {
      XCTAssertEqual(($0 as? SigningRefusal)?.code, .wrongScope)
    }
  }
}
