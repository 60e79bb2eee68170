// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// The signer suite: the package's signers conform, and each broken signer is reported.
final class SignerConformanceTests: XCTestCase {
  private typealias Twisted = TwistedSigner<OSSSigner>

  func testSignersOfThePackageConform() throws {
    for version in OSSSignatureVersion.allCases {
      let signer = OSSSigner(version, bucket: "photos", region: "cn-hangzhou")
      let samples = try SampleMaker(
        endpoint: try ServiceEndpoint("https://oss-cn-hangzhou.aliyuncs.com", style: .virtualHosted),
        bucket: "photos", parameters: ["acl"], headers: ["content-type", "x-oss-meta-a"]
      ).samples(count: 30)
      let report = SignerConformance(signer, samples: samples).report()
      XCTAssertTrue(report.isConforming, "\(version): \(report)")
      XCTAssertEqual(report.checks.count, SignerRule.allCases.count)
    }
    let samples = try SampleMaker(
      endpoint: try ServiceEndpoint("https://cos.ap-guangzhou.myqcloud.com", style: .virtualHosted),
      bucket: "photos-1250000000", parameters: ["prefix", "acl"], headers: ["content-type", "x-cos-meta-a"]
    ).samples(count: 30)
    try SignerConformance(COSSigner(), samples: samples).report().throwIfFailed()
  }

  func testSuiteWithoutSamplesReportsUntestedRules() {
    let report = SignerConformance(Samples.signer, samples: []).report()
    XCTAssertFalse(report.isConforming)
    XCTAssertEqual(report.failures, [])
    XCTAssertThrowsError(try report.throwIfFailed()) { error in
      XCTAssertTrue("\(error)".contains("not tried \(SignerRule.determinism.rawValue)"), "\(error)")
    }
  }

  func testRulesAboutHeadersNeedHeaders() throws {
    let maker = try Samples.maker()
    for (headers, untested) in [
      ([], [SignerRule.keptHeaders, .headerOrder]), (["content-type"], [.headerOrder]),
    ] as [([String], [SignerRule])] {
      let samples = try SampleMaker(endpoint: maker.endpoint, bucket: maker.bucket, headers: headers).samples(count: 20)
      let report = SignerConformance(Samples.signer, samples: samples).report()
      let found = report.checks.filter { if case .notTried = $0.outcome { true } else { false } }
      XCTAssertEqual(found.map(\.rule), untested.map(\.rawValue), "\(headers)")
    }
  }

  func testRejectedSamplesAreNamed() throws {
    let report = SignerConformance(OSSSigner(.v4, bucket: "photos", region: ""), samples: try Samples.all()).report(
      [.determinism])
    guard case .broken(let problem)? = report.failures.first?.outcome else { return XCTFail("\(report)") }
    XCTAssertTrue(problem.hasPrefix("seed 0: it was rejected with invalidConfiguration"), problem)
  }

  func testNondeterministicSignatureIsReported() throws {
    let count = Lock(0)
    try assertBreaks([.determinism, .headerOrder, .resigning, .anonymity]) {
      base, request, key, context throws(SigningError) in
      let number = count.withLock { count in
        count += 1
        return count
      }
      try base.sign(&request, with: key, in: context)
      request = request.setting("x-number", "\(number)")
    }
  }

  func testRequestChangedByAFailureIsReported() throws {
    try assertBreaks([.atomicity]) { base, request, key, context throws(SigningError) in
      do throws(SigningError) {
        try base.sign(&request, with: key, in: context)
      } catch {
        request = request.setting("x-oss-date", "now")
        throw error
      }
    }
  }

  func testProblemWithAHostileRequestNamesItsSample() throws {
    let signer = Twisted(
      base: Samples.signer,
      signing: { base, request, key, context throws(SigningError) in
        do throws(SigningError) {
          try base.sign(&request, with: key, in: context)
        } catch {
          throw SigningError(error.code, error.message, remedy: "")
        }
      })
    let report = SignerConformance(signer, samples: try Samples.all()).report([.atomicity])
    guard case .broken(let problem)? = report.failures.first?.outcome else { return XCTFail("\(report)") }
    XCTAssertTrue(problem.hasPrefix("seed 0: the error with"), problem)
  }

  func testErrorWithoutARemedyIsReported() throws {
    try assertBreaks([.atomicity]) { base, request, key, context throws(SigningError) in
      do throws(SigningError) {
        try base.sign(&request, with: key, in: context)
      } catch {
        throw SigningError(error.code, error.message, remedy: "")
      }
    }
  }

