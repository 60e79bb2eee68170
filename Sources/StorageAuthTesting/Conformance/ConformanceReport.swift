/// What a conformance suite found: a check for each rule.
///
/// ```swift
/// let report = SignerConformance(signer, samples: samples).report()
/// XCTAssertTrue(report.isConforming, "\(report)")   // XCTest
/// #expect(report.isConforming, "\(report)")         // Swift Testing
/// try report.throwIfFailed()                        // either, or neither
/// ```
public struct ConformanceReport: Sendable {
  /// What was checked, such as the name of its type.
  public let subject: String

  /// The checks, one for each rule, in the order of the rules.
  public let checks: [Check]

  /// One rule and whether it was kept.
  public struct Check: Sendable, Hashable {
    /// The rule, in a sentence without its full stop.
    public let rule: String

    /// Whether it was kept.
    public let outcome: Outcome
  }

  /// Whether a rule was kept.
  public enum Outcome: Sendable, Hashable {
    /// It was kept each time; how often it was tried.
    case kept(tries: Int)
    /// It was broken: where, and how.
    case broken(String)
    /// It could not be tried, and why.
    case notTried(String)
  }

  /// The checks that found a rule broken.
  public var failures: [Check] {
    checks.filter { if case .broken = $0.outcome { true } else { false } }
  }

  /// Whether no rule was broken, and at least one was tried.
  public var isConforming: Bool {
    failures.isEmpty && checks.contains { if case .kept = $0.outcome { true } else { false } }
  }

  /// Throws the report unless it is of something that conforms.
  ///
  /// - Throws: A ``ConformanceFailure``.
  public func throwIfFailed() throws(ConformanceFailure) {
    if !isConforming { throw ConformanceFailure(report: self) }
  }
}

extension ConformanceReport: CustomStringConvertible {
  /// The subject, and a line for each rule.
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

/// The error of something that does not conform.
public struct ConformanceFailure: Error, CustomStringConvertible {
  /// What was found.
  public let report: ConformanceReport

  /// The report.
  public var description: String { report.description }
}
