/// An object of JSON: members in the order in which they were written, each name once.
///
/// Names are compared by their bytes: two spellings that Unicode calls equivalent are two names.
///
/// ```swift
/// var tags: JSONObject = ["order": 7, "labels": ["cat", "holiday"]]
/// tags["customer"] = "mia"
/// ```
public struct JSONObject: Sendable {
  /// The names, in order.
  public private(set) var names: [String] = []
  private var values: [MemberName: JSONValue] = [:]

  /// An object without members.
  public init() {}

  /// The value of a member; setting it to `nil` removes the member, a new one goes to the end.
  public subscript(name: String) -> JSONValue? {
    get { values[MemberName(text: name)] }
    set {
      let key = MemberName(text: name)
      switch (values[key], newValue) {
      case (nil, nil): return
      case (nil, _): names.append(name)
      case (_, nil): names.removeAll { MemberName(text: $0) == key }
      default: break
      }
      values[key] = newValue
    }
  }

  /// Whether there are no members.
  public var isEmpty: Bool { names.isEmpty }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object with its members in the given order; of members with one name the last counts.
  public init(dictionaryLiteral members: (String, JSONValue)...) { self.init(members) }

  init(_ members: [(String, JSONValue)]) {
    for (name, value) in members { self[name] = value }
  }
}

extension JSONObject: Equatable {
  /// Whether two objects have the same members; their order does not count.
  public static func == (first: JSONObject, second: JSONObject) -> Bool { first.values == second.values }
}

extension JSONObject: Sequence {
  /// The members, in order.
  public func makeIterator() -> AnyIterator<(name: String, value: JSONValue)> {
    var rest = names[...]
    return AnyIterator {
      guard let name = rest.popFirst(), let value = self[name] else { return nil }
      return (name, value)
    }
  }
}

/// The name of a member; equal only to one with the same bytes.
private struct MemberName: Hashable {
  let text: String

  static func == (first: MemberName, second: MemberName) -> Bool { first.text.utf8.elementsEqual(second.text.utf8) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
