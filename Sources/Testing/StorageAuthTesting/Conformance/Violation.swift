// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The error that a check throws if the implementation broke a rule.
struct Violation: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

/// The error that a check throws if the rule cannot be checked.
struct NotTried: Error {
  let reason: String
}

/// Throws a violation if a condition is `false`.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(Violation) {
  if !condition { throw Violation(message()) }
}

extension ConformanceReport.Check {
  /// Creates the result of a rule's check by running the check.
  ///
  /// - Parameters:
  ///   - rule: The rule, as a sentence without a period.
  ///   - check: A closure that tries the rule and returns the number of tries. It throws if the implementation breaks
  ///     the rule.
  init(_ rule: String, _ check: () throws -> Int) {
    self.rule = rule
    do {
      outcome = .kept(tries: try check())
    } catch let violation as Violation {
      outcome = .broken(violation.message)
    } catch let notTried as NotTried {
      outcome = .notTried(notTried.reason)
    } catch {
      outcome = .broken("it threw \(error)")
    }
  }
}

extension [String] {
  /// Throws a violation if a string contains one of the secrets in this array.
  func requireAbsent(from text: String, _ location: @autoclosure () -> String) throws(Violation) {
    for secret in self where !secret.isEmpty && text.contains(secret) {
      throw Violation("a secret is in \(location())")
    }
  }

  /// Throws a violation if any display of a value contains one of the secrets in this array.
  func requireAbsent(fromDisplaysOf value: Any, _ location: @autoclosure () -> String) throws(Violation) {
    if !DisplayedTexts(of: value).containing(self).isEmpty { throw Violation("a secret is shown by \(location())") }
  }
}
