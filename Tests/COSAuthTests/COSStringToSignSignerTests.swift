// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import SigningProperties
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Signing of strings from untrusted clients: each is parsed back into a request or rejected.
final class COSStringToSignSignerTests: XCTestCase {
  private let bucket = "photos-1250000000"

  private func signer(_ scheme: SigningScheme<COSSigner, COSVerifier>) -> COSStringToSignSigner {
    COSStringToSignSigner(endpoint: scheme.maker.endpoint, bucket: scheme.maker.bucket)
  }

  private func pendings(
    _ scheme: SigningScheme<COSSigner, COSVerifier>, _ request: HTTPRequest, as identity: Identity, at date: Timestamp
  ) throws -> [PendingSignature] {
    [
      try scheme.signer.prepare(request, as: identity, in: .at(date)),
      try scheme.signer.prepare(presigning: request, as: identity, validFor: .seconds(600), in: .at(date)),
    ]
  }

  // matrix: COS V5: remote signing
  func testPreparedStringIsParsedBackIntoItsRequest() throws {
    var count = 0
    for scheme in try COSSchemes.all() {
      for sample in try scheme.samples(60) {
        let target = try XCTUnwrap(sample.target)
        for pending in try pendings(scheme, sample.request, as: sample.credential.identity, at: sample.date) {
          let intent = try signer(scheme).intent(of: SigningRequest(pending))
          XCTAssertEqual(intent.method, sample.request.method)
          XCTAssertEqual(intent.target.bucket?.string, scheme.maker.bucket)
          XCTAssertEqual(intent.target.key, target.key)
          XCTAssertEqual(
            Set(intent.target.parameters.map { "\($0.name)=\($0.value ?? "")" }),
            Set(target.parameters.map { "\($0.name.asciiLowercased)=\($0.value ?? "")" }))
          XCTAssertEqual(intent.expiration, pending.expiration)
          count += 1
        }
      }
    }
    XCTAssertGreaterThan(count, 1_000)
  }

  // matrix: COS V5: remote signing
  func testSignerOfStringsConforms() throws {
    let scheme = try COSSchemes.scheme()
    try scheme.signsStrings(of: scheme.samples(80), with: signer(scheme))
  }