  func testChangedPathIsReported() throws {
    try assertBreaks([.untouchedPath, .resigning, .anonymity]) { base, request, key, context throws(SigningError) in
      try base.sign(&request, with: key, in: context)
      request.path = (request.path ?? "") + "#"
    }
  }

  func testChangedHostIsReported() throws {
    try assertBreaks([.untouchedPath]) { base, request, key, context throws(SigningError) in
      try base.sign(&request, with: key, in: context)
      if !key.isAnonymous { request.authority = request.authority?.uppercased() }
    }
  }

  func testRemovedHeaderIsReported() throws {
    try assertBreaks([.keptHeaders, .resigning]) { base, request, key, context throws(SigningError) in
      try base.sign(&request, with: key, in: context)
      if !key.isAnonymous { request.headerFields[.contentType] = nil }
    }
  }

  func testDependenceOnHeaderOrderIsReported() throws {
    try assertBreaks([.headerOrder]) { base, request, key, context throws(SigningError) in
      let names = request.headerFields.filter { $0.name.canonicalName.hasPrefix("x-oss-meta") }.map(
        \.name.canonicalName)
      try base.sign(&request, with: key, in: context)
      if !key.isAnonymous { request = request.setting("x-order", names.joined(separator: ",")) }
    }
  }

  func testRemainsOfAnEarlierSignatureAreReported() throws {
    try assertBreaks([.resigning]) { base, request, key, context throws(SigningError) in
      let isSigned = request.headerFields.contains(.authorization)
      try base.sign(&request, with: key, in: context)
      if isSigned { request = request.setting("x-signed-twice", "yes") }
    }
  }

  func testSignedAnonymousRequestIsReported() throws {
    try assertBreaks([.anonymity]) { base, request, key, context throws(SigningError) in
      let key = key.isAnonymous ? AccessKey(id: "AKIDanonymous", secret: "none") : key
      try base.sign(&request, with: key, in: context)
    }
  }

  func testUnboundSignatureIsReported() throws {
    try assertBreaks([.boundSecret, .boundDate, .boundMethod, .boundPath]) { _, request, key, _ throws(SigningError) in
      if key.isAnonymous { return }
      if AccessKey.unusable.contains(where: { $0.key == key }) { throw .test }
      request.headerFields[.authorization] = "Basic \(key.id)"
    }
  }

  func testSilentlyReplacedCredentialIsReported() throws {
    try assertBreaks([.refusal]) { base, request, key, context throws(SigningError) in
      let isUsable = !AccessKey.unusable.contains { $0.key == key }
      try base.sign(&request, with: isUsable ? key : AccessKey(id: "AKIDbent", secret: "bent"), in: context)
    }
  }

  func testSecretInTheRequestIsReported() throws {
    try assertBreaks([.secrecy]) { base, request, key, context throws(SigningError) in
      try base.sign(&request, with: key, in: context)
      if !key.isAnonymous { request = request.setting("x-debug", "key=\(key.secret.reveal())") }
    }
  }

  func testSecretInAnErrorIsReported() throws {
    try assertBreaks([.secrecy]) { base, request, key, context throws(SigningError) in
      do throws(SigningError) {
        try base.sign(&request, with: key, in: context)
      } catch {
        throw SigningError(error.code, "\(key.secret.reveal()) is wrong.", remedy: error.remedy)
      }
    }
  }

  func testDeadlineInThePastIsReported() throws {
    let signer = TwistedSigner(base: Samples.signer, shift: .seconds(-3))
    let report = SignerConformance(signer, samples: try Samples.all()).report()
    XCTAssertEqual(report.failures.map(\.rule), [SignerRule.validity.rawValue], "\(report)")
  }

  /// Asserts that a signer breaks these rules and no other.
  private func assertBreaks(
    _ rules: [SignerRule], file: StaticString = #filePath, line: UInt = #line, _ sign: @escaping Twisted.Sign
  ) throws {
    let signer = TwistedSigner(base: Samples.signer, signing: sign)
    let report = SignerConformance(signer, samples: try Samples.all()).report()
    XCTAssertEqual(report.failures.map(\.rule), rules.map(\.rawValue), "\(report)", file: file, line: line)
    XCTAssertThrowsError(try report.throwIfFailed(), file: file, line: line)
  }
}
