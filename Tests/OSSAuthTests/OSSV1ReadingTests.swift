// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import StorageCrypto
import XCTest

/// Interpretations of ambiguous V1 strings: all are found, and none is signed or verified by mistake.
final class OSSV1ReadingTests: XCTestCase {
  private typealias Parameter = RequestTarget.Parameter

  private let texts = [
    "", "a", "?", "&", "=", "/", "acl", "uploadId", "x-oss-a", "a?acl", "a&acl", "a=a", "a&x-oss-a=a", "?acl",
    "?uploadId=a",
  ]
  private let names = ["acl", "uploadId", "versionId", "x-oss-a", "x-oss-a=a", "x-oss-a&acl", "x-oss-a?acl"]

  /// Returns every target over a small alphabet: a key of two parts, and up to two parameters.
  private func targets() -> [RequestTarget] {
    let values: [String?] = [nil] + texts.dropFirst().map { $0 }
    let single = names.flatMap { name in values.map { [Parameter(name: name, value: $0)] } }
    let double = ["acl", "uploadId", "x-oss-a"].flatMap { first in
      ["versionId", "x-oss-a", "x-oss-b"].filter { $0 != first }.flatMap { second in
        ["a", "a?acl", "a&acl"].map { [Parameter(name: first, value: $0), Parameter(name: second, value: "b")] }
      }
    }
    let keys = Set(texts.flatMap { first in texts.map { first + $0 } }).sorted()
    return keys.flatMap { key in
      let parameters = key.utf8.count < 6 ? [[]] + single + double : [[], [Parameter(name: "acl", value: nil)]]
      return parameters.map { RequestTarget(bucket: "photos", key: key.isEmpty ? nil : key, parameters: $0) }
    }
  }

  private func resource(of pending: PendingSignature) -> String {
    pending.stringToSign.split(separator: "\n", maxSplits: 4, omittingEmptySubsequences: false).last.map(String.init)
      ?? ""
  }

  private func text(_ target: RequestTarget) -> String {
    let parameters = target.parameters.map { "\($0.name) is \($0.value ?? "")" }.sorted()
    return "\(target.bucket ?? "") \(target.key ?? "") \(parameters)"
  }

  private func request(_ target: RequestTarget, _ method: HTTPRequest.Method = .get) throws -> HTTPRequest {
    try ServiceEndpoint.oss(region: "cn-hangzhou").request(
      method, bucket: target.bucket?.string, key: target.key?.string, parameters: target.parameters)
  }

  // matrix: OSS V1: remote signing
  func testEveryTargetIsAmongTheInterpretationsOfItsString() throws {
    let signer = OSSFixture.signer(.v1)
    var readings: [String: Set<String>] = [:]
    var groups: [String: Int] = [:]
    for target in targets() {
      let pending = try signer.prepare(request(target), as: OSSFixture.key.identity, in: .at(OSSFixture.date))
      let resource = resource(of: pending)
      if readings[resource] == nil {
        readings[resource] = Set(try XCTUnwrap(OSSV1Readings.targets(ofResource: resource), resource).map(text))
      }
      XCTAssertEqual(readings[resource]?.contains(text(target)), true, "\(text(target)) has the string \(resource)")
      groups[resource, default: 0] += 1
    }
    XCTAssertGreaterThan(groups.values.reduce(0, +), 5_000)
    XCTAssertGreaterThan(groups.values.filter { $0 > 1 }.count, 50, "strings with several targets")
    XCTAssertTrue(groups.values.contains { $0 > 2 })
  }

  // matrix: OSS V1: remote signing
  func testEveryInterpretationProducesTheSameString() throws {
    let signer = OSSFixture.signer(.v1)
    var count = 0
    for first in texts {
      for (second, third) in texts.flatMap({ second in texts.map { (second, $0) } }) {
        let resource = "/photos/\(first)?\(second)&\(third)"
        for target in try XCTUnwrap(OSSV1Readings.targets(ofResource: resource)) {
          let pending = try signer.prepare(request(target), as: OSSFixture.key.identity, in: .at(OSSFixture.date))
          XCTAssertEqual(self.resource(of: pending), resource, text(target))
          count += 1
        }
      }
    }
    XCTAssertGreaterThan(count, 2_500)
    XCTAssertEqual(OSSV1Readings.targets(ofResource: "/")?.map(text), ["  []"])
    for resource in ["", "photos", "/photos", "//a", "/photos?acl", "/ph?tos/a"] {
      XCTAssertEqual(OSSV1Readings.targets(ofResource: resource), [], resource)
    }
  }

