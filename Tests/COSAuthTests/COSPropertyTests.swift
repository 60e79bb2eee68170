import COSAuth
import SigningProperties
import StorageAuth
import StorageAuthTesting
import XCTest

/// What holds for every request that is signed for COS, tried with random ones.
final class COSPropertyTests: XCTestCase {
  // matrix: COS V5: header, verify
  func testWhatIsSignedInHeadersVerifies() throws {
    for scheme in try COSSchemes.all() {
      try scheme.verifiesHeaders(scheme.samples(60), keeping: .acceptance, .unsigned)
      try scheme.verifiesHeaders(scheme.samples(10), keeping: .secret, .time, .secrecy)
    }
  }

  // matrix: COS V5: presign, verify, expiry
  func testWhatIsSignedInURLsVerifiesUntilItEnds() throws {
    for scheme in try COSSchemes.all() {
      for (index, sample) in try scheme.samples(60).enumerated() {
        let lifetime = Duration.seconds(1 + index * 287 % 43_200)
        try scheme.verifiesURLs([sample], lifetime: lifetime, keeping: .acceptance, .time)
      }
      try scheme.verifiesURLs(scheme.samples(10), keeping: .secret, .secrecy)
    }
  }

  // matrix: COS V5: header, atomicity, bad input
  func testSigningLeavesPathAndHeadersAsTheyAre() throws {
    for scheme in try COSSchemes.all() {
      try scheme.signs(
        scheme.samples(50), keeping: .untouchedPath, .keptHeaders, .anonymity, .atomicity, .refusal, .secrecy)
    }
  }

  // matrix: COS V5: header
  func testASignatureDependsOnItsInputsAndOnAllOfThem() throws {
    for scheme in try COSSchemes.all() {
      try scheme.signs(
        scheme.samples(50), keeping: .determinism, .boundSecret, .boundDate, .boundMethod, .boundPath, .validity)
    }
  }

  // matrix: COS V5: header
  func testTheOrderOfHeadersDoesNotMatter() throws {
    for scheme in try COSSchemes.all() { try scheme.signs(scheme.samples(50), keeping: .headerOrder) }
  }

  // matrix: COS V5: header
  func testSigningAgainReplacesWhatTheFirstSignatureLeft() throws {
    for scheme in try COSSchemes.all() { try scheme.signs(scheme.samples(50), keeping: .resigning) }
  }

  // matrix: COS V5: presign
  func testPresigningOnlyAppendsToTheURLAndWritesNoPlus() throws {
    for scheme in try COSSchemes.all() {
      try scheme.presigns(scheme.samples(60), keeping: .appending, .determinism, .kept)
      try scheme.presigns(scheme.samples(10), keeping: .secrecy)
    }
  }

  // matrix: COS V5: presign, expiry, bad input
  func testPresigningRefusesWhatCannotWork() throws {
    for scheme in try COSSchemes.all() {
      try scheme.presigns(
        scheme.samples(60), keeping: .expiry, .endedCredential, .anonymity, .lifetime, .refusal)
    }
  }

  // matrix: COS V5: remote signing
  func testRemoteSigningGivesWhatSigningGives() throws {
    for scheme in try COSSchemes.all() {
      for sample in try scheme.samples(60) {
        try scheme.splitSignatureIsTheSame(sample)
        try scheme.splitURLIsTheSame(sample)
      }
    }
  }

  // matrix: COS V5: header, verify
  func testNoByteOfASignedRequestCanChange() throws {
    var count = 0
    for scheme in try COSSchemes.all() {
      count += try scheme.verifiesHeaders(scheme.samples(3), keeping: .path, .headers, .method, .host)
    }
    XCTAssertGreaterThan(count, 5_000)
  }

  // matrix: COS V5: presign, verify
  func testNoByteOfAPresignedURLCanChange() throws {
    var count = 0
    for scheme in try COSSchemes.all() {
      count += try scheme.verifiesURLs(scheme.samples(3), keeping: .path, .method, .host)
      try scheme.verifiesURLs(scheme.samples(6), keeping: .headers)
    }
    XCTAssertGreaterThan(count, 5_000)
  }
}
