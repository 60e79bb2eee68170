public import HTTPTypes
public import StorageAuth

/// What a signer of HTTP requests has to keep, tried on one of your own.
///
/// ```swift
/// let samples = try SampleMaker(endpoint: endpoint, bucket: "photos").samples(count: 100)
/// let report = SignerConformance(MySigner(), samples: samples).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct SignerConformance<Subject: Signer>: Sendable where Subject.Request == HTTPRequest {
  /// What is tried.
  public let signer: Subject

  /// What it is tried with.
  public let samples: [SigningSample<Subject.SigningCredential>]

  /// The credential that signs nothing, or `nil` if the scheme has none.
  public let anonymous: Subject.SigningCredential?

  /// Proofs that have to be refused, by what is wrong with them.
  public let unusable: [(name: String, credential: Subject.SigningCredential)]

  /// Sets up a suite for a signer with a credential of its own kind.
  ///
  /// - Parameters:
  ///   - signer: What is tried.
  ///   - samples: What it is tried with; it has to sign all of them.
  ///   - anonymous: The credential that signs nothing, or `nil` if the scheme has none.
  ///   - unusable: Proofs that have to be refused, by what is wrong with them.
  public init(
    _ signer: Subject, samples: [SigningSample<Subject.SigningCredential>], anonymous: Subject.SigningCredential?,
    unusable: [(name: String, credential: Subject.SigningCredential)]
  ) {
    self.signer = signer
    self.samples = samples
    self.anonymous = anonymous
    self.unusable = unusable
  }

  /// Tries the signer.
  ///
  /// - Parameter rules: Which rules; a scheme whose signature is not bound to something leaves that rule out.
  /// - Returns: A check for each rule.
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
  /// Sets up a suite for a signer with access keys: the anonymous key, and those that nobody can sign with.
  ///
  /// - Parameters:
  ///   - signer: What is tried.
  ///   - samples: What it is tried with; it has to sign all of them.
  public init(_ signer: Subject, samples: [SigningSample<AccessKey>]) {
    self.init(
      signer, samples: samples, anonymous: .anonymous, unusable: AccessKey.unusable.map { ($0.name, $0.key) })
  }
}

extension SignerConformance {
  typealias Sample = SigningSample<Subject.SigningCredential>

  /// Tries something with each sample.
  func forSamples(_ check: (Sample) throws -> Void) throws -> Int {
    try samples.forEach(try: check)
  }

  /// Tries something with each hostile request, and with each unusable credential.
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
  /// Tries something with each sample, and names the one that it does not hold for.
  func forEach<SigningCredential>(try check: (Element) throws -> Void) throws -> Int
  where Element == SigningSample<SigningCredential> {
    guard !isEmpty else { throw NotTried(reason: "there is no sample") }
    for sample in self {
      do {
        try check(sample)
      } catch let violation as Violation {
        throw Violation("\(sample.name): \(violation.message)")
      } catch let error as SigningError {
        throw Violation("\(sample.name): it was refused with \(error)")
      }
    }
    return count
  }
}