  // matrix: COS V5: remote signing, verify
  func testAllowedOperationsAreSignedAndVerify() throws {
    var count = 0
    for scheme in try COSSchemes.all() {
      let rules = SigningRules(RemoteOperations.everything(in: scheme.maker.bucket))
      for sample in try scheme.samples(4) {
        let key = try XCTUnwrap(sample.target?.key?.string)
        let operations =
          RemoteOperations.onObjects.map { ($0.method, Optional(key), $0.parameters) }
          + RemoteOperations.onBuckets(prefix: key).map { ($0.method, nil, $0.parameters) }
        for (method, key, parameters) in operations {
          let headers: HTTPFields = [.contentType: "text/plain", .contentLength: "3", .named("x-cos-meta-a"): "1, 2"]
          let request = try scheme.maker.endpoint.request(
            method, bucket: scheme.maker.bucket, key: key, parameters: parameters, headers: headers)
          for pending in try pendings(scheme, request, as: sample.credential.identity, at: sample.date) {
            let answer = try signer(scheme).sign(
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

  private func uploads() throws -> [PendingSignature] {
    var request = COSFixture.request(.put, "/alice/a")
    request.headerFields = [.contentType: "text/plain", .contentLength: "5", .named("x-cos-meta-b"): "c"]
    let identity = COSFixture.temporary.identity
    return [
      try COSSigner().prepare(request, as: identity, in: .at(COSFixture.date)),
      try COSSigner().prepare(presigning: request, as: identity, validFor: .seconds(60), in: .at(COSFixture.date)),
    ]
  }

  /// Requests a signature for a changed string, with the correct hash around it.
  private func sign(_ text: String, _ pending: PendingSignature) throws -> Bool {
    let head = pending.stringToSign.split(separator: "\n").dropLast().joined(separator: "\n")
    let order = SigningRequest(
      .cosV5, method: "PUT", stringToSign: "\(head)\n\(SHA1.hash(Array(text.utf8)).hex)\n", canonicalRequest: text)
    let rules = SigningRules(
      AccessPolicy([AccessRule(.write, objects: .prefix("alice/"), in: bucket, upTo: 9, types: ["text/plain"])]))
    let signer = COSStringToSignSigner(endpoint: try .cos(region: "ap-guangzhou"))
    return (try? signer.sign(order, with: COSFixture.temporary, under: rules, at: COSFixture.date)) != nil
  }

  // matrix: COS V5: remote signing, bad input
  func testChangedBytesNeverExceedThePolicy() throws {
    for pending in try uploads() {
      let text = try XCTUnwrap(pending.canonicalRequest)
      var (signed, refused) = (0, 0)
      for changed in RemoteOperations.changes(of: text) {
        guard try sign(changed, pending) else {
          refused += 1
          continue
        }
        signed += 1
        XCTAssertTrue(changed.hasPrefix("put\n/alice/"), changed)
        XCTAssertTrue(changed.contains("&host=\(COSFixture.host)&"), changed)
        XCTAssertTrue(changed.lowercased().contains("content-type=text%2fplain"), changed)
      }
      XCTAssertGreaterThan(signed, 50, "strings that the policy allows are signed")
      XCTAssertGreaterThan(refused, 1_000)
    }
  }

  // matrix: COS V5: remote signing, bad input
  func testDuplicateMovedAndSmuggledLinesAreRejected() throws {
    let lines = ["acl=", "x-cos-acl=public-read", "/bob/a", "delete", "sha1"]
    for pending in try uploads() {
      let text = try XCTUnwrap(pending.canonicalRequest)
      for smuggled in RemoteOperations.smuggled(into: text, lines) where try sign(smuggled, pending) {
        // A line feed can appear in a key: the line is a part of a key below alice/.
        XCTAssertTrue(smuggled.utf8.starts(with: "put\n/alice/a".utf8), smuggled.debugDescription)
        XCTAssertTrue(smuggled.contains("&host=\(COSFixture.host)&x-cos-meta-b=c"), smuggled.debugDescription)
        XCTAssertFalse(smuggled.hasSuffix("\n\n"), smuggled.debugDescription)
      }
    }
  }

  // matrix: COS V5: remote signing, bad input
  func testForeignAndUnsignedHostsAreRejected() throws {
    let signer = COSStringToSignSigner(endpoint: try .cos(region: "ap-guangzhou"))
    for host in [
      "photos-1250000000.cos.ap-beijing.myqcloud.com", "photos-1250000000.example.com", "127.0.0.1:9000",
      "photos-1250000000.cos.ap-guangzhou.myqcloud.com:8080", "x.photos-1250000000.cos.ap-guangzhou.myqcloud.com",
    ] {
      let pending = try COSSigner().prepare(
        COSFixture.request(.get, "/a", host: host), as: COSFixture.key.identity, in: .at(COSFixture.date))
      XCTAssertThrowsError(try signer.intent(of: SigningRequest(pending)), host) {
        XCTAssertEqual(($0 as? SigningRefusal)?.code, .wrongScope, host)
      }
    }
    let pending = try COSSigner(policy: .standardWithoutHost).prepare(
      COSFixture.request(.get, "/a"), as: COSFixture.key.identity, in: .at(COSFixture.date))
    XCTAssertThrowsError(try signer.intent(of: SigningRequest(pending)))
  }

  // matrix: COS V5: remote signing, bad input
  func testRequestWithoutItsParametersMustAlsoBeAllowed() throws {
    let rows: [(method: HTTPRequest.Method, path: String, asked: AccessAction, bare: AccessAction)] = [
      (.get, "/alice/a?uploadId=1", .write, .read), (.delete, "/alice/a?uploadId=1", .write, .delete),
      (.get, "/?prefix=alice/", .list, .list), (.post, "/?delete", .delete, .write),
    ]
    for row in rows {
      let pending = try COSSigner().prepare(
        COSFixture.request(row.method, row.path), as: COSFixture.key.identity, in: .at(COSFixture.date))
      func sign(_ rules: [AccessRule], _ checksWithoutParameters: Bool = true) throws -> Bool {
        let signer = COSStringToSignSigner(
          endpoint: try .cos(region: "ap-guangzhou"), checksWithoutParameters: checksWithoutParameters)
        let rules = SigningRules(AccessPolicy(rules))
        return
          (try? signer.sign(SigningRequest(pending), with: COSFixture.key, under: rules, at: COSFixture.date)) != nil
      }
      let asked = AccessRule(row.asked, objects: row.method == .post ? .all : .prefix("alice/"), in: bucket)
      let bare = AccessRule(row.bare, objects: row.path.hasPrefix("/?") ? .all : .prefix("alice/"), in: bucket)
      XCTAssertFalse(try sign([asked]), "a service that ignores ?UPLOADID= and ?PREFIX= performs another operation")
      XCTAssertTrue(try sign([asked], false))
      XCTAssertTrue(try sign([asked, bare]))
      if row.asked != row.bare { XCTAssertFalse(try sign([bare])) }
    }
  }

  // matrix: COS V5: remote signing, bad input
  func testDataProcessingHeadersAreRejected() throws {
    let rules = SigningRules(RemoteOperations.everything(in: bucket))
    let signer = COSStringToSignSigner(endpoint: try .cos(region: "ap-guangzhou"))
    for name in ["pic-operations", "ci-process", "authorization", "x-ci-process", "x-other"] {
      var request = COSFixture.request(.put, "/a")
      request.headerFields = [try XCTUnwrap(HTTPField.Name(name)): "x"]
      let pending = try COSSigner(policy: .only(["host", name])).prepare(
        request, as: COSFixture.key.identity, in: .at(COSFixture.date))
      XCTAssertTrue(try XCTUnwrap(pending.canonicalRequest).contains("\(name)=x"), name)
      XCTAssertThrowsError(
        try signer.sign(SigningRequest(pending), with: COSFixture.key, under: rules, at: COSFixture.date), name
      ) {
        XCTAssertEqual(($0 as? SigningRefusal)?.code, .unknownOperation, name)
      }
    }
  }

  // matrix: COS V5: remote signing, bad input
  func testOnlyReadAndUploadParametersAreSigned() throws {
    let rules = SigningRules(RemoteOperations.everything(in: bucket))
    let signer = COSStringToSignSigner(endpoint: try .cos(region: "ap-guangzhou"))
    for method in [HTTPRequest.Method.get, .head, .put, .post, .delete] {
      for (key, name) in ["a", ""].flatMap({ key in RemoteOperations.subresources.map { (key, $0) } }) {
        for value in [nil, "1"] {
          let request = COSFixture.request(method, "/\(key)?\(name)\(value.map { "=\($0)" } ?? "")")
          let pending = try COSSigner().prepare(request, as: COSFixture.key.identity, in: .at(COSFixture.date))
          let isSigned =
            (try? signer.sign(SigningRequest(pending), with: COSFixture.key, under: rules, at: COSFixture.date)) != nil
          let expected = RemoteOperations.isSigned(method, onObject: key == "a", name, value: value)
          XCTAssertEqual(isSigned, expected, "\(method) /\(key)?\(name)=\(value ?? "")")
        }
      }
    }
  }
}
