internal import StorageAuth

/// One comparison that has to hold for a statement to be about a request.
struct PolicyCondition: Sendable {
  /// What a fact is compared with; one of several values is enough.
  enum Test: Sendable {
    case text([String])
    case textIgnoringCase([String])
    case pattern([WildcardPattern])
    case number(Order, [Int64])
    case date(Order, [Timestamp])
    case truth([Bool])
    case network([AddressRange])
    case absence([Bool])
  }

  /// How two values have to stand to each other.
  enum Order: Sendable {
    case equal, less, lessOrEqual, greater, greaterOrEqual

    func holds<Value: Comparable>(_ first: Value, _ second: Value) -> Bool {
      switch self {
      case .equal: first == second
      case .less: first < second
      case .lessOrEqual: first <= second
      case .greater: first > second
      case .greaterOrEqual: first >= second
      }
    }
  }

  /// What happens if the request does not say what the condition is about.
  enum Absence: Sendable {
    case fails, holds
    /// A negation holds in a statement that denies, and fails in one that allows: the reading that allows less.
    case allowsLess
    /// A negation holds, and nothing else does.
    case holdsIfNegated
  }

  let key: String
  let test: Test
  let isNegated: Bool
  let absence: Absence

  func holds(for facts: [String: String], inDenial: Bool) -> Bool {
    if case .absence(let values) = test { return values.contains(facts[key] == nil) }
    guard let fact = facts[key] else {
      return switch absence {
      case .fails: false
      case .holds: true
      case .allowsLess: isNegated && inDenial
      case .holdsIfNegated: isNegated
      }
    }
    return fits(fact) != isNegated
  }

  private func fits(_ fact: String) -> Bool {
    switch test {
    case .text(let texts): texts.contains { $0.utf8.elementsEqual(fact.utf8) }
    case .textIgnoringCase(let texts):
      texts.contains { $0.asciiLowercased.utf8.elementsEqual(fact.asciiLowercased.utf8) }
    case .pattern(let patterns): patterns.contains { $0.matches(fact) }
    case .number(let order, let numbers):
      Int64(fact).map { fact in numbers.contains { order.holds(fact, $0) } } ?? false
    case .date(let order, let dates):
      Timestamp(iso8601: fact).map { fact in dates.contains { order.holds(fact, $0) } } ?? false
    case .truth(let truths): truths.contains { String($0) == fact }
    case .network(let ranges):
      NetworkAddress(fact).map { address in ranges.contains { $0.contains(address) } } ?? false
    case .absence: false
    }
  }
}
