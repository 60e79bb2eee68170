/// An object of JSON: members in the order in which they were written, each name once.
public struct JSONObject: Sendable {
  /// The names, in order.
  public private(set) var names: [String] = []
  private var values: [String: JSONValue] = [:]

  /// An object without members.
  public init() {}

  /// The value of a member; setting it to nothing removes the member, a new one goes to the end.
  public subscript(name: String) -> JSONValue? {
    get { values[name] }
    set {
      switch (values[name], newValue) {
      case (nil, nil): return
      case (nil, _): names.append(name)
      case (_, nil): names.removeAll { $0 == name }
      default: break
      }
      values[name] = newValue
    }
  }

  /// Whether there are no members.
  public var isEmpty: Bool { names.isEmpty }
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
      guard let name = rest.popFirst(), let value = values[name] else { return nil }
      return (name, value)
    }
  }
}
