// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import SigningProperties
import StorageAuth
import StorageAuthTesting
import XCTest

/// Completion of requests with signatures from a remote signer.
final class COSRemoteSigningTests: XCTestCase {
  private let zeros = String(repeating: "0", count: 40)

  // matrix: COS V5: remote signing, bad input
  func testSignatureWithWrongFormatOrIdIsRejected() throws {
    let signed = try COSFixture.signed()
    let authorization = try XCTUnwrap(signed.headerFields[.authorization])
    for presigned in [false, true] {
      let identity = COSFixture.key.identity
      let pending =
        presigned
        ? try COSSigner().prepare(
          presigning: COSFixture.request(), as: identity, validFor: .seconds(600), in: .at(COSFixture.date))
        : try COSSigner().prepare(COSFixture.request(), as: identity, in: .at(COSFixture.date))
      for signature in [
        "", " ", "x", String(zeros.dropLast()), zeros + "0", zeros.replacing("0", with: "g"),
        zeros.replacing("0", with: "A"),
        zeros + "\n", zeros + "&q-ak=x", authorization.replacing("q-ak=AKIDexample", with: "q-ak=AKIDother"),
        authorization.replacing("1795161600", with: "1795161601"), authorization.replacing("list=host", with: "list="),
      ] {
        let error = try signingError { () throws(SigningError) in
          try COSSigner().finish(pending, signature: signature)
        }
        XCTAssertEqual(error.code, .invalidSignature, signature)
      }
    }
  }

  // matrix: COS V5: remote signing
  func testFullAuthorizationAndBareSignatureAreAccepted() throws {
    let signed = try COSFixture.signed()
    let authorization = try XCTUnwrap(signed.headerFields[.authorization])
    let pending = try COSSigner().prepare(COSFixture.request(), as: COSFixture.key.identity, in: .at(COSFixture.date))
    XCTAssertEqual(try COSSigner().finish(pending, signature: authorization), signed)
    XCTAssertEqual(try COSSigner().finish(pending, signature: String(authorization.suffix(40))), signed)
  }

  // matrix: COS V5: remote signing
  func testFinishingReplacesAnEarlierAuthorization() throws {
    let signed = try COSFixture.signed()
    let authorization = try XCTUnwrap(signed.headerFields[.authorization])
    let pending = try COSSigner().prepare(signed, as: COSFixture.key.identity, in: .at(COSFixture.date))
    let again = try COSSigner().finish(pending, signature: authorization)
    XCTAssertEqual(again.headerFields[values: .authorization], [authorization])
  }

  // matrix: COS V5: remote signing
  func testLegacySignParameterCanBeSignedRemotely() throws {
    let scheme = try COSSchemes.scheme(form: .sign)
    try scheme.signsInTwoSteps(scheme.samples(20), keeping: [.urls])
  }

  // matrix: COS V5: remote signing
  func testSignatureFromTheVendorsSDKsCompletesTheirRequest() throws {
    // Vector h01-get-simple, for which the SDKs for Python, Go, Node and Java agree.
    let signature = "7161ceb34c8ea17a402e3642050e07abb4cbf0a2"
    let identity = Identity(
      id: "AKIDQjz3ltompVjBni5LitkWHFlFpwkn9U5q", start: Timestamp(unixSeconds: 1_700_000_000),
      expiration: Timestamp(unixSeconds: 1_700_003_600))
    let host = "examplebucket-1250000000.cos.ap-guangzhou.myqcloud.com"
    let request = COSFixture.request(.get, "/exampleobject", host: host)
    let pending = try COSSigner().prepare(request, as: identity, in: .at(COSFixture.date))
    let finished = try COSSigner().finish(pending, signature: signature)
    let key = AccessKey(id: identity.id, secret: "BQYIM75p8x0iWVFSIgqEKwFprpRSVHlz")
    XCTAssertNil(try COSFixture.refusal(finished, .strict, against: key, at: Timestamp(unixSeconds: 1_700_000_000)))
  }
}
