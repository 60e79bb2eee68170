internal import HTTPTypes
public import StorageAuth

/// What a signer of URLs has to keep, tried on one of your own.
///
/// ```swift
/// let report = PresignerConformance(MySigner(), samples: samples).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct PresignerConformance<Subject: Presigner>: Sendable {
  /// What is tried.
  public let presigner: Subject

  /// What it is tried with.
  public let samples: [SigningSample<Subject.SigningCredential>]

  /// How long the URLs work.
  public let lifetime: Duration

  /// The credential that signs nothing, or `nil` if the scheme has none.
  public let anonymous: Subject.SigningCredential?

  /// Proofs that have to be refused, by what is wrong with them.
  public let unusable: [(name: String, credential: Subject.SigningCredential)]

  /// Sets up a suite for a signer with a credential of its own kind.
  ///
  /// - Parameters:
  ///   - presigner: What is tried.
  ///   - samples: What it is tried with; it has to sign all of them.
  ///   - lifetime: How long the URLs work, in whole seconds; one that the service allows.
  ///   - anonymous: The credential that signs nothing, or `nil` if the scheme has none.
  ///   - unusable: Proofs that have to be refused, by what is wrong with them.
  public init(
    _ presigner: Subject, samples: [SigningSample<Subject.SigningCredential>], lifetime: Duration = .seconds(60),
    anonymous: Subject.SigningCredential?, unusable: [(name: String, credential: Subject.SigningCredential)]
  ) {
    self.presigner = presigner
    self.samples = samples
    self.lifetime = lifetime
    self.anonymous = anonymous
    self.unusable = unusable
  }

  /// Tries the signer.
  ///
  /// - Parameter rules: Which rules.
  /// - Returns: A check for each rule.
  public func report(_ rules: [PresignerRule] = PresignerRule.allCases) -> ConformanceReport {
    ConformanceReport(
      subject: "\(Subject.self)",
      checks: rules.map { rule in ConformanceReport.Check(rule.rawValue) { try check(rule) } })
  }

  private func check(_ rule: PresignerRule) throws -> Int {
    switch rule {
    case .determinism: try samples.forEach { try require(presigned($0) == presigned($0), "the second URL is another") }
    case .appending: try samples.forEach(try: checkAppending)
    case .kept: try samples.forEach(try: checkKept)
    case .expiry: try samples.forEach(try: checkExpiry)
    case .endedCredential: try checkEndedProof()
    case .anonymity: try checkAnonymity()
    case .lifetime: try samples.forEach(try: checkLifetime)
    case .refusal: try checkRefusal()
    case .secrecy: try samples.forEach(try: checkSecrecy)
    }
  }
}

extension PresignerConformance where Subject.SigningCredential == AccessKey {
  /// Sets up a suite for a signer with access keys: the anonymous key, and those that nobody can sign with.
  ///
  /// - Parameters:
  ///   - presigner: What is tried.
  ///   - samples: What it is tried with; it has to sign all of them.
  ///   - lifetime: How long the URLs work, in whole seconds; one that the service allows.
  public init(_ presigner: Subject, samples: [SigningSample<AccessKey>], lifetime: Duration = .seconds(60)) {
    self.init(
      presigner, samples: samples, lifetime: lifetime, anonymous: .anonymous,
      unusable: AccessKey.unusable.map { ($0.name, $0.key) })
  }
}
