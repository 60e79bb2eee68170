// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// Settings of the OSS verifier, and agreement of all components about URL lifetimes.
final class OSSVerifierSettingTests: XCTestCase {
  private let date = OSSFixture.date

  // matrix: OSS V1: verify, form
  // matrix: OSS V4: verify, form
  func testDisabledVersionIsRejectedBeforeTheKeyLookup() throws {
    for version in OSSSignatureVersion.allCases {
      let own = OSSVerifier(acceptedVersions: [version])
      let others = [
        OSSVerifier(acceptedVersions: Set(OSSSignatureVersion.allCases).subtracting([version])),
        OSSVerifier(acceptedVersions: []),
      ]
      for request in [try OSSFixture.signed(version), try OSSFixture.presigned(version)] {
        XCTAssertNil(try OSSFixture.refusal(request))
        XCTAssertNil(try OSSFixture.refusal(request, by: own))
        let claim = try XCTUnwrap(own.claim(in: request))
        for other in others {
          XCTAssertThrowsError(try other.claim(in: request)) {
            XCTAssertEqual(($0 as? VerificationError)?.code, .unsupported)
          }
          XCTAssertThrowsError(try other.verify(claim, against: OSSFixture.key, at: date))
        }
      }
      let policy = FormPolicy(bucket: "photos", objects: .key("a"), until: date.advanced(by: .seconds(60)))
      let form = try OSSFixture.signer(version).sign(
        policy, to: .oss(region: "cn-hangzhou"), with: OSSFixture.key, in: .at(date))
      let submitted = SubmittedForm(bucket: "photos", fields: form.fields)
      XCTAssertNoThrow(try own.verify(submitted, against: OSSFixture.key, at: date))
      for other in others { XCTAssertThrowsError(try other.verify(submitted, against: OSSFixture.key, at: date)) }
    }
  }

  // matrix: OSS V1: verify, expiry
  func testV1URLBeyondTheLifetimeLimitIsRejected() throws {
    let request = OSSFixture.request()
    func refusal(_ seconds: Int64, by verifier: OSSVerifier = OSSVerifier()) throws -> VerificationError? {
      let url = try OSSFixture.presigned(.v1, request, for: .seconds(seconds))
      return try OSSFixture.refusal(url, by: verifier)
    }
    XCTAssertNil(try refusal(604_800))
    let error = try XCTUnwrap(refusal(604_801))
    XCTAssertEqual(error.code, .lifetimeOutOfRange)
    XCTAssertTrue(error.remedy.contains("urlLifetime"), error.remedy)
    let far = 999_999_999_999 - date.unixSeconds
    XCTAssertEqual(try refusal(far)?.code, .lifetimeOutOfRange)
    XCTAssertNil(try refusal(far, by: OSSVerifier(limits: .asServices)))
    let hour = OSSVerifier(limits: VerificationLimits(urlLifetime: .seconds(3600)))
    XCTAssertNil(try refusal(3600, by: hour))
    XCTAssertEqual(try refusal(3601, by: hour)?.code, .lifetimeOutOfRange)
    let url = try OSSFixture.presigned(.v1, request, for: .seconds(3700))
    XCTAssertNil(
      try OSSFixture.refusal(url, at: date.advanced(by: .seconds(100)), by: hour), "the remaining lifetime is one hour")
  }

  // matrix: OSS V4: verify, expiry
  func testVerifiersLifetimeLimitAppliesToV4URLs() throws {
    let hour = OSSVerifier(limits: VerificationLimits(urlLifetime: .seconds(3600)))
    for (seconds, code) in [(Int64(3600), nil), (3601, VerificationError.Code.lifetimeOutOfRange)] {
      let url = try OSSFixture.presigned(.v4, for: .seconds(seconds))
      XCTAssertEqual(try OSSFixture.refusal(url, by: hour)?.code, code)
      XCTAssertNil(try OSSFixture.refusal(url))
    }
  }

  // matrix: OSS V1: form, expiry
  func testFormBeyondTheLifetimeLimitIsRejected() throws {
    for (seconds, code) in [(Int64(604_800), nil), (604_801, VerificationError.Code.lifetimeOutOfRange)] {
      let policy = FormPolicy(bucket: "photos", objects: .key("a"), until: date.advanced(by: .seconds(seconds)))
      let form = try OSSFixture.signer(.v1).sign(
        policy, to: .oss(region: "cn-hangzhou"), with: OSSFixture.key, in: .at(date))
      let submitted = SubmittedForm(bucket: "photos", fields: form.fields)
      func refusal(_ verifier: OSSVerifier) -> VerificationError.Code? {
        do throws(VerificationError) {
          _ = try verifier.verify(submitted, against: OSSFixture.key, at: date)
          return nil
        } catch {
          return error.code
        }
      }
      XCTAssertEqual(refusal(OSSVerifier()), code)
      XCTAssertNil(refusal(OSSVerifier(limits: .asServices)))
    }
  }

