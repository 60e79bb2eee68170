// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A strict parser of policy documents, which rejects unknown members, operators and condition keys.
struct PolicyReader {
  let language: PolicyLanguage
  /// Whether the document is the policy of a bucket, whose statements name principals.
  var isOfBucket = false

  func statements(of document: JSONValue) throws(PolicyFault) -> [PolicyDocument.Statement] {
    let members = try members(of: document, "The policy", known: ["version", "statement"])
    guard let version = members["version"]?.string, language.versions.contains(version) else {
      throw PolicyFault("Its version is missing or not supported.")
    }
    guard let list = members["statement"]?.array else { throw PolicyFault("The list of statements is missing.") }
    return try list.map(statement)
  }

  private func statement(_ element: JSONValue) throws(PolicyFault) -> PolicyDocument.Statement {
    let knownMembers = ["effect", "action", "resource", "condition"] + (isOfBucket ? ["principal", "sid"] : [])
    let members = try members(of: element, "A statement", known: language.members.union(knownMembers))
    var statement = PolicyDocument.Statement()
    if isOfBucket, members["principal"] != nil || !language.impliesEverybody {
      statement.principals = try principals(members["principal"])
    }
    let effect = members["effect"]?.string
    switch language.effects.ignoresCase ? effect?.asciiLowercased : effect {
    case language.effects.allow?: statement.allows = true
    case language.effects.deny?: statement.allows = false
    default: throw PolicyFault("The effect of a statement is missing or invalid.")
    }
    statement.exceptsActions = members["notaction"] != nil
    guard (members["action"] == nil) == statement.exceptsActions else {
      throw PolicyFault("A statement needs an action.")
    }
    statement.actions = try texts(members["action"] ?? members["notaction"], "action").map(pattern(ofAction:))
    statement.resources = try texts(members["resource"], "resource").map(pattern(ofResource:))
    if let condition = members["condition"] { statement.conditions = try conditions(condition) }
    return statement
  }

  /// Returns the members of a JSON object by lowercase name; `subject` begins an error message.
  private func members(
    of value: JSONValue, _ subject: String, known: Set<String>
  ) throws(PolicyFault) -> [String: JSONValue] {
    guard let object = value.object else { throw PolicyFault("\(subject) is not an object.") }
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    var members: [String: JSONValue] = [:]
    for (name, value) in object {
      let lowercased = name.asciiLowercased
      let isCapitalized = name.utf8.first.map(capitals.contains) ?? false
      guard isCapitalized || !language.capitalizesMembers,
        known.contains(lowercased) || language.labels.contains(lowercased),
        members.updateValue(value, forKey: lowercased) == nil
      else { throw PolicyFault("\(subject) has a member \"\(name)\", which is unknown or a duplicate.") }
    }
    return members
  }

  private func texts(_ value: JSONValue?, _ name: String) throws(PolicyFault) -> [String] {
    let values = value?.array ?? (value.map { [$0] } ?? [])
    let texts = values.compactMap(\.string)
    guard !texts.isEmpty, texts.count == values.count else {
      throw PolicyFault("The \(name) of a statement is missing, empty, or not a string.")
    }
    return texts
  }

  /// Returns the names of principals, which a document writes as a string, a list, or an object of either.
  private func principals(_ value: JSONValue?) throws(PolicyFault) -> [String] {
    guard let object = value?.object else { return try texts(value, "principal") }
    var names: [String] = []
    for (_, value) in object { names += try texts(value, "principal") }
    guard !names.isEmpty else { throw PolicyFault("The principal of a statement is empty.") }
    return names
  }