  // matrix: OSS V1: remote signing, bad input
  func testStringWithTooManyInterpretationsHasNone() {
    let names = (10..<99).map { "x-oss-\($0)=a" }.joined(separator: "&")
    XCTAssertNil(OSSV1Readings.targets(ofResource: "/photos/a?\(names)"))
    let marks = String(repeating: "?x-oss-a", count: 5_000)
    XCTAssertNil(OSSV1Readings.targets(ofResource: "/photos/a\(marks)"))
    XCTAssertEqual(OSSV1Readings.targets(ofResource: "/photos/a" + String(repeating: "?acl", count: 5_000))?.count, 2)
    let long = String(repeating: "=&", count: 60_000)
    XCTAssertNil(OSSV1Readings.targets(ofResource: "/photos/a?x-oss-a\(long)"))
    XCTAssertEqual(OSSV1Readings.targets(ofResource: "/photos/a?\(long)")?.count, 1)
  }

  // matrix: OSS V1: remote signing, bad input
  func testStringWithTwoQuestionMarksIsNotSigned() throws {
    let signer = OSSStringToSignSigner(region: "cn-hangzhou")
    let policy = AccessPolicy([AccessRule(.read, .write, .delete, .list, objects: .prefix("alice/"), in: "photos")])
    let dates = [OSSFixture.date.httpDate, "\(OSSFixture.date.unixSeconds + 60)"]
    let attacks = [
      ("GET", "a?versionId=null?acl"), ("POST", "a?uploadId=x?x-oss-process"), ("POST", "a?uploadId=x?asyncFetch"),
      ("PUT", "a?partNumber=1&uploadId=x?callback=eyJ9"), ("DELETE", "a?uploadId=x?tagging"), ("PUT", "a??acl"),
      ("GET", "a?response-content-type=a?acl"), ("GET", "?response-content-type=text/html?versionId=1"),
      ("HEAD", "a?objectMeta=?acl"), ("PUT", "a?x?acl"), ("GET", "a?acl?"), ("POST", "a?uploads?delete"),
    ]
    for (method, rest) in attacks {
      for date in dates {
        let text = "\(method)\n\n\n\(date)\n/photos/alice/\(rest)"
        let order = SigningRequest(.ossV1, method: method, stringToSign: text)
        XCTAssertThrowsError(
          try signer.sign(order, with: OSSFixture.key, under: SigningRules(policy), at: OSSFixture.date), text
        ) {
          XCTAssertEqual(($0 as? SigningRefusal)?.code, .malformed, text)
          XCTAssertTrue("\($0)".contains("question mark") && "\($0)".contains("V4"), "\($0)")
        }
      }
    }
  }

  /// Whether a resource is signed for a caller with the given permissions below `alice/`.
  private func isSigned(
    _ method: String, _ resource: String, _ actions: AccessAction..., keys: ObjectScope = .prefix("alice/")
  ) -> Bool {
    var rule = AccessRule(.read, objects: keys, in: "photos")
    rule.actions = Set(actions)
    let order = SigningRequest(
      .ossV1, method: method, stringToSign: "\(method)\n\n\n\(OSSFixture.date.httpDate)\n\(resource)")
    return
      (try? OSSStringToSignSigner(region: "cn-hangzhou").sign(
        order, with: OSSFixture.key, under: SigningRules(AccessPolicy([rule])), at: OSSFixture.date)) != nil
  }

  // matrix: OSS V1: remote signing
  func testStringIsSignedOnlyIfEveryInterpretationIsAllowed() {
    XCTAssertTrue(isSigned("PUT", "/photos/alice/a?partNumber=1&uploadId=x", .write), "the request that SDKs send")
    XCTAssertTrue(isSigned("GET", "/photos/alice/a?response-content-type=a&versionId=b", .read))
    XCTAssertTrue(isSigned("POST", "/photos/alice/a?uploads", .write))
    XCTAssertFalse(isSigned("DELETE", "/photos/alice/a?uploadId=x", .write))
    XCTAssertFalse(isSigned("GET", "/photos/alice/a?uploadId=x", .write), "the string can also read a key")
    XCTAssertFalse(isSigned("GET", "/photos/alice/a?versionId=1&x-oss-process=a", .read))
    let onlyA = ObjectScope.key("alice/a")
    XCTAssertTrue(isSigned("GET", "/photos/alice/a", .read, keys: onlyA))
    XCTAssertFalse(
      isSigned("GET", "/photos/alice/a?versionId=b", .read, keys: onlyA), "the string can also read another key")
  }

