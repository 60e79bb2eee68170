// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// Completion of requests with signatures from a remote signer.
final class OSSRemoteSigningTests: XCTestCase {
  private let zeros = String(repeating: "0", count: 64)

  private func pending(_ version: OSSSignatureVersion, presigned: Bool) throws -> PendingSignature {
    let identity = OSSFixture.key.identity
    let signer = OSSFixture.signer(version)
    return presigned
      ? try signer.prepare(
        presigning: OSSFixture.request(), as: identity, validFor: .seconds(600), in: .at(OSSFixture.date))
      : try signer.prepare(OSSFixture.request(), as: identity, in: .at(OSSFixture.date))
  }

  // matrix: OSS V1: remote signing, bad input
  // matrix: OSS V4: remote signing, bad input
  func testSignatureWithWrongFormatOrIdIsRejected() throws {
    for version in OSSSignatureVersion.allCases {
      for presigned in [false, true] {
        let pending = try pending(version, presigned: presigned)
        let foreign = version == .v1 ? zeros : "AAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let signatures = [
          "", " ", "x", foreign, String(zeros.dropLast()), zeros + "0", zeros.replacing("0", with: "g"),
          zeros.replacing("0", with: "A"), "AAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", "AAAAAAAAAAAAAAAAAAAAAAAAAAA", "=",
          "AAAAAAAAAAAAAAAAAAAAAAAAAAB=", "OSS other:AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
          "OSS LTAIexample2:AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "oss LTAIexample:AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
          "OSS4-HMAC-SHA256 Credential=LTAIother/20261120/cn-hangzhou/oss/aliyun_v4_request,Signature=" + zeros,
          "OSS4-HMAC-SHA256 Credential=LTAIexample/20261121/cn-hangzhou/oss/aliyun_v4_request,Signature=" + zeros,
        ]
        for signature in signatures {
          let error = try signingError { () throws(SigningError) in
            try OSSFixture.signer(version).finish(pending, signature: signature)
          }
          XCTAssertEqual(error.code, .invalidSignature, "\(version) \(signature)")
          if version == .v4, signature == foreign {
            XCTAssertTrue(error.remedy.contains("signature: .v1"), error.remedy)
          }
        }
      }
    }
  }

  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  func testFullAuthorizationAndBareSignatureAreAccepted() throws {
    for version in OSSSignatureVersion.allCases {
      let signed = try OSSFixture.signed(version)
      let authorization = try XCTUnwrap(signed.headerFields[.authorization])
      let pending = try pending(version, presigned: false)
      XCTAssertEqual(try OSSFixture.signer(version).finish(pending, signature: authorization), signed)
      let bare = String(authorization.split(separator: version == .v1 ? ":" : "Signature=").last ?? "")
      XCTAssertEqual(try OSSFixture.signer(version).finish(pending, signature: bare), signed)
    }
  }

  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  func testFinishingReplacesAnEarlierAuthorization() throws {
    for version in OSSSignatureVersion.allCases {
      let signed = try OSSFixture.signed(version)
      let authorization = try XCTUnwrap(signed.headerFields[.authorization])
      let signer = OSSFixture.signer(version)
      let pending = try signer.prepare(signed, as: OSSFixture.key.identity, in: .at(OSSFixture.date))
      let again = try signer.finish(pending, signature: authorization)
      XCTAssertEqual(again.headerFields[values: .authorization], [authorization], "\(version)")
    }
  }

  // matrix: OSS V1: remote signing
  func testSignatureFromTheVendorsDocumentationCompletesItsRequest() throws {
    let request = OSSFixture.request(.put, "/nelson", host: "oss-example.oss-cn-hangzhou.aliyuncs.com")
      .adding("content-md5", "ODBGOERFMDMzQTczRUY3NUE3NzA5QzdFNUYzMDQxNEM=").adding("content-type", "text/html")
      .adding("x-oss-meta-author", "foo@bar.com").adding("x-oss-magic", "abracadabra")
    let signer = OSSSigner(.v1, bucket: "oss-example")
    let pending = try signer.prepare(
      request, as: Identity(id: "44CF9590006BF252F707"), in: .at(Timestamp(unixSeconds: 1_132_253_398)))
    let signed = try signer.finish(pending, signature: "26NBxoKdsyly4EDv6inkoDft/yA=")
    XCTAssertEqual(signed.headerFields[.authorization], "OSS 44CF9590006BF252F707:26NBxoKdsyly4EDv6inkoDft/yA=")
    let key = AccessKey(id: "44CF9590006BF252F707", secret: "OtxrzxIsfpFjA7SwPzILwy8Bw21TLhquhboDYROV")
    XCTAssertNil(try OSSFixture.refusal(signed, against: key, at: Timestamp(unixSeconds: 1_132_253_398)))
  }

  // matrix: OSS V1: remote signing, expiry
  // matrix: OSS V4: remote signing, expiry
  func testRemoteSigningEnforcesURLLifetimeLimits() throws {
    let end = Timestamp(unixSeconds: OSSFixture.date.unixSeconds + 10)
    let identity = Identity(id: "STS.example", sessionToken: Secret("t"), expiration: end)
    for version in OSSSignatureVersion.allCases {
      for (lifetime, code) in [(Int64(0), SigningError.Code.lifetimeOutOfRange), (11, .credentialEndsFirst)] {
        let error = try signingError { () throws(SigningError) in
          try OSSFixture.signer(version).prepare(
            presigning: OSSFixture.request(), as: identity, validFor: .seconds(lifetime), in: .at(OSSFixture.date))
        }
        XCTAssertEqual(error.code, code)
      }
    }
  }
}
