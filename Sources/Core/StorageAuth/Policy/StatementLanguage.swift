// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The vocabulary of a provider's policy language, from which policy documents are generated.
///
/// In such a language, buckets and objects are resources, and the prefix of a list request is a condition.
package struct StatementLanguage: Sendable {
  /// The name of the policy language with its article, such as `a RAM policy`.
  package let name: String

  package let version: String

  package let actions: [AccessAction: [String]]

  /// The policy language's name for the action that lists a bucket's keys.
  package let listing: String

  package let prefixKey: String
  package let addressKey: String
  package let dateKey: String

  package let takesVersion6: Bool

  package init(
    name: String, version: String, actions: [AccessAction: [String]], listing: String, prefixKey: String,
    addressKey: String, dateKey: String, takesVersion6: Bool
  ) {
    self.name = name
    self.version = version
    self.actions = actions
    self.listing = listing
    self.prefixKey = prefixKey
    self.addressKey = addressKey
    self.dateKey = dateKey
    self.takesVersion6 = takesVersion6
  }

  /// Returns the policy document for validated rules; the closure returns the language's name for a rule's bucket.
  package func document(
    of rules: [AccessRule], upTo byteLimit: Int?, resource: (AccessRule) throws(PolicyError) -> String
  ) throws(PolicyError) -> String {
    var statements: [DocumentStatement] = []
    for rule in rules {
      for statement in try self.statements(of: rule, on: resource(rule)) { statements.add(statement) }
    }
    let document: JSONValue = [
      "Version": .string(version), "Statement": .array(statements.map { $0.json(.capitalized) }),
    ]
    let bytes = document.serialized
    if let byteLimit, bytes.count > byteLimit {
      throw PolicyError(
        .tooLong, "The policy document has \(bytes.count) bytes, and the token service accepts \(byteLimit).",
        remedy: "Use fewer rules or shorter prefixes, or attach the policy to the role.")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func statements(of rule: AccessRule, on resource: String) throws(PolicyError) -> [DocumentStatement] {
    let pattern = try rule.objects.pattern(in: name)
    let conditions = try conditions(of: rule)
    let onObjects = AccessAction.allCases.filter(rule.actions.contains).flatMap { actions[$0] ?? [] }
    var statements = [DocumentStatement(onObjects, on: ["\(resource)/\(pattern)"], if: conditions)]
    if rule.actions.contains(.list) {
      statements.append(
        DocumentStatement([listing], on: [resource], if: prefixes(of: rule.objects, pattern) + conditions))
    }
    return statements
  }

  private func prefixes(of objects: ObjectScope, _ pattern: String) -> [DocumentStatement.Condition] {
    switch objects {
    case .all, .prefix(""): []
    case .prefix: [.init("StringLike", prefixKey, .texts([pattern]))]
    case .key: [.init("StringEquals", prefixKey, .texts([pattern]))]
    }
  }

  private func conditions(of rule: AccessRule) throws(PolicyError) -> [DocumentStatement.Condition] {
    if rule.actions.contains(.write) {
      if rule.maximumSize != nil { throw unsupported("the object size", in: rule) }
      if rule.contentTypes != nil { throw unsupported("the media type", in: rule) }
    }
    var conditions: [DocumentStatement.Condition] = []
    if let addresses = rule.addresses {
      if !takesVersion6, addresses.contains(where: \.isVersion6) { throw unsupported("IPv6 addresses", in: rule) }
      conditions.append(.init("IpAddress", addressKey, .texts(addresses.map(\.description))))
    }
    if let end = rule.end { conditions.append(.init("DateLessThan", dateKey, .texts([end.iso8601]))) }
    return conditions
  }

  private func unsupported(_ what: String, in rule: AccessRule) -> PolicyError {
    PolicyError(
      .unsupportedCondition,
      "The rule for \"\(rule.bucket)\" has a condition on \(what), which \(name) cannot express.",
      remedy: "Remove it from the rule; sizes and media types can be limited by a form upload or a presigned URL.")
  }
}

/// A statement in a provider's policy document, which allows actions on resources.
package struct DocumentStatement {
  package let actions: [String]

  package var resources: [String]

  /// The conditions of the statement, all of which must hold.
  package let conditions: [Condition]

  package struct Condition: Equatable {
    package let comparison: String
    /// The condition key, which is the provider's name of the request property that is compared.
    package let key: String
    package let value: Value

    package init(_ comparison: String, _ key: String, _ value: Value) {
      self.comparison = comparison
      self.key = key
      self.value = value
    }
  }

  /// The value of a comparison: an integer, or a list of strings of which one must match.
  package enum Value: Equatable {
    case texts([String])
    case number(Int64)

    /// Returns whether two comparison values are equal, byte for byte.
    package static func == (first: Value, second: Value) -> Bool {
      switch (first, second) {
      case (.texts(let first), .texts(let second)): first.elementsEqual(second) { $0.isIdentical(to: $1) }
      case (.number(let first), .number(let second)): first == second
      default: false
      }
    }
  }

  package init(_ actions: [String], on resources: [String], if conditions: [Condition] = []) {
    self.actions = actions
    self.resources = resources
    self.conditions = conditions
  }
}

extension [DocumentStatement] {
  /// Adds a statement, or its resources to a statement with the same actions and conditions.
  package mutating func add(_ statement: DocumentStatement) {
    guard !statement.actions.isEmpty else { return }
    let position = firstIndex { $0.actions == statement.actions && $0.conditions == statement.conditions }
    guard let position else { return append(statement) }
    for resource in statement.resources where !self[position].resources.contains(where: resource.isIdentical) {
      self[position].resources.append(resource)
    }
  }
}

extension DocumentStatement {
  /// A spelling of member names and values in a provider's policy documents.
  package enum Spelling {
    /// The spelling of RAM policies: `Effect`, `Allow`.
    case capitalized
    /// The spelling of CAM policies: `effect`, `allow`.
    case lowercase

    fileprivate func name(_ capitalized: String) -> String {
      self == .capitalized ? capitalized : capitalized.asciiLowercased
    }
  }

  package func json(_ spelling: Spelling) -> JSONValue {
    var statement = JSONObject()
    statement[spelling.name("Effect")] = .string(spelling.name("Allow"))
    statement[spelling.name("Action")] = .array(actions.map { .string($0) })
    statement[spelling.name("Resource")] = .array(resources.map { .string($0) })
    guard !conditions.isEmpty else { return .object(statement) }
    var comparisons = JSONObject()
    for condition in conditions {
      var comparison = comparisons[condition.comparison]?.object ?? JSONObject()
      comparison[condition.key] = condition.value.json
      comparisons[condition.comparison] = .object(comparison)
    }
    statement[spelling.name("Condition")] = .object(comparisons)
    return .object(statement)
  }
}

extension DocumentStatement.Value {
  fileprivate var json: JSONValue {
    switch self {
    case .texts(let texts): texts.count == 1 ? .string(texts[0]) : .array(texts.map { .string($0) })
    case .number(let number): .number(JSONNumber(number))
    }
  }
}
