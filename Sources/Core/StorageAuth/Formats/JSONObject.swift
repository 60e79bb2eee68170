// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A JSON object, which keeps the order of its members and requires unique member names.
///
/// Names are compared byte by byte: two strings that are canonically equivalent in Unicode are different names.
///
/// ```swift
/// var tags: JSONObject = ["order": 7, "labels": ["cat", "holiday"]]
/// tags["customer"] = "mia"
/// ```
public struct JSONObject: Sendable {
  /// The names of the object's members, in order.
  public private(set) var names: [String] = []
  private var values: [ByteExactString: JSONValue] = [:]

  /// Creates an object without members.
  public init() {}

  /// Accesses the value of the member with a name, or `nil` if the object has no such member.
  ///
  /// Setting the value to `nil` removes the member. Setting the value of a new member appends the member.
  public subscript(name: String) -> JSONValue? {
    get { values[ByteExactString(name)] }
    set {
      let key = ByteExactString(name)
      switch (values[key], newValue) {
      case (nil, nil): return
      case (nil, _): names.append(name)
      case (_, nil): names.removeAll { $0.isIdentical(to: name) }
      default: break
      }
      values[key] = newValue
    }
  }

  /// Whether the object has no members.
  public var isEmpty: Bool { names.isEmpty }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object from a literal, keeping the order of its members; the last value of a repeated name is used.
  public init(dictionaryLiteral members: (String, JSONValue)...) { self.init(members) }

  init(_ members: [(String, JSONValue)]) {
    for (name, value) in members { self[name] = value }
  }
}

extension JSONObject: Equatable {
  /// Returns whether two objects have the same members, in any order.
  public static func == (first: JSONObject, second: JSONObject) -> Bool { first.values == second.values }
}

extension JSONObject: Sequence {
  /// Returns an iterator over the object's members, in order.
  public func makeIterator() -> AnyIterator<(name: String, value: JSONValue)> {
    var remainingNames = names[...]
    return AnyIterator {
      guard let name = remainingNames.popFirst(), let value = self[name] else { return nil }
      return (name, value)
    }
  }
}
