public import StorageAuth

/// What a provider of credentials has to keep, tried on one of your own.
///
/// Set it up so that it gives a credential whose secrets can be recognised. Rules about failures and waiting are tried
/// with further instances, set up so that they fail or wait; without such an instance the report says that they were not
/// tried.
///
/// ```swift
/// let report = await ProviderConformance(
///   Vault(answering: key), failing: [Vault(answering: nil), Vault(refusing: "secret0canary")],
///   waiting: Vault(hanging: true), secrets: ["secret0canary", "token0canary"]
/// ).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct ProviderConformance<Subject: CredentialProvider>: Sendable {
  /// What is tried.
  public let provider: Subject

  /// Providers of the same kind, set up so that they fail.
  public let failing: [any CredentialProvider<Subject.Value>]

  /// A provider of the same kind that has to wait for its answer for as long as the suite runs.
  public let waiting: (any CredentialProvider<Subject.Value>)?

  /// How many calls are made at once.
  public let concurrency: Int

  /// How long an answer may take, by the clock of the machine.
  public let patience: Duration

  /// Whose present credentials must not have ended at.
  public let time: any SigningClock

  let secrets: [String]

  /// Sets up a suite.
  ///
  /// - Parameters:
  ///   - provider: What is tried; it has to give a credential.
  ///   - failing: Providers of the same kind, set up so that they fail.
  ///   - waiting: A provider of the same kind that has to wait for its answer for as long as the suite runs.
  ///   - secrets: Secrets and session tokens in the credential and in what the failing ones are told, of letters and
  ///     digits, so that they are found in encoded text as well.
  ///   - concurrency: How many calls are made at once.
  ///   - patience: How long an answer may take, by the clock of the machine; a call that takes longer is left alone and
  ///     breaks its rule.
  ///   - time: Whose present credentials must not have ended at.
  public init(
    _ provider: Subject, failing: [any CredentialProvider<Subject.Value>] = [],
    waiting: (any CredentialProvider<Subject.Value>)? = nil, secrets: [String], concurrency: Int = 100,
    patience: Duration = .seconds(10), time: any SigningClock = .system
  ) {
    self.provider = provider
    self.failing = failing
    self.waiting = waiting
    self.secrets = secrets
    self.concurrency = concurrency
    self.patience = patience
    self.time = time
  }

  /// Tries the provider.
  ///
  /// - Parameter rules: Which rules.
  /// - Returns: A check for each rule.
  public func report(_ rules: [ProviderRule] = ProviderRule.allCases) async -> ConformanceReport {
    var checks: [ConformanceReport.Check] = []
    for rule in rules {
      let result: Result<Int, any Error>
      do {
        result = .success(try await check(rule))
      } catch {
        result = .failure(error)
      }
      checks.append(ConformanceReport.Check(rule.rawValue) { try result.get() })
    }
    return ConformanceReport(subject: "\(Subject.self)", checks: checks)
  }

  private func check(_ rule: ProviderRule) async throws -> Int {
    switch rule {
    case .source: try checkSource()
    case .credential: try await checkCredential()
    case .validity: try await checkValidity()
    case .concurrency: try await checkConcurrency()
    case .redaction: try await checkRedaction()
    case .failure: try await forFailures(checkFailure)
    case .failureRedaction:
      try await forFailures { try secrets.requireAbsent(fromDisplaysOf: $0, "the error of the code \($0.code)") }
    case .cancellation: try await checkCancellation()
    }
  }
}

extension ProviderConformance: CustomStringConvertible, CustomReflectable {
  /// The name of the provider's type.
  public var description: String { "ProviderConformance(\(Subject.self))" }

  /// A mirror of the description alone.
  public var customMirror: Mirror { Mirror(self, children: ["subject": "\(Subject.self)"]) }
}
