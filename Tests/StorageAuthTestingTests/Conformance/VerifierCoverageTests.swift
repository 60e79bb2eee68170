// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthTesting
import XCTest

/// The rules of the verifier suite about what is signed: each hole that the suite once passed is reported.
final class VerifierCoverageTests: XCTestCase {
  private static let region = "cn-hangzhou"

  /// A verifier with a hole: it changes the request that it receives, or what it states about it.
  private struct Broken<Base: SignatureVerifier>: SignatureVerifier {
    let base: Base
    var request: @Sendable (HTTPRequest) -> HTTPRequest = { $0 }
    var proof: @Sendable (VerifiedRequest, HTTPRequest) -> VerifiedRequest = { proof, _ in proof }

    var controlPrefixes: [String] { base.controlPrefixes }

    func claim(in request: HTTPRequest) throws(VerificationError) -> ReceivedClaim<Base.Claim>? {
      try base.claim(in: self.request(request)).map { ReceivedClaim(base: $0, received: request) }
    }

    func verify(
      _ claim: ReceivedClaim<Base.Claim>, against key: AccessKey, at date: Timestamp
    ) throws(VerificationError) -> VerifiedRequest {
      proof(try base.verify(claim.base, against: key, at: date), claim.received)
    }
  }

  private static func copy(
    _ proof: VerifiedRequest, signedHeaders: Set<String>? = nil, signsEverything: Bool = false
  ) -> VerifiedRequest {
    let signed = proof.target.parameters
    return VerifiedRequest(
      accessKeyID: proof.accessKeyID, placement: proof.placement, signsPlacement: proof.signsPlacement,
      target: proof.wholeTarget, signedHeaders: signedHeaders ?? proof.signedHeaders, signature: proof.signature,
      expiration: proof.expiration, usableUntil: proof.usableUntil,
      signsParameter: { signsEverything || signed.contains($0) })
  }

  private func samples(_ url: String, _ headers: [String], count: Int = 6) throws -> [SigningSample<AccessKey>] {
    try SampleMaker(
      endpoint: ServiceEndpoint(url, style: .virtualHosted), bucket: "photos-1250000000",
      parameters: ["acl", "uploadId", "prefix"], headers: headers
    ).samples(count: count)
  }

  private func oss(_ headers: [String] = ["content-type", "x-oss-meta-a", "accept"]) throws
    -> [SigningSample<AccessKey>]
  {
    try samples("https://oss-cn-hangzhou.aliyuncs.com", headers)
  }

  private static let rules: [VerifierRule] = [.acceptance, .coverage, .controls, .parameters, .scope]

  /// Asserts that a verifier breaks one rule, in both placements, and that the failure can be repeated.
  private func assertBreaks(
    _ rule: VerifierRule, _ verifier: some SignatureVerifier,
    _ signer: some Signer<HTTPRequest, AccessKey> & Presigner<AccessKey>, _ samples: [SigningSample<AccessKey>],
    line: UInt = #line
  ) throws {
    let reports = [
      VerifierConformance(verifier, signer: signer, samples: samples).report(Self.rules),
      VerifierConformance(verifier, presigner: signer, samples: samples).report(Self.rules),
    ]
    for report in reports {
      XCTAssertEqual(report.failures.map(\.rule), [rule.rawValue], "\(report)", line: line)
      for case .broken(let text) in report.failures.map(\.outcome) {
        let sample = samples.first { text.hasPrefix("\($0.name): ") && text.hasSuffix("(signed at \($0.date))") }
        XCTAssertNotNil(sample, "\(text) does not name a sample, its seed and its time", line: line)
      }
    }
  }

