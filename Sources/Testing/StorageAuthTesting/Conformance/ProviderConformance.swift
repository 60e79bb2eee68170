// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A conformance suite for credential providers, which checks an implementation against each ``ProviderRule``.
///
/// The provider must return a credential with recognizable secrets. Rules about failures and waiting require additional
/// instances that fail or wait; without them, the report states that these rules were not checked.
///
/// ```swift
/// let report = await ProviderConformance(
///   Vault(answering: key), failing: [Vault(answering: nil), Vault(refusing: "secret0canary")],
///   waiting: Vault(hanging: true), secrets: ["secret0canary", "token0canary"]
/// ).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct ProviderConformance<Subject: CredentialProvider>: Sendable {
  /// The provider to check, which must return a credential.
  public let provider: Subject
  /// Providers of the same type that are configured to fail.
  public let failing: [any CredentialProvider<Subject.Value>]
  /// A provider of the same type that receives no response while the suite runs, or `nil` to skip its rule.
  public let waiting: (any CredentialProvider<Subject.Value>)?
  /// The number of concurrent calls to the provider.
  public let concurrency: Int
  /// The time limit for each call, measured with the machine's clock.
  ///
  /// A call that takes longer breaks its rule, and the suite stops waiting for it.
  public let patience: Duration

  /// The context of the calls, whose clock is used to check expiration.
  public let context: ProviderContext
  let secrets: [String]

  /// Creates a suite for a credential provider.
  ///
  /// `secrets` are the secrets and session tokens in the credential and in the input of the failing providers. Use only
  /// letters and digits, so that the secrets are also found in encoded text. The other parameters are the properties.
  public init(
    _ provider: Subject, failing: [any CredentialProvider<Subject.Value>] = [],
    waiting: (any CredentialProvider<Subject.Value>)? = nil, secrets: [String], concurrency: Int = 100,
    patience: Duration = .seconds(10), in context: ProviderContext = .local
  ) {
    self.provider = provider
    self.failing = failing
    self.waiting = waiting
    self.secrets = secrets
    self.concurrency = concurrency
    self.patience = patience
    self.context = context
  }

  /// Checks rules, and returns a report about the provider with one check for each of them.
  public func report(_ rules: [ProviderRule] = ProviderRule.allCases) async -> ConformanceReport {
    await ConformanceReport(of: Subject.self, rules, check)
  }

  private func check(_ rule: ProviderRule) async throws -> Int {
    switch rule {
    case .source: try checkSource()
    case .credential: try await checkCredential()
    case .validity: try await checkValidity()
    case .concurrency: try await checkConcurrency()
    case .redaction: try await checkRedaction()
    case .failure: try await checkEachFailure(checkFailure)
    case .failureRedaction:
      try await checkEachFailure { try secrets.requireAbsent(fromDisplaysOf: $0, "the error of the code \($0.code)") }
    case .cancellation: try await checkCancellation()
    }
  }
}

extension ProviderConformance: Redacted {
  /// The name of the provider's type.
  public var description: String { "ProviderConformance(\(Subject.self))" }
}

extension ProviderConformance {
  typealias Outcome = Result<IssuedCredential<Subject.Value>, CredentialError>

  func checkSource() throws -> Int {
    try require(!provider.source.isEmpty, "the name is empty")
    try require(!provider.source.contains(where: \.isNewline), "the name has a line break")
    try secrets.requireAbsent(from: provider.source, "the name of the source")
    return 1
  }

  func checkCredential() async throws -> Int {
    _ = try await issued()
    let outcome = await answered(within: patience) {
      await Result.catching { () throws(CredentialError) in try await provider.credential(in: context) }
    }
    switch outcome {
    case .success: return 2
    case .failure(let error): throw Violation("credential() threw \(error.code), issue() did not")
    case nil: throw Violation("credential() did not return within \(patience)")
    }
  }

  func checkValidity() async throws -> Int {
    let issued = try await issued()
    let now = issued.issuerTime ?? context.time.now
    if let expiration = issued.credential.expiration, expiration <= now {
      throw Violation("the credential expired at \(expiration), and the time is \(now)")
    }
    return 1
  }

