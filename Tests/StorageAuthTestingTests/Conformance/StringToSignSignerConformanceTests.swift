// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// The suite of signers of strings: a sound signer conforms, and each broken one is reported.
final class StringToSignSignerConformanceTests: XCTestCase {
  /// Returns the report on a signer, for plain requests that a policy can allow.
  private func report(_ signer: TwistedStringToSignSigner) throws -> ConformanceReport {
    let endpoint = try Samples.maker().endpoint
    let samples = try SampleMaker(endpoint: endpoint, bucket: "photos", headers: ["content-type"]).samples(count: 12)
    return StringToSignSignerConformance(signer, client: Samples.signer, samples: samples).report()
  }

  /// Asserts that the suite reports these rules, and no others besides those without a sample.
  private func assertBreaks(
    _ rules: [StringToSignSignerRule], file: StaticString = #filePath, line: UInt = #line,
    _ twist: (inout TwistedStringToSignSigner) -> Void
  ) throws {
    var signer = TwistedStringToSignSigner()
    twist(&signer)
    let report = try report(signer)
    XCTAssertEqual(report.failures.map(\.rule), rules.map(\.rawValue), "\(report)", file: file, line: line)
  }

  func testSignerOfThePackageConforms() throws {
    let report = try report(TwistedStringToSignSigner())
    XCTAssertEqual(report.failures, [], "\(report)")
    let tried = report.checks.filter { if case .kept = $0.outcome { true } else { false } }
    XCTAssertEqual(tried.count, StringToSignSignerRule.allCases.count - 1, "no sample is ambiguous: \(report)")
  }

  func testRejectedStringIsReported() throws {
    let report = try report(
      TwistedStringToSignSigner(parsing: { _, _ throws(SigningRefusal) in throw .notCanonical }))
    XCTAssertTrue("\(report)".contains("seed 0: the string of the request was rejected"), "\(report)")
  }

  /// The policy would be applied to the other key.
  func testAnotherTargetIsReported() throws {
    try assertBreaks([.parsing, .policy]) { signer in
      signer.parsing = { base, request throws(SigningRefusal) in
        let intent = try base.intent(of: request)
        if request.isTemporary { return intent }
        return intent.with(
          target: RequestTarget(
            bucket: intent.target.bucket?.string, key: (intent.target.key?.string ?? "") + "x",
            parameters: intent.target.parameters))
      }
    }
  }

  func testAnotherSignatureIsReported() throws {
    try assertBreaks([.signature]) { signer in
      signer.signing = { base, request, intent, key, date throws(SigningRefusal) in
        let other = SigningRequest(
          request.scheme, method: request.method, stringToSign: request.stringToSign + "\n",
          canonicalRequest: request.canonicalRequest)
        return try base.signature(of: other, intent, with: key, at: date)
      }
    }
  }

  func testIgnoredMethodIsReported() throws {
    try assertBreaks([.method]) { signer in
      signer.parsing = { base, request throws(SigningRefusal) in
        let method = (request.canonicalRequest ?? "").prefix { $0 != "\n" }
        return try base.intent(
          of: SigningRequest(
            request.scheme, method: String(method), stringToSign: request.stringToSign,
            canonicalRequest: request.canonicalRequest))
      }
    }
  }

  /// The signature would be that of a string that was not parsed.
  func testRepairedStringIsReported() throws {
    try assertBreaks([.canonical]) { signer in
      signer.parsing = { base, request throws(SigningRefusal) in
        let text = request.stringToSign.hasSuffix("\n") ? String(request.stringToSign.dropLast()) : request.stringToSign
        return try base.intent(
          of: SigningRequest(
            request.scheme, method: request.method, stringToSign: text, canonicalRequest: request.canonicalRequest))
      }
    }
  }