  func testVerifiersOfThePackageConform() throws {
    let oss = try oss()
    let cos = try samples("https://cos.ap-guangzhou.myqcloud.com", ["content-type", "x-cos-meta-a", "accept"])
    let s3 = try SampleMaker(
      endpoint: ServiceEndpoint("https://s3.eu-central-1.amazonaws.com", style: .path), bucket: "photos",
      parameters: ["acl", "uploadId", "prefix"], headers: ["content-type", "x-amz-meta-a", "accept"]
    ).samples(count: 6)
    func check(
      _ verifier: some SignatureVerifier, _ signer: some Signer<HTTPRequest, AccessKey> & Presigner<AccessKey>,
      _ samples: [SigningSample<AccessKey>]
    ) throws {
      try VerifierConformance(verifier, signer: signer, samples: samples).report(Self.rules).throwIfFailed()
      try VerifierConformance(verifier, presigner: signer, samples: samples).report(Self.rules).throwIfFailed()
    }
    try check(OSSVerifier(region: Self.region), OSSSigner(.v4, region: Self.region), oss)
    try check(OSSVerifier(), OSSSigner(.v1), oss)
    for mode in [COSVerifier.Mode.compatible, .strict] { try check(COSVerifier(mode: mode), COSSigner(), cos) }
    try check(S3Verifier(region: "eu-central-1"), S3Signer(region: "eu-central-1"), s3)
  }

  func testVerifierThatAcceptsUnsignedControlHeadersIsReported() throws {
    let verifier = Broken(
      base: OSSVerifier(region: Self.region),
      request: { request in
        var copy = request
        for name in ["x-oss-acl", "x-oss-copy-source", "x-oss-meta-added"].compactMap({ HTTPField.Name($0) }) {
          copy.headerFields[name] = nil
        }
        return copy
      })
    let samples = try oss(["content-type", "x-oss-meta-a"])
    try assertBreaks(.controls, verifier, OSSSigner(.v4, region: Self.region), samples)
  }

  func testVerifierThatListsUnsignedHeadersIsReported() throws {
    let verifier = Broken(
      base: OSSVerifier(region: Self.region),
      proof: { proof, request in
        Self.copy(proof, signedHeaders: Set(request.headerFields.map(\.name.canonicalName)))
      })
    // The samples have no unsigned header themselves.
    let samples = try oss(["content-type", "x-oss-meta-a"])
    try assertBreaks(.coverage, verifier, OSSSigner(.v4, region: Self.region), samples)
  }

  func testVerifierThatListsAnAbsentHeaderIsReported() throws {
    let verifier = Broken(
      base: OSSVerifier(region: Self.region),
      proof: { proof, _ in Self.copy(proof, signedHeaders: proof.signedHeaders.union(["x-forwarded-for"])) })
    try assertBreaks(.coverage, verifier, OSSSigner(.v4, region: Self.region), try oss())
  }

  func testVerifierThatCallsTheHostSignedIsReported() throws {
    // V1 signs the bucket, and not the rest of the host.
    let verifier = Broken(
      base: OSSVerifier(style: .customDomain, bucket: "photos-1250000000"),
      proof: { proof, _ in Self.copy(proof, signedHeaders: proof.signedHeaders.union(["host"])) })
    let samples = try oss().map { sample in
      var sample = sample
      sample.target = nil
      return sample
    }
    try assertBreaks(
      .coverage, verifier, OSSSigner(.v1, bucket: "photos-1250000000", style: .customDomain), samples)
  }

  func testVerifierThatCallsEveryParameterSignedIsReported() throws {
    let v1 = Broken(base: OSSVerifier(), proof: { proof, _ in Self.copy(proof, signsEverything: true) })
    try assertBreaks(.parameters, v1, OSSSigner(.v1), try oss())
    let cos = Broken(base: COSVerifier(), proof: { proof, _ in Self.copy(proof, signsEverything: true) })
    try assertBreaks(
      .parameters, cos, COSSigner(), try samples("https://cos.ap-guangzhou.myqcloud.com", ["content-type"]))
  }

  func testVerifierThatDoesNotCompareTheRegionIsReported() throws {
    try assertBreaks(.scope, OSSVerifier(), OSSSigner(.v4, region: Self.region), try oss())
    let s3 = try SampleMaker(
      endpoint: ServiceEndpoint("https://s3.eu-central-1.amazonaws.com", style: .path), bucket: "photos"
    ).samples(count: 3)
    try assertBreaks(.scope, S3Verifier(), S3Signer(region: "eu-central-1"), s3)
  }
}
