// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import StorageAuthTesting
import XCTest

/// Properties of OSS signatures, checked with random requests.
final class OSSPropertyTests: XCTestCase {
  // matrix: OSS V1: header, verify
  // matrix: OSS V4: header, verify
  func testHeaderSignaturesVerify() throws {
    for scheme in try OSSSchemes.all() {
      try scheme.verifiesHeaders(scheme.samples(150), keeping: .acceptance, .unsigned)
      try scheme.verifiesHeaders(scheme.samples(10), keeping: .secret, .time, .secrecy)
    }
  }

  // matrix: OSS V1: presign, verify, expiry
  // matrix: OSS V4: presign, verify, expiry
  func testPresignedURLsVerifyUntilTheyExpire() throws {
    for scheme in try OSSSchemes.all() {
      for (index, sample) in try scheme.samples(150).enumerated() {
        let lifetime = Duration.seconds(1 + index * 287 % 43_200)
        try scheme.verifiesURLs([sample], lifetime: lifetime, keeping: .acceptance, .time)
      }
      try scheme.verifiesURLs(scheme.samples(10), keeping: .secret, .secrecy)
    }
  }

  // matrix: OSS V1: header
  // matrix: OSS V4: header
  func testFieldsAloneMakeTheSignedRequest() throws {
    for scheme in try OSSSchemes.all() { try scheme.signsByFields(scheme.samples(100)) }
  }

  // matrix: OSS V1: header, atomicity, bad input
  // matrix: OSS V4: header, atomicity, bad input
  func testSigningKeepsPathAndHeaders() throws {
    for scheme in try OSSSchemes.all() {
      try scheme.signs(
        scheme.samples(100), keeping: .untouchedPath, .keptHeaders, .anonymity, .atomicity, .refusal, .secrecy)
    }
  }

  // matrix: OSS V1: header
  // matrix: OSS V4: header
  func testSignatureDependsOnEveryInput() throws {
    for scheme in try OSSSchemes.all() {
      try scheme.signs(
        scheme.samples(100), keeping: .determinism, .boundSecret, .boundDate, .boundMethod, .boundPath, .validity)
    }
  }

  // matrix: OSS V1: header
  // matrix: OSS V4: header
  func testHeaderOrderDoesNotAffectTheSignature() throws {
    for scheme in try OSSSchemes.all() { try scheme.signs(scheme.samples(100), keeping: .headerOrder) }
  }

  // matrix: OSS V1: header
  // matrix: OSS V4: header
  func testSigningAgainReplacesTheFirstSignature() throws {
    for scheme in try OSSSchemes.all() { try scheme.signs(scheme.samples(100), keeping: .resigning) }
  }

  // matrix: OSS V1: presign
  // matrix: OSS V4: presign
  func testPresigningOnlyAppendsToTheURLWithoutPlusSigns() throws {
    for scheme in try OSSSchemes.all() {
      try scheme.presigns(scheme.samples(150), keeping: .appending, .determinism, .kept, .preparation)
      try scheme.presigns(scheme.samples(10), keeping: .secrecy)
    }
  }

  // matrix: OSS V1: presign, expiry, bad input
  // matrix: OSS V4: presign, expiry, bad input
  func testPresigningRejectsUnusableInputs() throws {
    for scheme in try OSSSchemes.all() {
      try scheme.presigns(
        scheme.samples(60), keeping: .expiry, .endedCredential, .anonymity, .lifetime, .refusal)
    }
  }

  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  func testRemoteSigningEqualsLocalSigning() throws {
    for scheme in try OSSSchemes.all() {
      try scheme.signsInTwoSteps(scheme.samples(60))
    }
  }

  // matrix: OSS V1: header, verify
  // matrix: OSS V4: header, verify
  func testEveryByteOfASignedRequestIsProtected() throws {
    var count = 0
    for scheme in try OSSSchemes.all() {
      let samples = try scheme.bucketHostSamples(6)
      count += try scheme.verifiesHeaders(samples, keeping: .path, .headers, .method)
      if scheme.maker.endpoint.style == .virtualHosted { try scheme.verifiesHeaders(samples, keeping: .host) }
    }
    XCTAssertGreaterThan(count, 3_000)
  }

  // matrix: OSS V1: presign, verify
  // matrix: OSS V4: presign, verify
  func testEveryByteOfAPresignedURLIsProtected() throws {
    var count = 0
    for scheme in try OSSSchemes.all() {
      count += try scheme.verifiesURLs(scheme.bucketHostSamples(6), keeping: .path, .method)
      try scheme.verifiesURLs(scheme.samples(20), keeping: .headers)
    }
    XCTAssertGreaterThan(count, 3_000)
  }

  // matrix: OSS V4: header, presign, verify
  func testAdditionalHeadersAndTheHostAreSigned() throws {
    let scheme = try OSSSchemes.scheme(.v4, additionalHeaders: ["Host", "range", "Content-Length", "x-oss-meta-a"])
    let samples = try scheme.samples(40)
    try scheme.verifiesHeaders(samples, keeping: .acceptance)
    try scheme.verifiesURLs(samples, keeping: .acceptance)
    try scheme.signsInTwoSteps(samples, keeping: [.headers, .urls])
    try scheme.verifiesHeaders(scheme.samples(6), keeping: .path, .headers, .method, .host)
    try scheme.verifiesURLs(scheme.samples(6), keeping: .path, .headers, .method, .host)
  }
}

extension SigningScheme where Signing == OSSSigner {
  /// Returns samples whose host label is only the bucket, because the rest of the host is not part of the signature.
  fileprivate func bucketHostSamples(_ count: Int) throws -> [SigningSample<AccessKey>] {
    try samples(count).map { sample in
      var sample = sample
      if maker.endpoint.style == .virtualHosted { sample.request.authority = "photos." }
      return sample
    }
  }
}
