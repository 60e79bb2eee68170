import COSAuth
import SigningProperties
import StorageAuth
import XCTest

/// What holds for every request that is signed for COS, tried with random ones.
final class COSPropertyTests: XCTestCase {
  // matrix: COS V5: header, verify
  func testWhatIsSignedInHeadersVerifies() throws {
    for scheme in try COSSchemes.all() {
      try Properties.forSeeds(60) { try scheme.headerSignatureVerifies(scheme.sample(seed: $0)) }
    }
  }

  // matrix: COS V5: presign, verify, expiry
  func testWhatIsSignedInURLsVerifiesUntilItEnds() throws {
    for scheme in try COSSchemes.all() {
      try Properties.forSeeds(60) { seed in
        try scheme.urlVerifies(scheme.sample(seed: seed), lifetime: 1 + Int64(seed * 287 % 43_200))
      }
    }
  }

  // matrix: COS V5: header
  func testSigningLeavesPathAndHeadersAsTheyAre() throws {
    for scheme in try COSSchemes.all() {
      try Properties.forSeeds(50) { try scheme.headerSignatureLeavesTheRest(scheme.sample(seed: $0)) }
    }
  }

  // matrix: COS V5: header
  func testTheOrderOfHeadersDoesNotMatter() throws {
    for scheme in try COSSchemes.all() {
      try Properties.forSeeds(50) { try scheme.headerOrderDoesNotMatter(scheme.sample(seed: $0), seed: $0) }
    }
  }

  // matrix: COS V5: header
  func testSigningAgainReplacesWhatTheFirstSignatureLeft() throws {
    for scheme in try COSSchemes.all() {
      try Properties.forSeeds(50) { try scheme.resigningReplaces(scheme.sample(seed: $0), seed: $0) }
    }
  }

  // matrix: COS V5: presign
  func testPresigningOnlyAppendsToTheURLAndWritesNoPlus() throws {
    for scheme in try COSSchemes.all() {
      try Properties.forSeeds(60) { try scheme.urlIsOnlyAppendedTo(scheme.sample(seed: $0)) }
    }
  }

  // matrix: COS V5: presign
  func testTheHeadersOfAPresignedURLHaveToBeSent() throws {
    for scheme in try COSSchemes.all() {
      try Properties.forSeeds(60) { try scheme.urlHeadersAreNeeded(scheme.sample(seed: $0)) }
    }
  }

  // matrix: COS V5: remote signing
  func testRemoteSigningGivesWhatSigningGives() throws {
    for scheme in try COSSchemes.all() {
      try Properties.forSeeds(60) { seed in
        let sample = try scheme.sample(seed: seed)
        try scheme.splitSignatureIsTheSame(sample, secret: sample.key.secret.reveal())
        try scheme.splitURLIsTheSame(sample, secret: sample.key.secret.reveal())
      }
    }
  }

  // matrix: COS V5: header, verify
  func testNoByteOfASignedRequestCanChange() throws {
    var count = 0
    for scheme in try COSSchemes.all() {
      try Properties.forSeeds(3) { seed in
        count += try scheme.noByteCanChange(inHeadersOf: scheme.sample(seed: seed), hostIsSigned: true)
      }
    }
    XCTAssertGreaterThan(count, 5_000)
  }

  // matrix: COS V5: presign, verify
  func testNoByteOfAPresignedURLCanChange() throws {
    var count = 0
    for scheme in try COSSchemes.all() {
      try Properties.forSeeds(3) { seed in
        count += try scheme.noByteCanChange(inURLOf: scheme.sample(seed: seed), hostIsSigned: true)
      }
    }
    XCTAssertGreaterThan(count, 5_000)
  }
}
