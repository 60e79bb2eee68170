// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// The suite of signers in two steps: a sound signer conforms, and each broken one is reported.
final class TwoStepSignerConformanceTests: XCTestCase {
  private func report(_ signer: TwistedTwoStepSigner) throws -> ConformanceReport {
    TwoStepSignerConformance(signer, samples: try Samples.all()) { pending, key in
      let request = SigningRequest(pending)
      let server = OSSStringToSignSigner(region: "cn-hangzhou")
      return try server.signature(of: request, server.intent(of: request), with: key, at: .now)
    }.report()
  }

  /// Asserts that a signer breaks these rules and no other.
  private func assertBreaks(
    _ rules: [TwoStepSignerRule], file: StaticString = #filePath, line: UInt = #line,
    _ twist: (inout TwistedTwoStepSigner) -> Void
  ) throws {
    var signer = TwistedTwoStepSigner()
    twist(&signer)
    let report = try report(signer)
    XCTAssertEqual(report.failures.map(\.rule), rules.map(\.rawValue), "\(report)", file: file, line: line)
  }

  func testSignerOfThePackageConforms() throws {
    let report = try report(TwistedTwoStepSigner())
    XCTAssertTrue(report.isConforming, "\(report)")
    XCTAssertEqual(report.checks.count, TwoStepSignerRule.allCases.count)
  }

  func testAnotherTimeOfTheFirstStepIsReported() throws {
    try assertBreaks([.headers, .authorization]) { signer in
      signer.preparing = { base, request, identity, date throws(SigningError) in
        try base.prepare(request, as: identity, in: .at(date.advanced(by: .seconds(1))))
      }
    }
  }

  func testAnotherLifetimeIsReported() throws {
    try assertBreaks([.urls]) { signer in
      signer.preparingURL = { base, request, identity, duration, date throws(SigningError) in
        try base.prepare(
          presigning: request, as: identity, validFor: duration + .seconds(1), in: .at(date))
      }
    }
  }

  func testUnreadWholeAuthorizationIsReported() throws {
    try assertBreaks([.authorization]) { signer in
      signer.finishing = { base, pending, signature throws(SigningError) in
        if signature.contains("Credential=") {
          throw SigningError(.invalidSignature, "It is no signature.", remedy: "Send it alone.")
        }
        return try base.finish(pending, signature: signature)
      }
    }
  }

  func testAcceptedAuthorizationOfAnotherKeyIsReported() throws {
    try assertBreaks([.refusal]) { signer in
      signer.finishing = { base, pending, signature throws(SigningError) in
        let bare = signature.components(separatedBy: "Signature=").last ?? signature
        return try base.finish(pending, signature: bare)
      }
    }
  }

  func testTrimmedSignatureIsReported() throws {
    try assertBreaks([.refusal]) { signer in
      signer.finishing = { base, pending, signature throws(SigningError) in
        try base.finish(pending, signature: signature.trimmingCharacters(in: .whitespacesAndNewlines))
      }
    }
  }

  func testRepairedIdentityIsReported() throws {
    try assertBreaks([.identity]) { signer in
      signer.preparing = { base, request, identity, date throws(SigningError) in
        let id = identity.id.string.filter { $0.isASCII && !$0.isWhitespace }
        return try base.prepare(
          request, as: Identity(id: id.isEmpty ? "none" : id, sessionToken: identity.sessionToken), in: .at(date))
      }
    }
  }

  func testURLThatOutlivesItsKeyIsReported() throws {
    try assertBreaks([.identity]) { signer in
      signer.preparingURL = { base, request, identity, duration, date throws(SigningError) in
        try base.prepare(
          presigning: request, as: Identity(id: identity.id, sessionToken: identity.sessionToken), validFor: duration,
          in: .at(date))
      }
    }
  }
}

/// A signer in two steps that behaves like that of OSS, except for one replaced operation.
struct TwistedTwoStepSigner: TwoStepSigner, Presigner {
  var preparing: @Sendable (OSSSigner, HTTPRequest, Identity, Timestamp) throws(SigningError) -> PendingSignature = {
    base, request, identity, date throws(SigningError) in
    try base.prepare(request, as: identity, in: .at(date))
  }
  var preparingURL:
    @Sendable (OSSSigner, HTTPRequest, Identity, Duration, Timestamp) throws(SigningError) -> PendingSignature = {
      base, request, identity, duration, date throws(SigningError) in
      try base.prepare(presigning: request, as: identity, validFor: duration, in: .at(date))
    }
  var finishing: @Sendable (OSSSigner, PendingSignature, String) throws(SigningError) -> HTTPRequest = {
    base, pending, signature throws(SigningError) in
    try base.finish(pending, signature: signature)
  }

  func requiredValidity(from date: Timestamp) -> Timestamp { Samples.signer.requiredValidity(from: date) }

  func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp {
    Samples.signer.requiredValidity(from: date, validFor: duration)
  }

  func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    try Samples.signer.sign(&request, with: key, in: context)
  }

  func presign(
    _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest {
    try Samples.signer.presign(request, with: key, validFor: duration, in: context)
  }

  func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try preparing(Samples.signer, request, identity, context.date)
  }

  func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature {
    try preparingURL(Samples.signer, request, identity, duration, context.date)
  }

  func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest {
    try finishing(Samples.signer, pending, signature)
  }
}
