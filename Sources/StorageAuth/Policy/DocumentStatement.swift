// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageJSON

/// One statement of a provider's policy document that allows actions.
package struct DocumentStatement {
  /// The names of the actions.
  package let actions: [String]

  /// The resources on which the actions are allowed.
  package var resources: [String]

  /// The conditions, all of which must hold.
  package let conditions: [Condition]

  /// One comparison of a condition.
  package struct Condition: Equatable {
    /// The name of the comparison operator.
    package let comparison: String
    /// The condition key.
    package let key: String
    /// The value that the condition key is compared with.
    package let value: Value

    /// Creates a comparison.
    package init(_ comparison: String, _ key: String, _ value: Value) {
      self.comparison = comparison
      self.key = key
      self.value = value
    }
  }

  /// The value of a comparison: a number, or strings of which one must match.
  package enum Value: Equatable {
    case texts([String])
    case number(Int64)

    /// Returns whether two values are equal, byte for byte.
    package static func == (first: Value, second: Value) -> Bool {
      switch (first, second) {
      case (.texts(let first), .texts(let second)): first.elementsEqual(second) { $0.isIdentical(to: $1) }
      case (.number(let first), .number(let second)): first == second
      default: false
      }
    }
  }

  /// Creates a statement.
  package init(_ actions: [String], on resources: [String], if conditions: [Condition] = []) {
    self.actions = actions
    self.resources = resources
    self.conditions = conditions
  }
}

extension [DocumentStatement] {
  /// Adds a statement; its resources are merged into a statement with the same actions and conditions.
  package mutating func add(_ statement: DocumentStatement) {
    guard !statement.actions.isEmpty else { return }
    let place = firstIndex { $0.actions == statement.actions && $0.conditions == statement.conditions }
    guard let place else { return append(statement) }
    for resource in statement.resources where !self[place].resources.contains(where: resource.isIdentical) {
      self[place].resources.append(resource)
    }
  }
}

extension DocumentStatement {
  /// The spelling of the members of a statement in a provider's documents.
  package enum Spelling {
    /// `Effect`, `Allow`, as RAM does.
    case capitalized
    /// `effect`, `allow`, as CAM does.
    case lowercase

    fileprivate func name(_ capitalized: String) -> String {
      self == .capitalized ? capitalized : capitalized.asciiLowercased
    }
  }

  /// Returns the statement as JSON.
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
