// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A JSON value that keeps the order of an object's members and the digits of a number.
///
/// ```swift
/// let answer = try JSONValue(parsing: bytes)
/// let token = answer["transfer_specs"]?[0]?["transfer_spec"]?["token"]?.string
/// ```
public enum JSONValue: Sendable, Equatable {
  /// A JSON object, whose members have names.
  case object(JSONObject)
  /// A JSON array of values in their order.
  case array([JSONValue])
  /// A JSON string.
  case string(String)
  /// A JSON number.
  case number(JSONNumber)
  /// A JSON Boolean value, `true` or `false`.
  case bool(Bool)
  /// The JSON value `null`.
  case null

  /// The JSON object, or `nil` if the value is not an object.
  public var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The elements of the JSON array, or `nil` if the value is not an array.
  public var array: [JSONValue]? {
    if case .array(let array) = self { array } else { nil }
  }

  /// The JSON string, or `nil` if the value is not a string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The value as an integer, or `nil` if the value is not a whole number that fits in an `Int`.
  public var integer: Int? {
    if case .number(let number) = self { number.integer } else { nil }
  }

  /// The Boolean value, or `nil` if the value is not `true` or `false`.
  public var bool: Bool? {
    if case .bool(let truth) = self { truth } else { nil }
  }

  /// The string, or the digits of the number, because some services encode error codes in either form.
  ///
  /// It is `nil` if the value is neither a string nor a number.
  package var code: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.digits
    case .object, .array, .bool, .null: nil
    }
  }

  /// Returns the value of the member with a name, or `nil` if the value is not an object or has no such member.
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
  /// Creates a JSON string from a string literal.
  public init(stringLiteral text: String) { self = .string(text) }

  /// Creates a JSON number from an integer literal.
  public init(integerLiteral number: Int) { self = .number(JSONNumber(number)) }

  /// Creates a JSON Boolean value from a Boolean literal.
  public init(booleanLiteral truth: Bool) { self = .bool(truth) }

  /// Creates a JSON array from an array literal.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Creates a JSON object from a dictionary literal, keeping the order of its members.
  ///
  /// If a name is repeated, the last value is used.
  public init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(JSONObject(members)) }
}

/// A JSON number that stores the digits of the document, so that no precision is lost.
///
/// ```swift
/// object["size"] = .number(JSONNumber(bytes))
/// ```
public struct JSONNumber: Sendable, Hashable {
  /// The number in JSON notation, exactly as in the document.
  public let digits: String

  /// Creates a JSON number from an integer.
  ///
  /// - Parameter number: The integer, which can have any size.
  public init(_ number: some BinaryInteger) {
    digits = "\(number)"
  }

  init(digits: String) {
    self.digits = digits
  }

  /// The number as an integer, or `nil` if it is not a whole number that fits in an `Int`.
  public var integer: Int? {
    if let exact = Int(digits) { return exact }
    guard let value = Double(digits), value.magnitude < 0x1p53 else { return nil }
    return Int(exactly: value)
  }
}
