// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import SigningProperties
import StorageAuth
import StorageAuthTesting
import XCTest

/// Properties of COS signatures, checked with random requests.
final class COSPropertyTests: XCTestCase {
  // matrix: COS V5: header, verify
  func testHeaderSignaturesVerify() throws {
    for scheme in try COSSchemes.all() {
      try scheme.verifiesHeaders(scheme.samples(60), keeping: .acceptance, .unsigned)
      try scheme.verifiesHeaders(scheme.samples(10), keeping: .secret, .time, .secrecy)
    }
  }

  // matrix: COS V5: presign, verify, expiry
  func testPresignedURLsVerifyUntilTheyExpire() throws {
    for scheme in try COSSchemes.all() {
      for (index, sample) in try scheme.samples(60).enumerated() {
        let lifetime = Duration.seconds(1 + index * 287 % 43_200)
        try scheme.verifiesURLs([sample], lifetime: lifetime, keeping: .acceptance, .time)
      }
      try scheme.verifiesURLs(scheme.samples(10), keeping: .secret, .secrecy)
    }
  }

  // matrix: COS V5: header
  func testFieldsAloneMakeTheSignedRequest() throws {
    for scheme in try COSSchemes.all() { try scheme.signsByFields(scheme.samples(100)) }
  }

  // matrix: COS V5: header, atomicity, bad input
  func testSigningKeepsPathAndHeaders() throws {
    for scheme in try COSSchemes.all() {
      try scheme.signs(
        scheme.samples(50), keeping: .untouchedPath, .keptHeaders, .anonymity, .atomicity, .refusal, .secrecy)
    }
  }

  // matrix: COS V5: header
  func testSignatureDependsOnEveryInput() throws {
    for scheme in try COSSchemes.all() {
      try scheme.signs(
        scheme.samples(50), keeping: .determinism, .boundSecret, .boundDate, .boundMethod, .boundPath, .validity)
    }
  }

  // matrix: COS V5: header
  func testHeaderOrderDoesNotAffectTheSignature() throws {
    for scheme in try COSSchemes.all() { try scheme.signs(scheme.samples(50), keeping: .headerOrder) }
  }

  // matrix: COS V5: header
  func testSigningAgainReplacesTheFirstSignature() throws {
    for scheme in try COSSchemes.all() { try scheme.signs(scheme.samples(50), keeping: .resigning) }
  }

  // matrix: COS V5: presign
  func testPresigningOnlyAppendsToTheURLWithoutPlusSigns() throws {
    for scheme in try COSSchemes.all() {
      try scheme.presigns(scheme.samples(60), keeping: .appending, .determinism, .kept, .preparation)
      try scheme.presigns(scheme.samples(10), keeping: .secrecy)
    }
  }

  // matrix: COS V5: presign, expiry, bad input
  func testPresigningRejectsUnusableInputs() throws {
    for scheme in try COSSchemes.all() {
      try scheme.presigns(
        scheme.samples(60), keeping: .expiry, .endedCredential, .anonymity, .lifetime, .refusal)
    }
  }

  // matrix: COS V5: remote signing
  func testRemoteSigningEqualsLocalSigning() throws {
    for scheme in try COSSchemes.all() {
      try scheme.signsInTwoSteps(scheme.samples(60))
    }
  }

  // matrix: COS V5: header, verify
  func testEveryByteOfASignedRequestIsProtected() throws {
    var count = 0
    for scheme in try COSSchemes.all() {
      count += try scheme.verifiesHeaders(scheme.samples(3), keeping: .path, .headers, .method, .host)
    }
    XCTAssertGreaterThan(count, 5_000)
  }

  // matrix: COS V5: presign, verify
  func testEveryByteOfAPresignedURLIsProtected() throws {
    var count = 0
    for scheme in try COSSchemes.all() {
      count += try scheme.verifiesURLs(scheme.samples(3), keeping: .path, .method, .host)
      try scheme.verifiesURLs(scheme.samples(6), keeping: .headers)
    }
    XCTAssertGreaterThan(count, 5_000)
  }
}
