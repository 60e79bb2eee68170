// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// The presigner suite: the package's presigners conform, and each broken presigner is reported.
final class PresignerConformanceTests: XCTestCase {
  private typealias Twisted = TwistedSigner<OSSSigner>

  func testPresignersOfThePackageConform() throws {
    let samples = try Samples.all()
    for version in OSSSignatureVersion.allCases {
      let signer = OSSSigner(version, bucket: "photos", region: "cn-hangzhou", allowsAmbiguousV1: true)
      let samples =
        version == .v4
        ? samples
        : try SampleMaker(
          endpoint: try Samples.maker().endpoint, bucket: "photos", parameters: ["acl"]
        ).samples(count: 30)
      let report = PresignerConformance(signer, samples: samples).report()
      XCTAssertTrue(report.isConforming, "\(version): \(report)")
      XCTAssertEqual(report.checks.count, PresignerRule.allCases.count)
    }
    let cos = try SampleMaker(
      endpoint: try ServiceEndpoint("https://cos.ap-guangzhou.myqcloud.com", style: .virtualHosted),
      bucket: "photos-1250000000", parameters: ["prefix", "acl"], headers: ["content-type", "x-cos-meta-a"]
    ).samples(count: 30)
    try PresignerConformance(COSSigner(), samples: cos, lifetime: .seconds(3_600)).report().throwIfFailed()
  }

  func testNondeterministicURLIsReported() throws {
    let count = Lock(0)
    try assertBreaks([.determinism, .preparation]) { base, request, key, duration, context throws(SigningError) in
      let signed = try base.presign(request, with: key, validFor: duration, in: context)
      let number = count.withLock { count in
        count += 1
        return count
      }
      return signed.with(url: signed.url + "&n=\(number)")
    }
  }

  func testPreparedURLThatDiffersIsReported() throws {
    let report = PresignerConformance(LatePreparation(base: Samples.signer), samples: try Samples.all()).report()
    XCTAssertEqual(report.failures.map(\.rule), [PresignerRule.preparation.rawValue], "\(report)")
  }

  func testPresignerWithoutPreparationConforms() throws {
    let signer = TwistedSigner(base: Samples.signer)
    try PresignerConformance(signer, samples: try Samples.all()).report([.preparation]).throwIfFailed()
  }

  func testURLThatChangesTheRequestIsReported() throws {
    try assertBreaks([.appending]) { base, request, key, duration, context throws(SigningError) in
      var other = request
      other.path = "/%2E" + (request.path ?? "/").dropFirst()
      return try base.presign(other, with: key, validFor: duration, in: context)
    }
  }

  func testURLWithInvalidCharactersIsReported() throws {
    for junk in ["&a=b+c", "&a=b c", "#a", "?a"] {
      try assertBreaks([.appending]) { base, request, key, duration, context throws(SigningError) in
        let signed = try base.presign(request, with: key, validFor: duration, in: context)
        return signed.with(url: signed.url + junk)
      }
    }
  }

  func testURLWithoutAQueryIsReported() throws {
    try assertBreaks([.appending, .secrecy]) { base, request, key, duration, context throws(SigningError) in
      let signed = try base.presign(request, with: key, validFor: duration, in: context)
      return signed.with(url: String(signed.url.prefix { $0 != "?" }))
    }
  }

  func testChangedMethodOrHeadersAreReported() throws {
    try assertBreaks([.kept]) { base, request, key, duration, context throws(SigningError) in
      try base.presign(request, with: key, validFor: duration, in: context).with(method: .options)
    }
    try assertBreaks([.kept]) { base, request, key, duration, context throws(SigningError) in
      try base.presign(request, with: key, validFor: duration, in: context).with(headers: [.range: "bytes=0-9"])
    }
  }

  func testWrongExpirationIsReported() throws {
    try assertBreaks([.expiry]) { base, request, key, duration, context throws(SigningError) in
      let signed = try base.presign(request, with: key, validFor: duration, in: context)
      return signed.with(expiration: signed.expiration.advanced(by: .seconds(1)))
    }
    let signer = TwistedSigner(base: Samples.signer, shift: .seconds(-1))
    let report = PresignerConformance(signer, samples: try Samples.all()).report()
    XCTAssertEqual(report.failures.map(\.rule), [PresignerRule.expiry.rawValue], "\(report)")
  }

  func testURLThatOutlivesItsCredentialIsReported() throws {
    try assertBreaks([.endedCredential]) { base, request, key, duration, context throws(SigningError) in
      let endless = AccessKey(id: key.id, secret: key.secret, sessionToken: key.sessionToken)
      return try base.presign(request, with: key.isAnonymous ? key : endless, validFor: duration, in: context)
    }
  }

  func testAnonymousURLIsReported() throws {
    try assertBreaks([.anonymity]) { base, request, key, duration, context throws(SigningError) in
      let key = key.isAnonymous ? AccessKey(id: "AKIDanonymous", secret: "none") : key
      return try base.presign(request, with: key, validFor: duration, in: context)
    }
  }

  func testSilentlyAdjustedLifetimeIsReported() throws {
    try assertBreaks([.lifetime, .secrecy]) { base, request, key, duration, context throws(SigningError) in
      try base.presign(request, with: key, validFor: max(duration, .seconds(1)), in: context)
    }
  }

  func testSilentlyReplacedCredentialIsReported() throws {
    try assertBreaks([.refusal]) { base, request, key, duration, context throws(SigningError) in
      let isUsable = !AccessKey.unusable.contains { $0.key == key }
      return try base.presign(
        request, with: isUsable ? key : AccessKey(id: "AKIDbent", secret: "bent"), validFor: duration, in: context)
    }
  }

  func testSecretInTheURLIsReported() throws {
    try assertBreaks([.secrecy]) { base, request, key, duration, context throws(SigningError) in
      let signed = try base.presign(request, with: key, validFor: duration, in: context)
      return signed.with(url: signed.url + "&debug=\(key.secret.reveal())")
    }
  }

  func testSecretInAnErrorIsReported() throws {
    try assertBreaks([.secrecy]) { base, request, key, duration, context throws(SigningError) in
      do throws(SigningError) {
        return try base.presign(request, with: key, validFor: duration, in: context)
      } catch {
        throw SigningError(error.code, "\(key.secret.reveal()) is wrong.", remedy: error.remedy)
      }
    }
  }

  /// A presigner whose prepared URLs are valid for one second more than its single URLs.
  private struct LatePreparation: Presigner {
    let base: OSSSigner

    func presign(
      _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
    ) throws(SigningError) -> PresignedRequest {
      try base.presign(request, with: key, validFor: duration, in: context)
    }

    func presigner(
      for request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
    ) throws(SigningError) -> ObjectPresigner {
      try base.presigner(for: request, with: key, validFor: duration + .seconds(1), in: context)
    }
  }

  /// Asserts that a presigner breaks these rules and no other.
  private func assertBreaks(
    _ rules: [PresignerRule], file: StaticString = #filePath, line: UInt = #line, _ presign: @escaping Twisted.Presign
  ) throws {
    let signer = TwistedSigner(base: Samples.signer, presigning: presign)
    let report = PresignerConformance(signer, samples: try Samples.all()).report()
    XCTAssertEqual(report.failures.map(\.rule), rules.map(\.rawValue), "\(report)", file: file, line: line)
  }
}
