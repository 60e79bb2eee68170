// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import OSSAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// The suite of forms: a sound signer and verifier conform, and each broken one is reported.
final class FormConformanceTests: XCTestCase {
  private func report(_ signer: TwistedFormSigner, _ verifier: TwistedFormVerifier) throws -> ConformanceReport {
    FormConformance(
      signer, verifier: verifier, endpoint: try ServiceEndpoint("https://oss-cn-hangzhou.aliyuncs.com"),
      bucket: "photos", metadata: "x-oss-meta-author"
    ).report()
  }

  /// Asserts that a verifier breaks these rules and no other.
  private func assertBreaks(
    _ rules: [FormRule], file: StaticString = #filePath, line: UInt = #line,
    _ verifying: @escaping TwistedFormVerifier.Verify
  ) throws {
    let report = try report(TwistedFormSigner(), TwistedFormVerifier(verifying: verifying))
    XCTAssertEqual(report.failures.map(\.rule), rules.map(\.rawValue), "\(report)", file: file, line: line)
  }

  func testFormsOfThePackageConform() throws {
    let report = try report(TwistedFormSigner(), TwistedFormVerifier())
    XCTAssertTrue(report.isConforming, "\(report)")
    XCTAssertEqual(report.checks.count, FormRule.allCases.count)
  }

  func testUnlimitedSizeIsReported() throws {
    try assertBreaks([.acceptance]) { base, form, key, date throws(VerificationError) in
      try base.verify(form, against: key, at: date).with(sizes: 0...Int64.max)
    }
  }

  /// A verifier that checks only the signature.
  func testIgnoredConditionsAreReported() throws {
    try assertBreaks([.fields, .target]) { base, form, key, date throws(VerificationError) in
      do throws(VerificationError) {
        return try base.verify(form, against: key, at: date)
      } catch {
        guard error.code == .conditionFailed else { throw error }
        return VerifiedForm(
          accessKeyID: key.id, key: form["key"] ?? "", sizes: 1...100, contentType: "image/png",
          expiration: date.advanced(by: .seconds(600)), form: form, unlistedFields: [])
      }
    }
  }

  func testIgnoredRepetitionIsReported() throws {
    try assertBreaks([.repetition]) { base, form, key, date throws(VerificationError) in
      var names: Set<String> = []
      let fields = form.fields.reversed().filter { names.insert($0.name.lowercased()).inserted }.reversed()
      return try base.verify(
        SubmittedForm(
          bucket: form.bucket, fields: Array(fields), fileName: form.fileName, fileType: form.fileType),
        against: key, at: date)
    }
  }

  func testHiddenFieldIsReported() throws {
    try assertBreaks([.additions]) { base, form, key, date throws(VerificationError) in
      try base.verify(
        SubmittedForm(
          bucket: form.bucket, fields: form.fields.filter { $0.name != "x-oss-meta-author-other" },
          fileName: form.fileName, fileType: form.fileType),
        against: key, at: date)
    }
  }

  func testIgnoredBucketIsReported() throws {
    try assertBreaks([.target]) { base, form, key, date throws(VerificationError) in
      try base.verify(
        SubmittedForm(bucket: "photos", fields: form.fields, fileName: form.fileName, fileType: form.fileType),
        against: key, at: date)
    }
  }

  func testPathInAFileNameIsReported() throws {
    try assertBreaks([.fileName]) { base, form, key, date throws(VerificationError) in
      let verified = try base.verify(form, against: key, at: date)
      let isPath = form.fileName != "cat.png"
      return isPath ? verified.with(key: "up/\(form.fileName ?? "")") : verified
    }
  }

  func testIgnoredExpirationIsReported() throws {
    try assertBreaks([.time]) { base, form, key, _ throws(VerificationError) in
      try base.verify(form, against: key, at: Timestamp(unixSeconds: 1_795_161_600))
    }
  }

