// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// Any JSON value, which keeps the order of an object's members and the digits of a number.
///
/// ```swift
/// let answer = try JSONValue(parsing: bytes)
/// let token = answer["transfer_specs"]?[0]?["transfer_spec"]?["token"]?.string
/// ```
public enum JSONValue: Sendable, Equatable {
  /// An object, whose members have names.
  case object(JSONObject)
  /// An array of elements in their order.
  case array([JSONValue])
  /// A string.
  case string(String)
  /// A number.
  case number(JSONNumber)
  /// A Boolean value.
  case bool(Bool)
  /// The `null` value.
  case null

  /// The object, or `nil` if the value is not one.
  public var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The array, or `nil` if the value is not one.
  public var array: [JSONValue]? {
    if case .array(let array) = self { array } else { nil }
  }

  /// The string, or `nil` if the value is not one.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The integer, or `nil` if the value is not a whole number that fits an `Int`.
  public var integer: Int? {
    if case .number(let number) = self { number.integer } else { nil }
  }

  /// The Boolean value, or `nil` if the value is not one.
  public var bool: Bool? {
    if case .bool(let truth) = self { truth } else { nil }
  }

  /// The string, or the digits of a number, because services encode some of their codes either way.
  package var code: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.digits
    case .object, .array, .bool, .null: nil
    }
  }

  /// Returns the member with a name, or `nil` if the value is not an object or has no such member.
  public subscript(name: String) -> JSONValue? { object?[name] }

  /// Returns the element at an index, or `nil` if the value is not an array or has no such element.
  public subscript(index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a string.
  public init(stringLiteral text: String) { self = .string(text) }

  /// Creates a whole number.
  public init(integerLiteral number: Int) { self = .number(JSONNumber(number)) }

  /// Creates a Boolean value.
  public init(booleanLiteral truth: Bool) { self = .bool(truth) }

  /// Creates an array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Creates an object with members in the given order; if a name appears twice, the last value is used.
  public init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(JSONObject(members)) }
}

/// A JSON number with the digits of the document, so that no precision is lost.
///
/// ```swift
/// object["size"] = .number(JSONNumber(bytes))
/// ```
public struct JSONNumber: Sendable, Hashable {
  /// The number in JSON notation.
  public let digits: String

  /// Creates a whole number.
  ///
  /// - Parameter number: The number.
  public init(_ number: some BinaryInteger) {
    digits = "\(number)"
  }

  init(digits: String) {
    self.digits = digits
  }

  /// The number as an integer, or `nil` if it is not a whole number that fits an `Int`.
  public var integer: Int? {
    if let exact = Int(digits) { return exact }
    guard let value = Double(digits), value.magnitude < 0x1p53 else { return nil }
    return Int(exactly: value)
  }
}
