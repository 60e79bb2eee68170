// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A JSON value that keeps the order of an object's members and the digits of a number.
///
/// ```swift
/// let response = try JSONValue(parsing: bytes)
/// let token = response["transfer_specs"]?[0]?["transfer_spec"]?["token"]?.string
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
  public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
  /// The elements of the JSON array, or `nil` if the value is not an array.
  public var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
  /// The JSON string, or `nil` if the value is not a string.
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The value as an integer, as ``JSONNumber/integer`` returns it, or `nil` if the value is not a number.
  public var integer: Int? { if case .number(let number) = self { number.integer } else { nil } }
  /// The Boolean value, or `nil` if the value is not `true` or `false`.
  public var bool: Bool? { if case .bool(let truth) = self { truth } else { nil } }

  /// The string, or the digits of the number, because some services encode error codes in either form.
  package var code: String? { if case .number(let number) = self { number.digits } else { string } }

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
  /// Creates an object from a literal, keeping the order of its members; the last value of a repeated name is used.
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

  /// Creates a JSON number from an integer of any size.
  public init(_ number: some BinaryInteger) { digits = "\(number)" }
  init(digits: String) { self.digits = digits }

  /// The number as an integer, or `nil` if it is not a whole number of a magnitude of at most 2^60.
  ///
  /// A few such integers can be added without an overflow. A number with a fraction or an exponent, such as `1.0` or
  /// `1e3`, must be smaller than 2^53, up to which `Double` represents every integer exactly.
  public var integer: Int? {
    if let exact = Int(signedDigits: digits) { return exact }
    guard let value = Double(digits), value.magnitude < 0x1p53 else { return nil }
    return Int(exactly: value)
  }
}

extension JSONValue {
  /// Creates a value by parsing a JSON document.
  ///
  /// The initializer rejects a document with a repeated name in an object, or with more than 64 levels of nesting.
  ///
  /// - Parameter bytes: The JSON document in UTF-8, with or without a byte order mark.
  /// - Throws: A ``JSONError`` with the offset at which the document is invalid.
  public init(parsing bytes: some Sequence<UInt8>) throws(JSONError) {
    var parser = JSONParser(Array(bytes))
    self = try parser.parseDocument()
  }

  /// The value as a JSON document in UTF-8, without white space.
  public var serialized: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let truth): bytes += (truth ? "true" : "false").utf8
    case .number(let number): bytes += number.digits.utf8
    case .string(let text): Self.write(text, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0a: bytes += #"\n"#.utf8
      case 0x0d: bytes += #"\r"#.utf8
      case 0x09: bytes += #"\t"#.utf8
      case 0..<0x20: bytes += (#"\u00"# + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

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
