// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A conformance suite for credential providers, which checks an implementation against each ``ProviderRule``.
///
/// Configure the provider so that it returns a credential with recognizable secrets. Rules about failures and waiting
/// require additional instances that are configured to fail or to wait. Without such instances, the report states that
/// these rules were not checked.
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

  /// A provider of the same type that receives no response while the suite runs, or `nil` to skip the rule about
  /// waiting.
  public let waiting: (any CredentialProvider<Subject.Value>)?

  /// The number of concurrent calls to the provider.
  public let concurrency: Int

  /// The time limit for each call, measured with the machine's clock.
  public let patience: Duration

  /// The clock used to check expiration.
  public let time: any SigningClock

  let secrets: [String]

  /// Creates a suite for a credential provider.
  ///
  /// - Parameters:
  ///   - provider: The provider to check, which must return a credential.
  ///   - failing: Providers of the same type that are configured to fail.
  ///   - waiting: A provider of the same type that receives no response while the suite runs, or `nil` to skip the rule
  ///     about waiting.
  ///   - secrets: The secrets and session tokens in the credential and in the input of the failing providers. Use only
  ///     letters and digits, so that the secrets are also found in encoded text.
  ///   - concurrency: The number of concurrent calls to the provider.
  ///   - patience: The time limit for each call, measured with the machine's clock. A call that takes longer breaks its
  ///     rule, and the suite stops waiting for it.
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

  /// Checks the provider against the given rules.
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

  /// A mirror that contains only the name of the provider's type.
  public var customMirror: Mirror { Mirror(self, children: ["subject": "\(Subject.self)"]) }
}
