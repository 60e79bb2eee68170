import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// What holds for every request that is signed for OSS, tried with random ones.
final class OSSPropertyTests: XCTestCase {
  // matrix: OSS V1: header, verify
  // matrix: OSS V4: header, verify
  func testWhatIsSignedInHeadersVerifies() throws {
    for scheme in try OSSSchemes.all() {
      try Properties.forSeeds(150) { try scheme.headerSignatureVerifies(scheme.sample(seed: $0)) }
    }
  }

  // matrix: OSS V1: presign, verify, expiry
  // matrix: OSS V4: presign, verify, expiry
  func testWhatIsSignedInURLsVerifiesUntilItEnds() throws {
    for scheme in try OSSSchemes.all() {
      try Properties.forSeeds(150) { seed in
        try scheme.urlVerifies(scheme.sample(seed: seed), lifetime: 1 + Int64(seed * 287 % 43_200))
      }
    }
  }

  // matrix: OSS V1: header
  // matrix: OSS V4: header
  func testSigningLeavesPathAndHeadersAsTheyAre() throws {
    for scheme in try OSSSchemes.all() {
      try Properties.forSeeds(100) { try scheme.headerSignatureLeavesTheRest(scheme.sample(seed: $0)) }
    }
  }

  // matrix: OSS V1: header
  // matrix: OSS V4: header
  func testTheOrderOfHeadersDoesNotMatter() throws {
    for scheme in try OSSSchemes.all() {
      try Properties.forSeeds(100) { try scheme.headerOrderDoesNotMatter(scheme.sample(seed: $0), seed: $0) }
    }
  }

  // matrix: OSS V1: header
  // matrix: OSS V4: header
  func testSigningAgainReplacesWhatTheFirstSignatureLeft() throws {
    for scheme in try OSSSchemes.all() {
      try Properties.forSeeds(100) { try scheme.resigningReplaces(scheme.sample(seed: $0), seed: $0) }
    }
  }

  // matrix: OSS V1: presign
  // matrix: OSS V4: presign
  func testPresigningOnlyAppendsToTheURLAndWritesNoPlus() throws {
    for scheme in try OSSSchemes.all() {
      try Properties.forSeeds(150) { try scheme.urlIsOnlyAppendedTo(scheme.sample(seed: $0)) }
    }
  }

  // matrix: OSS V1: presign
  // matrix: OSS V4: presign
  func testTheHeadersOfAPresignedURLHaveToBeSent() throws {
    for scheme in try OSSSchemes.all() {
      try Properties.forSeeds(60) { try scheme.urlHeadersAreNeeded(scheme.sample(seed: $0)) }
    }
  }

  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  func testRemoteSigningGivesWhatSigningGives() throws {
    for scheme in try OSSSchemes.all() {
      try Properties.forSeeds(60) { seed in
        let sample = try scheme.sample(seed: seed)
        try scheme.splitSignatureIsTheSame(sample, secret: sample.key.secret.reveal())
        try scheme.splitURLIsTheSame(sample, secret: sample.key.secret.reveal())
      }
    }
  }

  // matrix: OSS V1: header, verify
  // matrix: OSS V4: header, verify
  func testNoByteOfASignedRequestCanChange() throws {
    var count = 0
    for scheme in try OSSSchemes.all() {
      try Properties.forSeeds(6) { seed in
        let hostIsSigned = scheme.endpoint.style == .virtualHosted
        count += try scheme.noByteCanChange(inHeadersOf: scheme.bucketHostSample(seed), hostIsSigned: hostIsSigned)
      }
    }
    XCTAssertGreaterThan(count, 3_000)
  }

  // matrix: OSS V1: presign, verify
  // matrix: OSS V4: presign, verify
  func testNoByteOfAPresignedURLCanChange() throws {
    var count = 0
    for scheme in try OSSSchemes.all() {
      try Properties.forSeeds(6) { seed in
        count += try scheme.noByteCanChange(inURLOf: scheme.bucketHostSample(seed), hostIsSigned: false)
      }
    }
    XCTAssertGreaterThan(count, 3_000)
  }

  // matrix: OSS V4: header, presign, verify
  func testAdditionalHeadersAndTheHostAreSigned() throws {
    let scheme = try OSSSchemes.scheme(.v4, additionalHeaders: ["Host", "range", "Content-Length", "x-oss-meta-a"])
    try Properties.forSeeds(40) { seed in
      let sample = try scheme.sample(seed: seed)
      try scheme.headerSignatureVerifies(sample)
      try scheme.urlVerifies(sample, lifetime: 60)
      try scheme.urlHeadersAreNeeded(sample)
      try scheme.splitSignatureIsTheSame(sample, secret: sample.key.secret.reveal())
      try scheme.splitURLIsTheSame(sample, secret: sample.key.secret.reveal())
    }
    try Properties.forSeeds(6) { seed in
      _ = try scheme.noByteCanChange(inHeadersOf: scheme.sample(seed: seed), hostIsSigned: true)
      _ = try scheme.noByteCanChange(inURLOf: scheme.sample(seed: seed), hostIsSigned: true)
    }
  }
}

extension SigningScheme where Signing == OSSSigner {
  /// A sample whose host is the bucket alone where the bucket is in the host: the rest of the name is not signed.
  fileprivate func bucketHostSample(_ seed: UInt64) throws -> Sample {
    var sample = try sample(seed: seed)
    if endpoint.style == .virtualHosted { sample.request.authority = "photos." }
    return sample
  }
}
