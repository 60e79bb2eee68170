// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The names in a provider's policy language, from which policy documents are generated.
///
/// In such a language, buckets and objects are resources, and the prefix of a list request is a condition.
package struct StatementLanguage: Sendable {
  /// The name of a policy with its article, such as `a RAM policy`.
  package let nameWithArticle: String
  package let version: String
  /// The names of the operations on objects that an action comprises.
  package let actions: [AccessAction: [String]]
  /// The name of the operation that lists a bucket, which is the resource of its statement.
  package let listAction: String
  package let prefixConditionKey: String
  package let addressConditionKey: String
  package let dateConditionKey: String
  package let supportsIPv6: Bool

  package init(
    nameWithArticle: String, version: String, actions: [AccessAction: [String]], listAction: String,
    prefixConditionKey: String, addressConditionKey: String, dateConditionKey: String, supportsIPv6: Bool
  ) {
    self.nameWithArticle = nameWithArticle
    self.version = version
    self.actions = actions
    self.listAction = listAction
    self.prefixConditionKey = prefixConditionKey
    self.addressConditionKey = addressConditionKey
    self.dateConditionKey = dateConditionKey
    self.supportsIPv6 = supportsIPv6
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
    let pattern = try rule.objects.pattern(in: nameWithArticle)
    let conditions = try conditions(of: rule)
    let objectActions = AccessAction.allCases.filter(rule.actions.contains).flatMap { actions[$0] ?? [] }
    var statements = [DocumentStatement(objectActions, on: ["\(resource)/\(pattern)"], if: conditions)]
    if rule.actions.contains(.list) {
      let listConditions = prefixConditions(for: rule.objects, matching: pattern) + conditions
      statements.append(DocumentStatement([listAction], on: [resource], if: listConditions))
    }
    return statements
  }

  /// Returns the conditions on the prefix of a list request; a scope with every key needs none.
  private func prefixConditions(for objects: ObjectScope, matching pattern: String) -> [DocumentStatement.Condition] {
    switch objects {
    case .all, .prefix(""): []
    case .prefix: [.init("StringLike", prefixConditionKey, .texts([pattern]))]
    case .key: [.init("StringEquals", prefixConditionKey, .texts([pattern]))]
    }
  }

  private func conditions(of rule: AccessRule) throws(PolicyError) -> [DocumentStatement.Condition] {
    if rule.actions.contains(.write) {
      if rule.maximumSize != nil { throw unsupported("the object size", in: rule) }
      if rule.contentTypes != nil { throw unsupported("the media type", in: rule) }
    }
    var conditions: [DocumentStatement.Condition] = []
    if let addresses = rule.addresses {
      if !supportsIPv6, addresses.contains(where: \.isIPv6) { throw unsupported("IPv6 addresses", in: rule) }
      conditions.append(.init("IpAddress", addressConditionKey, .texts(addresses.map(\.description))))
    }
    if let end = rule.end { conditions.append(.init("DateLessThan", dateConditionKey, .texts([end.iso8601]))) }
    return conditions
  }

  private func unsupported(_ property: String, in rule: AccessRule) -> PolicyError {
    PolicyError(
      .unsupportedCondition,
      "The rule for \"\(rule.bucket)\" has a condition on \(property), which \(nameWithArticle) cannot express.",
      remedy: "Remove it from the rule; sizes and media types can be limited by a form upload or a presigned URL.")
  }
}