  // matrix: OSS V1: presign, form, bad input
  func testV1URLsAndFormsRejectKeysWithQuestionMarks() throws {
    let paths = [
      "/victim.txt%3Fresponse-content-type=text%2Fplain", "/what%3f", "/%3Facl", "/a?response-content-type=a?acl",
      "/a?response-content-type=a%3Facl", "/a?response-content-type=a%26versionId=1", "/a?x-oss-a%3Fb=1",
      "/a?x-oss-a%26acl=1", "/a?x-oss-a%3Db=1",
    ]
    for path in paths {
      for version in OSSSignatureVersion.allCases {
        let request = OSSFixture.request(.get, path)
        let signer = OSSFixture.signer(version)
        let allowing = OSSSigner(version, bucket: "photos", region: "cn-hangzhou", allowsAmbiguousV1: true)
        func presign(_ signer: OSSSigner) throws(SigningError) -> PresignedRequest {
          try signer.presign(request, with: OSSFixture.key, validFor: .seconds(60), in: .at(OSSFixture.date))
        }
        XCTAssertNoThrow(try presign(allowing), path)
        XCTAssertNoThrow(try signer.signed(request, with: OSSFixture.key, in: .at(OSSFixture.date)), path)
        guard version == .v1 else {
          XCTAssertNoThrow(try presign(signer), path)
          continue
        }
        let error = try signingError { () throws(SigningError) in try presign(signer) }
        XCTAssertEqual(error.code, .invalidPath, path)
        XCTAssertTrue(error.remedy.contains("V4"), error.remedy)
        XCTAssertTrue(error.message.contains("question mark") || path.contains("%26") || path.contains("%3D"), path)
        XCTAssertThrowsError(
          try signer.prepare(
            presigning: request, as: OSSFixture.key.identity, validFor: .seconds(60), in: .at(OSSFixture.date)), path)
      }
    }
    XCTAssertNoThrow(
      try OSSFixture.presigned(
        .v1, OSSFixture.request(.get, "/a%26b=c?response-content-disposition=filename%3D%22a%26b.txt%22&prefix=%3F")))
    for keys in [ObjectScope.key("a?acl"), .prefix("a?")] {
      let policy = FormPolicy(bucket: "photos", objects: keys, until: OSSFixture.date.advanced(by: .seconds(60)))
      func form(_ version: OSSSignatureVersion, _ allows: Bool) throws -> SignedForm {
        try OSSSigner(version, region: "cn-hangzhou", allowsAmbiguousV1: allows).sign(
          policy, to: .oss(region: "cn-hangzhou"), with: OSSFixture.key, in: .at(OSSFixture.date))
      }
      XCTAssertNoThrow(try form(.v4, false))
      XCTAssertNoThrow(try form(.v1, true))
      XCTAssertThrowsError(try form(.v1, false)) {
        XCTAssertTrue("\($0)".contains("question mark") && "\($0)".contains("V4"), "\($0)")
      }
    }
  }

  // matrix: OSS V1: verify, bad input
  func testVerifierAcceptsOnlyThePlainInterpretationOfAV1String() throws {
    let lenient = OSSVerifier(acceptsAmbiguousV1: true)
    for path in ["/a%3Facl", "/a?uploadId=x%3Facl", "/a?uploadId=x?acl", "/a?uploadId=x%26versionId=1", "/%3Facl"] {
      let signed = try OSSFixture.signed(.v1, OSSFixture.request(.get, path))
      let error = try XCTUnwrap(OSSFixture.refusal(signed), path)
      XCTAssertEqual(error.code, .ambiguous, path)
      XCTAssertTrue(error.remedy.contains("V4"), error.remedy)
      XCTAssertNil(try OSSFixture.refusal(signed, by: lenient), path)
      XCTAssertNil(try OSSFixture.refusal(OSSFixture.signed(.v4, OSSFixture.request(.get, path))), path)
    }
    for path in ["/a%26acl", "/a?uploadId=x%26b", "/a?acl", "/a?prefix=%3F", "/a=b&c?acl"] {
      XCTAssertNil(try OSSFixture.refusal(OSSFixture.signed(.v1, OSSFixture.request(.get, path))), path)
    }
  }

  // matrix: OSS V1: verify, bad input
  // matrix: OSS V4: verify, bad input
  func testAuthorizationParametersWithWrongCaseAreRejected() throws {
    for version in OSSSignatureVersion.allCases {
      for request in [try OSSFixture.signed(version), try OSSFixture.presigned(version), OSSFixture.request()] {
        for name in [
          "signature", "SIGNATURE", "ossaccesskeyid", "OSSACCESSKEYID", "OSSAccess\u{212A}eyId", "Security-Token",
          "X-Oss-Process", "X-OSS-SIGNATURE", "x-OSS-credential",
        ] {
          let sent = request.appending("\(name.percentEncoded())=1")
          XCTAssertEqual(try OSSFixture.refusal(sent)?.code, .malformed, "\(version) \(name)")
        }
      }
    }
  }
}
