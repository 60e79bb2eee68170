internal import StorageJSON

/// What the value of one field of a form has to be.
public struct FormCondition: Sendable, Hashable {
  /// The name of the field; upper and lower case are the same.
  public var field: String

  /// What its value has to be.
  public var rule: Rule

  /// What a value has to be, byte for byte.
  public enum Rule: Sendable, Hashable {
    /// This one.
    case equals(String)
    /// One that starts like this; the empty text stands for any value.
    case startsWith(String)
    /// One of these; only OSS has this.
    case oneOf([String])
    /// None of these; only OSS has this.
    case noneOf([String])
  }

  /// Makes a condition.
  ///
  /// - Parameters:
  ///   - field: The name of the field, such as `x-oss-meta-author`.
  ///   - rule: What its value has to be.
  public init(_ field: String, _ rule: Rule) {
    self.field = field
    self.rule = rule
  }
}

extension FormCondition.Rule {
  /// Whether a value is as it has to be.
  package func accepts(_ value: String) -> Bool {
    switch self {
    case .equals(let text): Self.areEqual(value, text)
    case .startsWith(let text): value.utf8.starts(with: text.utf8)
    case .oneOf(let texts): texts.contains { Self.areEqual(value, $0) }
    case .noneOf(let texts): !texts.contains { Self.areEqual(value, $0) }
    }
  }

  /// The one value that is accepted, where there is only one.
  package var onlyValue: String? {
    switch self {
    case .equals(let text): text
    case .oneOf(let texts) where texts.count == 1: texts[0]
    default: nil
    }
  }

  private static func areEqual(_ first: String, _ second: String) -> Bool { first.utf8.elementsEqual(second.utf8) }
}

extension FormCondition {
  /// The condition as it stands in a policy.
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

extension FormCondition: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The condition as it stands in a policy; the value of a session token is masked.
  public var description: String {
    SecretName.isSecret(field)
      ? #"["eq","$\#(field)","\#(Secret.mask)"]"# : String(decoding: json.serialized, as: UTF8.self)
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror with the description alone.
  public var customMirror: Mirror { Mirror(self, children: ["condition": description]) }
}