  func testMisreadTokenIsReported() throws {
    try assertBreaks([.token]) { signer in
      signer.parsing = { base, request throws(SigningRefusal) in
        let intent = try base.intent(of: request)
        return request.isTemporary ? intent.with(token: Secret("yet another token")) : intent
      }
    }
  }

  func testStringInARefusalIsReported() throws {
    try assertBreaks([.secrecy]) { signer in
      signer.parsing = { base, request throws(SigningRefusal) in
        do throws(SigningRefusal) {
          return try base.intent(of: request)
        } catch {
          throw .malformed(request.canonicalRequest ?? "")
        }
      }
    }
  }

  func testMissingTargetIsReported() throws {
    let endpoint = try Samples.maker().endpoint
    let parameters = [
      RequestTarget.Parameter(name: "response-content-type", value: "x"), .init(name: "versionId", value: "5"),
    ]
    let merged = RequestTarget.Parameter(name: "response-content-type", value: "x&versionId=5")
    let ambiguity = (
      request: try endpoint.request(.get, bucket: "photos", key: "a", parameters: parameters),
      targets: [parameters, [merged]].map { RequestTarget(bucket: "photos", key: "a", parameters: $0) }
    )
    let client = OSSSigner(.v1, bucket: "photos", allowsAmbiguousV1: true)
    let samples = try SampleMaker(endpoint: endpoint, bucket: "photos").samples(count: 1)
    let forgetful = TwistedStringToSignSigner(
      parsing: { base, request throws(SigningRefusal) in try base.intent(of: request).with(others: []) })
    for (signer, isSound) in [(TwistedStringToSignSigner(), true), (forgetful, false)] {
      let report = StringToSignSignerConformance(
        signer, client: client, samples: samples, ambiguities: [ambiguity]
      ).report([.ambiguity])
      XCTAssertEqual(report.isConforming, isSound, "\(report)")
      XCTAssertEqual(report.failures.isEmpty, isSound, "\(report)")
    }
  }
}

/// A signer of strings that behaves like that of OSS, except for one replaced operation.
struct TwistedStringToSignSigner: StringToSignSigner {
  var parsing: @Sendable (OSSStringToSignSigner, SigningRequest) throws(SigningRefusal) -> AuthorizedRequest = {
    base, request throws(SigningRefusal) in
    try base.intent(of: request)
  }
  var signing:
    @Sendable (
      OSSStringToSignSigner, SigningRequest, AuthorizedRequest, AccessKey, Timestamp
    ) throws(SigningRefusal) -> String = { base, request, intent, key, date throws(SigningRefusal) in
      try base.signature(of: request, intent, with: key, at: date)
    }

  private let base = OSSStringToSignSigner(region: "cn-hangzhou")

  init(
    parsing: (@Sendable (OSSStringToSignSigner, SigningRequest) throws(SigningRefusal) -> AuthorizedRequest)? = nil
  ) {
    if let parsing { self.parsing = parsing }
  }

  var service: String { base.service }

  func intent(of request: SigningRequest) throws(SigningRefusal) -> AuthorizedRequest { try parsing(base, request) }

  func signature(
    of request: SigningRequest, _ intent: AuthorizedRequest, with key: AccessKey, at date: Timestamp
  ) throws(SigningRefusal) -> String {
    try signing(base, request, intent, key, date)
  }
}

extension SigningRequest {
  /// Whether the string contains a session token.
  fileprivate var isTemporary: Bool { canonicalRequest?.contains("x-oss-security-token") == true }
}

extension AuthorizedRequest {
  /// Returns a copy with another target, other targets and another session token.
  fileprivate func with(
    target: RequestTarget? = nil, others: [RequestTarget]? = nil, token: Secret? = nil
  ) -> AuthorizedRequest {
    AuthorizedRequest(
      scheme, method: method, target: target ?? self.target, headers: headers, placement: placement, date: date,
      expiration: expiration, accessKeyID: accessKeyID, sessionToken: token, signableNames: signableNames,
      otherTargets: others ?? otherTargets)
  }
}
