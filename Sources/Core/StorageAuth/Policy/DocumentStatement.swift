// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A statement in a provider's policy document, which allows actions on resources.
package struct DocumentStatement {
  package let actions: [String]
  package var resources: [String]
  /// The conditions, all of which must hold.
  package let conditions: [Condition]

  package struct Condition: Equatable {
    /// The operator of the comparison, such as `StringLike`.
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
    let index = firstIndex { $0.actions == statement.actions && $0.conditions == statement.conditions }
    guard let index else { return append(statement) }
    for resource in statement.resources where !self[index].resources.contains(where: resource.isIdentical) {
      self[index].resources.append(resource)
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

    fileprivate func name(_ capitalizedName: String) -> String {
      self == .capitalized ? capitalizedName : capitalizedName.asciiLowercased
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
