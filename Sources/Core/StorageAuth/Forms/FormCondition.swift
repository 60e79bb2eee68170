// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A condition that a form policy places on the value of a form field.
///
/// The vendors' pages that define conditions are "PostObject" (OSS), "POST Object" (COS) and "POST Policy" (S3).
public struct FormCondition: Sendable, Hashable {
  /// The case-insensitive name of the form field, such as `x-oss-meta-author`.
  public var field: String
  /// The rule that the field's value must satisfy.
  public var rule: Rule

  /// A rule for a form field's value, which is compared byte for byte.
  public enum Rule: Sendable, Hashable {
    /// The field's value must equal the given string.
    case equals(String)
    /// The field's value must start with the given string; an empty string allows any value.
    case startsWith(String)
    /// The field's value must equal one of the given strings; only OSS supports this rule.
    case oneOf([String])
    /// The field's value must differ from all of the given strings; only OSS supports this rule.
    case noneOf([String])
  }

  /// Creates a condition for a form field's value; the parameters are the properties.
  public init(_ field: String, _ rule: Rule) {
    self.field = field
    self.rule = rule
  }
}

extension FormCondition.Rule {
  /// Returns whether a field with a value satisfies the rule.
  package func accepts(_ value: String) -> Bool {
    switch self {
    case .equals(let text): value.isIdentical(to: text)
    case .startsWith(let text): value.utf8.starts(with: text.utf8)
    case .oneOf(let texts): texts.contains(where: value.isIdentical)
    case .noneOf(let texts): !texts.contains(where: value.isIdentical)
    }
  }

  /// The only value that satisfies the rule, or `nil` if several values can satisfy it.
  package var onlyValue: String? {
    switch self {
    case .equals(let text): text
    case .oneOf(let texts) where texts.count == 1: texts[0]
    default: nil
    }
  }
}

extension FormCondition {
  /// The condition as an element of a policy document.
  var json: JSONValue {
    func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
    let name = JSONValue.string("$\(field)")
    return switch rule {
    case .equals(let text): ["eq", name, .string(text)]
    case .startsWith(let text): ["starts-with", name, .string(text)]
    case .oneOf(let texts): ["in", name, list(texts)]
    case .noneOf(let texts): ["not-in", name, list(texts)]
    }
  }
}

extension FormCondition: Redacted {
  /// The condition in JSON, as in a policy document; a secret value, such as a session token, is masked.
  public var description: String {
    if SecretName.isSecret(field) { return #"["eq","$\#(field)","\#(Secret.mask)"]"# }
    return String(decoding: json.serialized, as: UTF8.self)
  }
}