  private func pattern(ofAction action: String) throws(PolicyFault) -> WildcardPattern {
    if action == "*" { return WildcardPattern(action) }
    let name = language.actionPrefix.flatMap { action.removingBytePrefix($0) }.map(String.init) ?? action
    let parts = name.parts(between: ":")
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.hasByte("/") }) else {
      throw PolicyFault("\"\(action)\" is no action name.")
    }
    return WildcardPattern(language.comparable(name))
  }

  private func pattern(ofResource resource: String) throws(PolicyFault) -> ResourcePattern {
    if resource == "*" { return .any }
    guard let parts = language.splitResource(resource) else { throw PolicyFault("\"\(resource)\" is no resource.") }
    return ResourcePattern(parts)
  }

  // MARK: Conditions

  private func conditions(_ value: JSONValue) throws(PolicyFault) -> [PolicyCondition] {
    guard let comparisons = value.object else { throw PolicyFault("A condition is not an object.") }
    var conditions: [PolicyCondition] = []
    for (name, keys) in comparisons {
      let nameWithoutSuffix = language.existenceSuffix.flatMap { name.removingByteSuffix($0) }.map(String.init)
      guard let comparison = language.comparisons[nameWithoutSuffix ?? name] else {
        throw PolicyFault("The comparison \"\(name)\" is unknown.")
      }
      guard let keys = keys.object, !keys.isEmpty else { throw PolicyFault("The comparison \"\(name)\" has no keys.") }
      // An operator with the suffix also holds for a request without a value.
      let absence = nameWithoutSuffix == nil ? language.comparisonWithoutValue : .holds
      for (key, value) in keys {
        guard language.conditions.contains(key) else { throw PolicyFault("The condition \"\(key)\" is not supported.") }
        guard let condition = Self.condition(key, comparison, value.array ?? [value], absence: absence) else {
          throw PolicyFault("A value of \"\(key)\" in \"\(name)\" is missing or invalid.")
        }
        conditions.append(condition)
      }
    }
    return conditions
  }

  /// Returns a condition that compares a key with values, or `nil` if there is no value, or an invalid one.
  private static func condition(
    _ key: String, _ comparison: PolicyLanguage.Comparison, _ values: [JSONValue], absence: PolicyCondition.Absence
  ) -> PolicyCondition? {
    func anyOf<Value: Sendable>(
      _ decode: (JSONValue) -> Value?, _ matches: @escaping @Sendable (String, Value) -> Bool
    ) -> PolicyCondition? {
      decoded(values, decode).map { values in
        PolicyCondition(
          key: key, matches: { fact in values.contains { matches(fact, $0) } }, isNegated: comparison.isNegated,
          absence: absence)
      }
    }
    switch comparison.kind {
    case .text: return anyOf(\.code) { $0.isIdentical(to: $1) }
    case .textIgnoringCase: return anyOf(\.code) { $0.asciiLowercased.isIdentical(to: $1.asciiLowercased) }
    case .pattern: return anyOf({ $0.string.map { WildcardPattern($0) } }) { $1.matches($0) }
    case .number(let order):
      return anyOf({ $0.code.flatMap { Int64(signedDigits: $0) } }) { fact, limit in
        Int64(fact).map { order.holds($0, limit) } ?? false
      }
    case .date(let order):
      return anyOf({ $0.string.flatMap { Timestamp(iso8601: $0) } }) { fact, limit in
        Timestamp(iso8601: fact).map { order.holds($0, limit) } ?? false
      }
    case .truth: return anyOf(truth) { $0 == String($1) }
    case .network:
      return anyOf({ $0.string.flatMap { AddressRange(networkOf: $0) } }) { fact, range in
        NetworkAddress(fact).map { range.contains($0) } ?? false
      }
    case .absence:
      return decoded(values, truth).map { truths in
        PolicyCondition(
          key: key, matches: { _ in truths.contains(false) }, isNegated: false,
          absence: truths.contains(true) ? .holds : .fails)
      }
    }
  }

  private static func truth(_ value: JSONValue) -> Bool? { value.bool ?? value.string.flatMap { Bool($0) } }

  /// Returns the decoded values, or `nil` if there is no value, or one that cannot be decoded.
  private static func decoded<Value>(_ values: [JSONValue], _ decode: (JSONValue) -> Value?) -> [Value]? {
    let decodedValues = values.compactMap(decode)
    return decodedValues.isEmpty || decodedValues.count < values.count ? nil : decodedValues
  }
}

/// A request to evaluate a policy: an action, a resource, and the values that conditions can test.
struct PolicyInput: Sendable {
  let action: String
  /// The colon-separated parts of the resource name; the last part can contain colons.
  let resource: [String]
  let facts: [String: String]
  /// The numbers of the account of the caller, which a bucket's policy can name; empty for an unsigned request.
  var accounts: [String] = []
}

/// An error that explains why a document is not a policy that this server can apply.
struct PolicyFault: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
