// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The session policy of a temporary credential, or the policy of a bucket.
struct PolicyDocument: Sendable {
  let text: String
  private let language: PolicyLanguage
  private let statements: [Statement]

  struct Statement: Sendable {
    var allows = false
    var actions: [WildcardPattern] = []
    var exceptsActions = false
    var resources: [ResourcePattern] = []
    var conditions: [PolicyCondition] = []
    /// The names of the principals to which the statement applies, or `nil` for all.
    var principals: [String]?

    func matches(_ action: String, _ input: PolicyInput) -> Bool {
      actions.contains { $0.matches(action) } != exceptsActions && resources.contains { $0.matches(input.resource) }
        && conditions.allSatisfy { $0.holds(for: input.facts, inDenial: !allows) }
        && principals?.contains { Self.names($0, oneOf: input.accounts) } ?? true
    }

    /// Returns whether a principal is everybody, or an account or one of its users: `arn:aws:iam::125000000000:root`.
    private static func names(_ principal: String, oneOf accounts: [String]) -> Bool {
      if principal == "*" || principal.hasBytePrefix("qcs::cam::any") { return true }
      return principal.words(between: ":").flatMap { $0.words(between: "/") }.contains { accounts.contains(String($0)) }
    }
  }

  /// Parses a policy document, no part of which is ignored.
  init(_ text: String, in language: PolicyLanguage, ofBucket isOfBucket: Bool = false) throws(PolicyFault) {
    let document: JSONValue
    do { document = try JSONValue(parsing: text.utf8) } catch {
      throw PolicyFault("It is not JSON: \(error).")
    }
    self.text = text
    self.language = language
    statements = try PolicyReader(language: language, isOfBucket: isOfBucket).statements(of: document)
  }

  func allows(_ input: PolicyInput) -> Bool { decision(input) == .allowed }

  /// Whether the policy of a bucket allows something to everybody, from any address.
  var isPublic: Bool {
    statements.contains { statement in
      statement.allows && statement.principals?.contains("*") ?? true
        && !statement.conditions.contains { $0.key == language.conditions.address }
    }
  }

  enum Decision: Sendable { case allowed, denied, undecided }

  /// Returns what the statements that apply to a request decide; one that denies overrides those that allow.
  func decision(_ input: PolicyInput) -> Decision {
    let action = language.comparable(input.action)
    let matching = statements.filter { $0.matches(action, input) }
    if matching.isEmpty { return .undecided }
    return matching.allSatisfy(\.allows) ? .allowed : .denied
  }
}

/// A list of patterns for the colon-separated parts of resource names, so that no asterisk matches a colon.
struct ResourcePattern: Sendable {
  private let parts: [WildcardPattern]?

  static let any = ResourcePattern(nil)

  /// Creates a resource pattern from the patterns of the colon-separated parts; `nil` matches every resource.
  init(_ parts: [String]?) { self.parts = parts?.map { WildcardPattern($0) } }

  func matches(_ resource: [String]) -> Bool {
    guard let parts else { return true }
    return parts.count == resource.count && zip(parts, resource).allSatisfy { $0.matches($1) }
  }
}

/// A condition that a request must satisfy for a policy statement to apply.
struct PolicyCondition: Sendable {
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

  /// The result of a condition if the request has no value for the condition's key.
  enum Absence: Sendable {
    case fails, holds
    /// A negated condition holds in a deny statement, and any other condition fails, which allows less.
    case allowsLess
    /// A negated condition holds, and any other condition fails.
    case holdsIfNegated
  }

  let key: String
  /// A closure that returns whether the request's value matches one of the values in the policy.
  let matches: @Sendable (String) -> Bool
  let isNegated: Bool
  let absence: Absence

  func holds(for facts: [String: String], inDenial: Bool) -> Bool {
    if let fact = facts[key] { return matches(fact) != isNegated }
    return switch absence {
    case .fails: false
    case .holds: true
    case .allowsLess: isNegated && inDenial
    case .holdsIfNegated: isNegated
    }
  }
}

/// A pattern in which `*` matches any sequence of characters, even an empty one, and `?` matches one character.
struct WildcardPattern: Sendable, Hashable {
  private let scalars: [Unicode.Scalar]

  init(_ text: some StringProtocol) { scalars = Array(text.unicodeScalars) }

  /// Returns whether the pattern matches a whole string; the steps are limited to the product of both lengths.
  func matches(_ text: some StringProtocol) -> Bool {
    let text = Array(text.unicodeScalars)
    var (inPattern, inText) = (0, 0)
    var lastStar: (inPattern: Int, inText: Int)?
    while inText < text.count {
      if inPattern < scalars.count, scalars[inPattern] == "*" {
        lastStar = (inPattern, inText)
        inPattern += 1
      } else if inPattern < scalars.count, scalars[inPattern] == "?" || scalars[inPattern] == text[inText] {
        inPattern += 1
        inText += 1
      } else if let star = lastStar {
        lastStar = (star.inPattern, star.inText + 1)
        (inPattern, inText) = (star.inPattern + 1, star.inText + 1)
      } else {
        return false
      }
    }
    return scalars[inPattern...].allSatisfy { $0 == "*" }
  }
}