  func testIgnoredTokenIsReported() throws {
    try assertBreaks([.key]) { base, form, key, date throws(VerificationError) in
      let own = AccessKey(
        id: key.id, secret: key.secret, sessionToken: form["x-oss-security-token"].map { Secret($0) })
      return try base.verify(form, against: own, at: date)
    }
  }

  func testSigningWithUnusableKeysIsReported() throws {
    for replaced in [\AccessKey.isAnonymous, \.isUnusable, \.ends] {
      let report = try report(
        TwistedFormSigner(signing: { base, policy, endpoint, key, context throws(SigningError) in
          let other = AccessKey(id: "AKIDother", secret: "another")
          return try base.sign(policy, to: endpoint, with: key[keyPath: replaced] ? other : key, in: context)
        }), TwistedFormVerifier())
      XCTAssertEqual(report.failures.map(\.rule), [FormRule.refusal.rawValue], "\(report)")
    }
  }

  func testSecretInAFormIsReported() throws {
    let report = try report(
      TwistedFormSigner(signing: { base, policy, endpoint, key, context throws(SigningError) in
        let form = try base.sign(policy, to: endpoint, with: key, in: context)
        return SignedForm(
          url: "\(form.url)?debug=\(key.secret.reveal())", fields: form.fields, openConditions: form.openConditions,
          sizes: form.sizes, expiration: form.expiration)
      }), TwistedFormVerifier())
    XCTAssertEqual(report.failures.map(\.rule), [FormRule.secrecy.rawValue], "\(report)")
  }

  func testTokenInAnErrorIsReported() throws {
    try assertBreaks([.secrecy]) { base, form, key, date throws(VerificationError) in
      do throws(VerificationError) {
        return try base.verify(form, against: key, at: date)
      } catch {
        throw VerificationError(error.code, "The fields are \(form.fields.map(\.value)).", remedy: "None.")
      }
    }
  }
}

extension AccessKey {
  fileprivate var isUnusable: Bool { AccessKey.unusable.contains { $0.key == self } }

  fileprivate var ends: Bool { expiration != nil }
}

extension VerifiedForm {
  fileprivate func with(key: String? = nil, sizes: ClosedRange<Int64>? = nil) -> VerifiedForm {
    VerifiedForm(
      accessKeyID: accessKeyID, key: key ?? self.key, sizes: sizes ?? self.sizes, contentType: contentType,
      expiration: expiration, form: form, unlistedFields: unlistedFields)
  }
}

/// A signer of forms that behaves like that of OSS, except for a replaced operation.
struct TwistedFormSigner: FormSigner {
  typealias Sign =
    @Sendable (OSSSigner, FormPolicy, ServiceEndpoint, AccessKey, SigningContext) throws(SigningError) -> SignedForm

  var signing: Sign = { base, policy, endpoint, key, context throws(SigningError) in
    try base.sign(policy, to: endpoint, with: key, in: context)
  }

  func sign(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) -> SignedForm {
    try signing(OSSSigner(.v4, region: "cn-hangzhou"), policy, endpoint, key, context)
  }
}

/// A verifier of forms that behaves like that of OSS, except for a replaced operation.
struct TwistedFormVerifier: FormVerifier {
  typealias Verify =
    @Sendable (OSSVerifier, SubmittedForm, AccessKey, Timestamp) throws(VerificationError) -> VerifiedForm

  private let base = OSSVerifier(region: "cn-hangzhou")
  var verifying: Verify = { base, form, key, date throws(VerificationError) in
    try base.verify(form, against: key, at: date)
  }

  init(verifying: Verify? = nil) {
    if let verifying { self.verifying = verifying }
  }

  func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim {
    // The parser of a claim is the verifier's own, so that only the replaced operation decides about repeated fields.
    var names: Set<String> = []
    let fields = form.fields.filter { names.insert($0.name.lowercased()).inserted }
    return try base.claim(in: SubmittedForm(bucket: form.bucket, fields: fields))
  }

  func verify(
    _ form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    try verifying(base, form, key, date)
  }
}
