/// What a check found to be wrong.
struct Violation: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

/// Why a check was not made.
struct NotTried: Error {
  let reason: String
}

/// Throws unless something holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(Violation) {
  if !condition { throw Violation(message()) }
}

extension ConformanceReport.Check {
  /// Makes a check.
  ///
  /// - Parameters:
  ///   - rule: The rule.
  ///   - check: Says how often the rule was tried; throws where it does not hold.
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
  /// Throws if one of these secrets is in a text.
  func requireAbsent(from text: String, _ place: @autoclosure () -> String) throws(Violation) {
    for secret in self where !secret.isEmpty && text.contains(secret) { throw Violation("a secret is in \(place())") }
  }

  /// Throws if one of these secrets is in anything that is shown of a value.
  func requireAbsent(fromDisplaysOf value: Any, _ place: @autoclosure () -> String) throws(Violation) {
    if !DisplayedTexts(of: value).containing(self).isEmpty { throw Violation("a secret is shown by \(place())") }
  }
}
