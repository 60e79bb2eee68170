// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The result of a conformance suite: one check for each rule.
///
/// ```swift
/// let report = SignerConformance(signer, samples: samples).report()
/// XCTAssertTrue(report.isConforming, "\(report)")   // XCTest
/// #expect(report.isConforming, "\(report)")         // Swift Testing
/// try report.throwIfFailed()                        // either, or neither
/// ```
public struct ConformanceReport: Sendable {
  /// The name of the checked implementation, such as its type.
  public let subject: String

  /// The checks, one for each rule, in the order of the rules.
  public let checks: [Check]

  /// One rule and the outcome of its check.
  public struct Check: Sendable, Hashable {
    /// The rule, in a sentence without a period.
    public let rule: String

    /// The outcome of the check.
    public let outcome: Outcome
  }

  /// The outcome of the check of a rule.
  public enum Outcome: Sendable, Hashable {
    /// The rule held in each of a number of tries.
    case kept(tries: Int)
    /// The rule was broken; the string describes where and how.
    case broken(String)
    /// The rule could not be tried; the string is the reason.
    case notTried(String)
  }

  /// The checks of the rules that were broken.
  public var failures: [Check] {
    checks.filter { if case .broken = $0.outcome { true } else { false } }
  }

  /// A Boolean value that indicates whether no rule was broken and at least one was tried.
  public var isConforming: Bool {
    failures.isEmpty && checks.contains { if case .kept = $0.outcome { true } else { false } }
  }

  /// Throws an error unless the implementation conforms.
  ///
  /// - Throws: A ``ConformanceFailure`` with the report if ``isConforming`` is `false`.
  public func throwIfFailed() throws(ConformanceFailure) {
    if !isConforming { throw ConformanceFailure(report: self) }
  }
}

extension ConformanceReport: CustomStringConvertible {
  /// The subject, and one line for each rule.
  public var description: String {
    let lines = checks.map { check in
      switch check.outcome {
      case .kept(let tries): "kept      \(check.rule) (\(tries))"
      case .broken(let problem): "BROKEN    \(check.rule): \(problem)"
      case .notTried(let reason): "not tried \(check.rule): \(reason)"
      }
    }
    return ([subject] + lines).joined(separator: "\n")
  }
}

/// The error of an implementation that does not conform.
public struct ConformanceFailure: Error, CustomStringConvertible {
  /// The report with the broken rules.
  public let report: ConformanceReport

  /// The description of the report.
  public var description: String { report.description }
}
