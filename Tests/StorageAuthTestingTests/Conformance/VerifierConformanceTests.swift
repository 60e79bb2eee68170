// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// A claim, with the request that a verifier received instead of the one that it parsed.
struct ReceivedClaim<Base: SignatureClaim>: SignatureClaim {
  let base: Base
  let received: HTTPRequest

  var accessKeyID: AccessKeyID { base.accessKeyID }
  var sessionToken: Secret? { base.sessionToken }
}

/// The verifier suite: the package's verifiers conform, and each broken verifier is reported.
final class VerifierConformanceTests: XCTestCase {
  private let headers: Set = ["content-type", "x-oss-meta-a", "x-oss-meta-b"]

  /// A verifier that replaces the request, the key or the date that it receives, or the error that it throws.
  private struct Twisted: SignatureVerifier {
    var base = OSSVerifier(region: "cn-hangzhou")
    var request: @Sendable (HTTPRequest) -> HTTPRequest = { $0 }
    var key: @Sendable (OSSClaim, AccessKey) -> AccessKey = { $1 }
    var date: @Sendable (OSSClaim, HTTPRequest, Timestamp) -> Timestamp = { $2 }
    var error: @Sendable (VerificationError, AccessKey) -> VerificationError = { error, _ in error }

    func claim(in request: HTTPRequest) throws(VerificationError) -> ReceivedClaim<OSSClaim>? {
      try base.claim(in: self.request(request)).map { ReceivedClaim(base: $0, received: request) }
    }

    func verify(
      _ claim: ReceivedClaim<OSSClaim>, against key: AccessKey, at date: Timestamp
    ) throws(VerificationError) -> VerifiedRequest {
      do throws(VerificationError) {
        return try base.verify(
          claim.base, against: self.key(claim.base, key), at: self.date(claim.base, claim.received, date))
      } catch {
        throw self.error(error, key)
      }
    }
  }

  func testVerifiersOfThePackageConform() throws {
    let samples = try Samples.maker().samples(count: 5)
    // Of a virtual host only the bucket's name is signed.
    let rules = VerifierRule.allCases.filter { $0 != .host }
    let inHeaders = VerifierConformance(
      OSSVerifier(region: "cn-hangzhou"), signer: Samples.signer, samples: samples, signedHeaders: headers)
    let inURLs = VerifierConformance(OSSVerifier(region: "cn-hangzhou"), presigner: Samples.signer, samples: samples)
    for report in [inHeaders.report(rules), inURLs.report(rules)] { XCTAssertTrue(report.isConforming, "\(report)") }
    let cos = try SampleMaker(
      endpoint: try ServiceEndpoint("https://cos.ap-guangzhou.myqcloud.com", style: .virtualHosted),
      bucket: "photos-1250000000", parameters: ["prefix", "acl"], headers: ["content-type"]
    ).samples(count: 5)
    try VerifierConformance(COSVerifier(), presigner: COSSigner(), samples: cos).report().throwIfFailed()
  }

  func testVerifierThatRejectsValidRequestsIsReported() throws {
    try assertBreaks(
      [.acceptance], Twisted(key: { claim, _ in AccessKey(id: claim.accessKeyID, secret: Secret("none")) }))
  }

  func testVerifierThatAcceptsUnsignedRequestsIsReported() throws {
    let signed = try Samples.signer.signed(
      Samples.maker().sample(seed: 99).request, with: AccessKey(id: "AKIDother", secret: "other"), in: .now)
    let report = try report(
      Twisted(request: { $0.headerFields.contains(.authorization) ? $0 : signed }), [.unsigned])
    XCTAssertEqual(report.failures.map(\.rule), [VerifierRule.unsigned.rawValue])
  }

  func testVerifierThatChangesPathsIsReported() throws {
    try assertBreaks(
      [.path],
      Twisted(request: { request in
        var copy = request
        copy.path = request.path?.replacing("y", with: "x").replacing("%3F", with: "%3E")
        return copy
      }), [.path])
  }

  func testVerifierThatIgnoresTheMethodIsReported() throws {
    let samples = try Samples.all().filter { $0.request.method == .put }
    let verifier = Twisted(request: { request in
      var copy = request
      copy.method = .put
      return copy
    })
    let report = VerifierConformance(verifier, signer: Samples.signer, samples: samples).report([.method, .acceptance])
    XCTAssertEqual(report.failures.map(\.rule), [VerifierRule.method.rawValue])
  }

  func testVerifierThatDropsRepeatedHeadersIsReported() throws {
    try assertBreaks(
      [.headers],
      Twisted(request: { request in
        var copy = request
        for name in Set(request.headerFields.map(\.name)) {
          copy.headerFields[name] = request.headerFields[values: name].first
        }
        return copy
      }))
  }

  func testVerifierThatIgnoresTheHostIsReported() throws {
    let report = try report(Twisted(), [.host])
    XCTAssertEqual(report.failures.map(\.rule), [VerifierRule.host.rawValue])
  }

  func testVerifierThatIgnoresTheSessionTokenIsReported() throws {
    try assertBreaks(
      [.secret],
      Twisted(key: { claim, key in AccessKey(id: key.id, secret: key.secret, sessionToken: claim.sessionToken) }))
  }

  func testVerifierThatComparesOnlyThePresenceOfSessionTokensIsReported() throws {
    try assertBreaks(
      [.secret],
      Twisted(key: { claim, key in
        let areBothPresent = claim.sessionToken != nil && key.sessionToken != nil
        return AccessKey(
          id: key.id, secret: key.secret, sessionToken: areBothPresent ? claim.sessionToken : key.sessionToken)
      }))
  }

  func testVerifierThatIgnoresTheTimeIsReported() throws {
    let samples = try Samples.maker().samples(count: 1)
    let signed = samples[0].date
    let verifier = Twisted(date: { _, _, _ in signed })
    let inHeaders = VerifierConformance(verifier, signer: Samples.signer, samples: samples).report()
    XCTAssertTrue(inHeaders.failures.map(\.rule).contains(VerifierRule.time.rawValue), "\(inHeaders)")
    let inURLs = VerifierConformance(verifier, presigner: Samples.signer, samples: samples).report()
    XCTAssertTrue(inURLs.failures.map(\.rule).contains(VerifierRule.time.rawValue), "\(inURLs)")
  }

  func testErrorThatShowsTheTokenIsReported() throws {
    try assertBreaks(
      [.secrecy],
      Twisted(error: { error, key in
        VerificationError(error.code, "Wrong: \(key.sessionToken?.reveal() ?? "").", remedy: error.remedy)
      }))
  }

  private func report(_ verifier: Twisted, _ rules: [VerifierRule]) throws -> ConformanceReport {
    VerifierConformance(
      verifier, signer: Samples.signer, samples: try Samples.maker().samples(count: 8), signedHeaders: headers
    ).report(rules)
  }

  /// Asserts that a verifier breaks these rules and no other.
  private func assertBreaks(
    _ rules: [VerifierRule], _ verifier: Twisted,
    _ tried: [VerifierRule] = VerifierRule.allCases.filter { $0 != .host }, file: StaticString = #filePath,
    line: UInt = #line
  ) throws {
    let report = try report(verifier, tried)
    XCTAssertEqual(report.failures.map(\.rule), rules.map(\.rawValue), "\(report)", file: file, line: line)
  }
}
