// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A conformance suite for signers of HTTP requests, which checks an implementation against each ``SignerRule``.
///
/// ```swift
/// let samples = try SampleMaker(endpoint: endpoint, bucket: "photos").samples(count: 100)
/// let report = SignerConformance(MySigner(), samples: samples).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct SignerConformance<Subject: Signer>: Sendable where Subject.Request == HTTPRequest {
  /// The signer to check.
  public let signer: Subject

  /// The requests to sign, with their credentials and signing times.
  public let samples: [SigningSample<Subject.SigningCredential>]

  /// The anonymous credential, or `nil` if the scheme has no anonymous credential.
  public let anonymous: Subject.SigningCredential?

  /// The credentials that the signer must reject, with names that describe their defects.
  public let unusable: [(name: String, credential: Subject.SigningCredential)]

  /// Creates a suite for a signer with any type of credential.
  ///
  /// - Parameters:
  ///   - signer: The signer to check.
  ///   - samples: The requests to sign. The signer must accept all of them.
  ///   - anonymous: The anonymous credential, or `nil` if the scheme has no anonymous credential.
  ///   - unusable: The credentials that the signer must reject, with names that describe their defects.
  public init(
    _ signer: Subject, samples: [SigningSample<Subject.SigningCredential>], anonymous: Subject.SigningCredential?,
    unusable: [(name: String, credential: Subject.SigningCredential)]
  ) {
    self.signer = signer
    self.samples = samples
    self.anonymous = anonymous
    self.unusable = unusable
  }

  /// Checks the signer against the given rules.
  ///
  /// - Parameter rules: The rules to check. Leave out the `bound…` rules that the scheme does not follow.
  /// - Returns: A report with one check for each rule.
  public func report(_ rules: [SignerRule] = SignerRule.allCases) -> ConformanceReport {
    ConformanceReport(
      subject: "\(Subject.self)",
      checks: rules.map { rule in ConformanceReport.Check(rule.rawValue) { try check(rule) } })
  }

  private func check(_ rule: SignerRule) throws -> Int {
    switch rule {
    case .determinism: try forSamples(checkDeterminism)
    case .atomicity: try forHostileInputs(checkAtomicity)
    case .untouchedPath: try forSamples(checkPath) + forHostileInputs(checkPathOfWhatIsSigned)
    case .keptHeaders: try forSamples(checkHeaders)
    case .headerOrder: try forSamples(checkHeaderOrder)
    case .resigning: try checkResigning()
    case .anonymity: try checkAnonymity()
    case .boundSecret: try checkSecret()
    case .boundDate: try forSamples(checkDate)
    case .boundMethod: try forSamples(checkMethod)
    case .boundPath: try forSamples(checkOtherPath)
    case .refusal: try checkRefusal()
    case .secrecy: try forSamples(checkSecrecy) + forHostileInputs(checkSecrecyOfErrors)
    case .validity: try forSamples(checkValidity)
    }
  }
}

extension SignerConformance where Subject.SigningCredential == AccessKey {
  /// Creates a suite for a signer that uses access keys.
  ///
  /// The suite includes the anonymous key and the unusable keys.
  ///
  /// - Parameters:
  ///   - signer: The signer to check.
  ///   - samples: The requests to sign. The signer must accept all of them.
  public init(_ signer: Subject, samples: [SigningSample<AccessKey>]) {
    self.init(
      signer, samples: samples, anonymous: .anonymous, unusable: AccessKey.unusable.map { ($0.name, $0.key) })
  }
}

extension SignerConformance {
  typealias Sample = SigningSample<Subject.SigningCredential>

  /// Runs a check with each sample, and returns the number of tries.
  func forSamples(_ check: (Sample) throws -> Void) throws -> Int {
    try samples.forEach(try: check)
  }

  /// Runs a check with each hostile request and with each unusable credential, and returns the number of tries.
  func forHostileInputs(_ check: (_ request: HTTPRequest, _ name: String, Sample) throws -> Void) throws -> Int {
    guard let sample = samples.first else { throw NotTried(reason: "there is no sample") }
    let requests = HostileInputs.requests(from: sample.request)
    for (name, request) in requests { try check(request, name, sample) }
    for (name, credential) in unusable {
      var copy = sample
      copy.credential = credential
      try check(sample.request, "with \(name)", copy)
    }
    return requests.count + unusable.count
  }

  func signed(_ sample: Sample) throws(SigningError) -> HTTPRequest {
    try signer.signed(sample.request, with: sample.credential, in: .at(sample.date))
  }
}

extension Array {
  /// Runs a check with each sample, and returns the number of tries.
  ///
  /// If a check throws a violation, the method adds the name of the sample, which contains its seed, and its time to it.
  func forEach<SigningCredential>(try check: (Element) throws -> Void) throws -> Int
  where Element == SigningSample<SigningCredential> {
    guard !isEmpty else { throw NotTried(reason: "there is no sample") }
    for sample in self {
      do {
        try check(sample)
      } catch let violation as Violation {
        throw Violation("\(sample.name): \(violation.message) (signed at \(sample.date))")
      } catch let error as SigningError {
        throw Violation("\(sample.name): it was rejected with \(error) (signed at \(sample.date))")
      }
    }
    return count
  }
}