  /// Returns a V4 URL with an arbitrary lifetime in seconds, with its pending signature.
  ///
  /// It is a short-lived URL whose lifetime is replaced.
  private func pending(_ seconds: Int64, _ key: AccessKey) throws -> SigningRequest {
    let short = try OSSFixture.signer(.v4).prepare(
      presigning: OSSFixture.request(), as: key.identity, validFor: .seconds(60), in: .at(date))
    let canonical = try XCTUnwrap(short.canonicalRequest)
      .replacing("x-oss-expires=60", with: "x-oss-expires=\(seconds)")
    let hash = ReferenceHash.sha256.digest(Array(canonical.utf8)).hexText
    let head = short.stringToSign.split(separator: "\n").dropLast().joined(separator: "\n")
    return SigningRequest(.ossV4, method: "GET", stringToSign: "\(head)\n\(hash)", canonicalRequest: canonical)
  }

  // matrix: OSS V4: presign, verify, remote signing, form, expiry
  func testSignerVerifierAndRemoteSignerAgreeOnV4Lifetimes() throws {
    XCTAssertEqual(OSSLimits.urlLifetime, .seconds(7 * 86_400))
    XCTAssertEqual(OSSLimits.temporaryURLLifetime, .seconds(12 * 3600))
    XCTAssertEqual(OSSVerifier.clockTolerance, .seconds(15 * 60))
    let rules = SigningRules(RemoteOperations.everything(in: "photos"), lifetime: .seconds(1_000_000))
    let verifier = OSSVerifier(limits: .asServices)
    let remote = OSSStringToSignSigner(region: "cn-hangzhou")
    for (key, limit) in [(OSSFixture.key, Int64(604_800)), (OSSFixture.temporary, 43_200)] {
      for seconds in [0, 1, limit - 1, limit, limit + 1, 604_800, 604_801] {
        let isAllowed = (1...limit).contains(seconds)
        let url = try? OSSFixture.presigned(.v4, with: key, for: .seconds(seconds))
        XCTAssertEqual(url != nil, isAllowed, "the signer: \(key.id) \(seconds)")
        let order = try pending(seconds, key)
        let answer = try? remote.sign(order, with: key, under: rules, at: date)
        XCTAssertEqual(answer != nil, isAllowed, "the remote signer: \(key.id) \(seconds)")
        // An independent reference without limits: the signature of the string, computed by code outside of the
        // package.
        let scope = ["20261120", "cn-hangzhou", "oss", "aliyun_v4_request"]
        let signingKey = scope.reduce(Array("aliyun_v4\(key.secret.reveal())".utf8)) {
          ReferenceHash.sha256.authenticationCode(key: $0, message: $1)
        }
        let signature = ReferenceHash.sha256.authenticationCode(key: signingKey, message: order.stringToSign).hexText
        let query = try XCTUnwrap(order.canonicalRequest).split(separator: "\n", omittingEmptySubsequences: false)[2]
        let sent = OSSFixture.request(.get, "/cat.jpg?\(query)&x-oss-signature=\(signature)")
        XCTAssertEqual(
          try OSSFixture.refusal(sent, against: key, by: verifier)?.code, isAllowed ? nil : .malformed,
          "the verifier: \(key.id) \(seconds)")
      }
    }
    for (seconds, isAllowed) in [(Int64(604_800), true), (604_801, false)] {
      let policy = FormPolicy(bucket: "photos", objects: .key("a"), until: date.advanced(by: .seconds(seconds)))
      let form = try? OSSFixture.signer(.v4).sign(
        policy, to: .oss(region: "cn-hangzhou"), with: OSSFixture.key, in: .at(date))
      XCTAssertEqual(form != nil, isAllowed, "the form: \(seconds)")
    }
  }

  // matrix: OSS V4: verify, skew
  func testXOSSDateTakesPrecedenceOverDate() throws {
    let other = date.advanced(by: .seconds(-3600)).httpDate
    let signed = try OSSFixture.signed(.v4)
    XCTAssertNil(try OSSFixture.refusal(signed.adding("date", other)))
    var moved = signed
    moved.headerFields[.named("x-oss-date")] = nil
    XCTAssertEqual(try OSSFixture.refusal(moved)?.code, .malformed)
    XCTAssertEqual(try OSSFixture.refusal(moved.adding("date", date.httpDate))?.code, .mismatch)
    XCTAssertEqual(try OSSFixture.refusal(moved.adding("date", other))?.code, .clockSkew)
    XCTAssertEqual(try OSSFixture.refusal(moved.adding("date", "yesterday"))?.code, .malformed)
    XCTAssertEqual(
      try OSSFixture.refusal(moved.adding("date", date.httpDate).adding("date", other))?.code, .ambiguous)
  }
}
