// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The result of a conformance suite, which contains one check for each rule.
///
/// ```swift
/// let report = SignerConformance(signer, samples: samples).report()
/// XCTAssertTrue(report.isConforming, "\(report)")   // XCTest
/// #expect(report.isConforming, "\(report)")         // Swift Testing
/// try report.throwIfFailed()                        // either, or neither
/// ```
public struct ConformanceReport: Sendable {
  /// The name of the checked implementation, such as its type name.
  public let subject: String
  /// The checks of the implementation, one for each rule, in the order of the rules.
  public let checks: [Check]

  /// A conformance rule and the outcome of its check.
  public struct Check: Sendable, Hashable {
    /// The rule, as a sentence without a period.
    public let rule: String
    /// The outcome of checking the rule.
    public let outcome: Outcome
  }

  /// The outcome of checking a rule.
  public enum Outcome: Sendable, Hashable {
    /// The implementation followed the rule in all of the given number of tries.
    case kept(tries: Int)
    /// The implementation broke the rule; the string describes where and how.
    case broken(String)
    /// The rule could not be checked; the string describes why.
    case notTried(String)
  }

  /// The checks of the rules that the implementation broke.
  public var failures: [Check] { checks.filter { if case .broken = $0.outcome { true } else { false } } }

  /// Whether no rule was broken and at least one rule was checked.
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
  /// The name of the implementation, followed by one line for each rule.
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

/// The error for an implementation that does not conform to its rules.
public struct ConformanceFailure: Error, CustomStringConvertible {
  /// The report that contains the broken rules.
  public let report: ConformanceReport

  /// The description of the report.
  public var description: String { report.description }
}

/// The error that a check throws if the implementation broke a rule.
package struct Violation: Error {
  let message: String

  package init(_ message: String) { self.message = message }
}

/// The error that a check throws if the rule cannot be checked.
struct NotTried: Error { let reason: String }

package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(Violation) {
  if !condition { throw Violation(message()) }
}

extension ConformanceReport {
  /// Checks rules with a function that returns the number of tries, or throws if the implementation breaks a rule.
  init<Rule: RawRepresentable<String>>(of subject: Any.Type, _ rules: [Rule], _ check: (Rule) throws -> Int) {
    let checks = rules.map { rule in Check(rule.rawValue, Result { try check(rule) }) }
    self.init(subject: "\(subject)", checks: checks)
  }

  package init<Rule: RawRepresentable<String>>(
    of subject: Any.Type, _ rules: [Rule], _ check: (Rule) async throws -> Int
  ) async {
    var checks: [Check] = []
    for rule in rules { checks.append(Check(rule.rawValue, await Result.catching { try await check(rule) })) }
    self.init(subject: "\(subject)", checks: checks)
  }
}

extension ConformanceReport.Check {
  fileprivate init(_ rule: String, _ tries: Result<Int, any Error>) {
    self.rule = rule
    outcome =
      switch tries {
      case .success(let tries): .kept(tries: tries)
      case .failure(let violation as Violation): .broken(violation.message)
      case .failure(let notTried as NotTried): .notTried(notTried.reason)
      case .failure(let error): .broken("it threw \(error)")
      }
  }
}

extension Collection {
  /// Tries a rule with each element, and returns the number of tries.
  func tryEach(_ check: (Element) throws -> Void) throws -> Int {
    for element in self { try check(element) }
    return count
  }

  /// Tries a rule with each element, one after another, and returns the number of tries.
  package func tryEach(_ check: (Element) async throws -> Void) async throws -> Int {
    for element in self { try await check(element) }
    return count
  }
}

func thrownError<Failure: Error>(by operation: () throws(Failure) -> Void) -> Failure? {
  do throws(Failure) { try operation() } catch { return error }
  return nil
}

/// Returns the error with which a signer refuses something, or throws if the signer accepts it.
@discardableResult
func requireUnsigned(_ name: String, _ sign: () throws(SigningError) -> Void) throws(Violation) -> SigningError {
  guard let error = thrownError(by: sign) else { throw Violation("\(name) was not rejected") }
  return error
}

extension [String] {
  func requireAbsent(from text: String, _ location: @autoclosure () -> String) throws(Violation) {
    for secret in self where !secret.isEmpty && text.contains(secret) {
      throw Violation("a secret is in \(location())")
    }
  }

  func requireAbsent(fromDisplaysOf value: Any, _ location: @autoclosure () -> String) throws(Violation) {
    if !DisplayedTexts(of: value).containing(self).isEmpty { throw Violation("a secret is shown by \(location())") }
  }
}
