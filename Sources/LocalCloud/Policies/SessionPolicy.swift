// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageJSON

/// The session policy of a temporary credential, which is evaluated for each of its requests.
struct SessionPolicy: Sendable {
  /// The policy document as JSON.
  let text: String

  private let language: PolicyLanguage
  private let statements: [Statement]

  /// A statement of a policy.
  struct Statement: Sendable {
    var allows = false
    var actions: [WildcardPattern] = []
    /// Whether the statement applies to all actions except those listed.
    var exceptsActions = false
    var resources: [ResourcePattern] = []
    var conditions: [PolicyCondition] = []
  }

  /// Parses a policy document.
  ///
  /// - Throws: ``PolicyFault`` if the document is invalid, or contains anything that this server cannot evaluate: no
  ///   part of a policy is ignored.
  init(_ text: String, in language: PolicyLanguage) throws(PolicyFault) {
    let document: JSONValue
    do {
      document = try JSONValue(parsing: text.utf8)
    } catch {
      throw PolicyFault("It is not JSON: \(error).")
    }
    self.text = text
    self.language = language
    statements = try PolicyReader(language).statements(of: document)
  }

  /// Returns whether the policy allows a request: at least one statement allows it, and none denies it.
  func allows(_ question: PolicyQuestion) -> Bool {
    let action = language.comparable(question.action)
    let matching = statements.filter { $0.isAbout(action, question) }
    return !matching.isEmpty && matching.allSatisfy(\.allows)
  }
}

extension SessionPolicy.Statement {
  func isAbout(_ action: String, _ question: PolicyQuestion) -> Bool {
    actions.contains { $0.matches(action) } != exceptsActions
      && resources.contains { $0.matches(question.resource) }
      && conditions.allSatisfy { $0.holds(for: question.facts, inDenial: !allows) }
  }
}

/// A pattern of resource names.
///
/// Each part between colons is a separate pattern, so that an asterisk does not match across a colon.
struct ResourcePattern: Sendable {
  private let parts: [WildcardPattern]?

  /// The pattern that matches every resource.
  static let any = ResourcePattern(nil)

  /// Creates a pattern from its parts; `nil` matches every resource.
  init(_ parts: [String]?) {
    self.parts = parts?.map { WildcardPattern($0) }
  }

  func matches(_ resource: [String]) -> Bool {
    guard let parts else { return true }
    return parts.count == resource.count && zip(parts, resource).allSatisfy { $0.matches($1) }
  }
}
