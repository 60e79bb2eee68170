// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The session policy of a temporary credential, which is evaluated for each request with the credential.
struct SessionPolicy: Sendable {
  /// The policy document in JSON.
  let text: String

  private let language: PolicyLanguage
  private let statements: [Statement]

  /// A parsed statement of a policy.
  struct Statement: Sendable {
    var allows = false
    var actions: [WildcardPattern] = []
    /// Whether the statement applies to all actions except the listed actions.
    var exceptsActions = false
    var resources: [ResourcePattern] = []
    var conditions: [PolicyCondition] = []
  }

  /// Creates a session policy by parsing a policy document.
  ///
  /// No part of a document is ignored.
  ///
  /// - Throws: ``PolicyFault`` if the document is invalid, or contains a part that this server cannot evaluate.
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

  /// Returns whether the policy allows a request.
  ///
  /// At least one statement must allow the request, and no statement may deny it.
  func allows(_ question: PolicyInput) -> Bool {
    let action = language.comparable(question.action)
    let matching = statements.filter { $0.isAbout(action, question) }
    return !matching.isEmpty && matching.allSatisfy(\.allows)
  }
}

extension SessionPolicy.Statement {
  func isAbout(_ action: String, _ question: PolicyInput) -> Bool {
    actions.contains { $0.matches(action) } != exceptsActions
      && resources.contains { $0.matches(question.resource) }
      && conditions.allSatisfy { $0.holds(for: question.facts, inDenial: !allows) }
  }
}

/// A pattern that matches resource names in a policy.
///
/// Each of the colon-separated parts has a separate pattern, so that an asterisk does not match across a colon.
struct ResourcePattern: Sendable {
  private let parts: [WildcardPattern]?

  /// The pattern that matches every resource name.
  static let any = ResourcePattern(nil)

  /// Creates a resource pattern from the patterns of the colon-separated parts; `nil` matches every resource.
  init(_ parts: [String]?) {
    self.parts = parts?.map { WildcardPattern($0) }
  }

  func matches(_ resource: [String]) -> Bool {
    guard let parts else { return true }
    return parts.count == resource.count && zip(parts, resource).allSatisfy { $0.matches($1) }
  }
}
