// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A conformance suite for credential providers: it checks an implementation against each ``ProviderRule``.
///
/// Configure the provider so that it returns a credential whose secrets can be recognized. Rules about failures and
/// waiting need additional instances that are configured to fail or to wait; without them, the report states that those
/// rules were not tried.
///
/// ```swift
/// let report = await ProviderConformance(
///   Vault(answering: key), failing: [Vault(answering: nil), Vault(refusing: "secret0canary")],
///   waiting: Vault(hanging: true), secrets: ["secret0canary", "token0canary"]
/// ).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct ProviderConformance<Subject: CredentialProvider>: Sendable {
  /// The provider to check.
  public let provider: Subject

  /// Providers of the same type that are configured to fail.
  public let failing: [any CredentialProvider<Subject.Value>]

  /// A provider of the same type that does not receive a response while the suite runs, or `nil`.
  public let waiting: (any CredentialProvider<Subject.Value>)?

  /// The number of concurrent calls.
  public let concurrency: Int

  /// The time limit of a call, by the clock of the machine.
  public let patience: Duration

  /// The clock used to check expiration.
  public let time: any SigningClock

  let secrets: [String]

  /// Creates a suite.
  ///
  /// - Parameters:
  ///   - provider: The provider to check; it must return a credential.
  ///   - failing: Providers of the same type that are configured to fail.
  ///   - waiting: A provider of the same type that does not receive a response while the suite runs, or `nil`.
  ///   - secrets: Secrets and session tokens in the credential and in the input of the failing providers. Use letters
  ///     and digits only, so that they are also found in encoded text.
  ///   - concurrency: The number of concurrent calls.
  ///   - patience: The time limit of a call, by the clock of the machine; a call that takes longer breaks its rule and
  ///     is not awaited any longer.
  ///   - time: The clock used to check expiration.
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

  /// Checks the provider against rules.
  ///
  /// - Parameter rules: The rules to check.
  /// - Returns: A report with one check for each rule.
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

  /// A mirror of the description only.
  public var customMirror: Mirror { Mirror(self, children: ["subject": "\(Subject.self)"]) }
}