  func checkConcurrency() async throws -> Int {
    try await withThrowingTaskGroup(of: Outcome?.self) { group in
      for _ in 0..<concurrency { group.addTask { await outcome(of: provider) } }
      for try await outcome in group { _ = try credential(in: outcome) }
    }
    return concurrency
  }

  func checkRedaction() async throws -> Int {
    if secrets.isEmpty { throw NotTried(reason: "no secrets to search for are given") }
    let issued = try await issued()
    try secrets.requireAbsent(fromDisplaysOf: issued.credential, "the credential")
    try secrets.requireAbsent(fromDisplaysOf: issued, "the issued credential")
    try secrets.requireAbsent(fromDisplaysOf: provider, "the provider")
    return secrets.count
  }

  /// Runs a check with the error of each failing provider, and returns the number of tries.
  func checkEachFailure(_ check: (CredentialError) throws -> Void) async throws -> Int {
    if failing.isEmpty { throw NotTried(reason: "there is no provider that fails") }
    return try await failing.tryEach { provider in
      switch await outcome(of: provider) {
      case .success: throw Violation("a provider that must fail returned a credential")
      case .failure(let error): try check(error)
      case nil: throw Violation("a provider that must fail did not return within \(patience)")
      }
    }
  }

  func checkFailure(_ error: CredentialError) throws(Violation) {
    try require(error.code != .cancelled, "the failure has the code cancelled")
    for error in [error] + error.declined {
      try require(!error.source.isEmpty, "an error with the code \(error.code) names no source")
      try require(!error.message.isEmpty, "an error with the code \(error.code) has no message")
      try require(!error.remedy.isEmpty, "an error with the code \(error.code) has no remedy")
    }
  }

  func checkCancellation() async throws -> Int {
    guard let waiting else { throw NotTried(reason: "there is no provider that waits") }
    // The call is cancelled before it waits, and while it waits.
    return try await [0, 1, 100].tryEach { yieldCount in
      switch await outcome(of: waiting, cancelledAfter: yieldCount) {
      case .success: throw Violation("a provider that must wait returned a credential")
      case .failure(let error): try require(error.code == .cancelled, "the wait ended with the code \(error.code)")
      case nil: throw Violation("the wait did not end within \(patience) after it was cancelled")
      }
    }
  }

  private func issued() async throws(Violation) -> IssuedCredential<Subject.Value> {
    try credential(in: await outcome(of: provider))
  }

  /// Returns the credential of an outcome, which is `nil` for a call that took too long.
  private func credential(in outcome: Outcome?) throws(Violation) -> IssuedCredential<Subject.Value> {
    switch outcome {
    case .success(let issued): return issued
    case .failure(let error): throw Violation("it threw \(error.code) instead of returning a credential")
    case nil: throw Violation("it did not return within \(patience)")
    }
  }

  private func outcome(
    of provider: any CredentialProvider<Subject.Value>, cancelledAfter yieldCount: Int? = nil
  ) async -> Outcome? {
    await answered(within: patience, cancelledAfter: yieldCount) {
      await Outcome.catching { () throws(CredentialError) in try await provider.issue(in: context) }
    }
  }
}

/// A rule that an implementation of `CredentialProvider` must follow.
public enum ProviderRule: String, CaseIterable, Sendable {
  /// The provider has a source name that errors, events and reports can contain.
  case source = "the source has a name, on one line"
  /// The provider returns a credential.
  case credential = "it returns a credential"
  /// The provider returns a credential that has not expired.
  case validity = "the credential has not expired when it is returned"
  /// The provider supports concurrent calls.
  case concurrency = "each of many concurrent calls returns a credential"
  /// The provider and the credential disclose no secret when they are displayed.
  case redaction = "no description, dump or mirror of the provider or the credential shows a secret"
  /// The provider's errors describe how to fix the problem.
  case failure = "a failure names its source, has a message and a remedy, and does not have the code cancelled"
  /// The provider's errors disclose no secret when they are displayed.
  case failureRedaction = "no description, dump or mirror of a failure shows a secret"
  /// The provider stops waiting when the caller's task is cancelled.
  case cancellation = "cancelling the task ends a wait with the code cancelled"
}
