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

  /// Creates a JSON number from an integer.
  ///
  /// - Parameter number: The integer, which can have any size.
  public init(_ number: some BinaryInteger) { digits = "\(number)" }

  init(digits: String) { self.digits = digits }

  /// The number as an integer, or `nil` if it is not a whole number of a magnitude of at most 2^60.
  ///
  /// A few such integers can be added without an overflow.
  public var integer: Int? {
    if let exact = Int(signedDigits: digits) { return exact }
    guard let value = Double(digits), value.magnitude < 0x1p53 else { return nil }
    return Int(exactly: value)
  }
}

extension JSONValue {
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

  /// Creates a value by parsing a JSON document.
  ///
  /// The initializer rejects a document with a repeated name in an object, or with more than 64 levels of nesting.
  ///
  /// - Parameter bytes: The JSON document in UTF-8, with or without a byte order mark.
  /// - Throws: A ``JSONError`` with the offset at which the document is invalid.
  public init(parsing bytes: some Sequence<UInt8>) throws(JSONError) {
    var parser = JSONParser(Array(bytes))
    self = try parser.document()
  }
}

/// A strict JSON parser ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)).
struct JSONParser {
  private static let deepest = 64

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
  }

  mutating func document() throws(JSONError) -> JSONValue {
    let value = try value()
    skipSpace()
    guard position == bytes.count else { throw error("The document continues after its end") }
    return value
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func error(_ message: String) -> JSONError { JSONError(offset: position, message: message) }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x0a, 0x0d, 0x09].contains(byte) { position += 1 }
  }

  private mutating func take(_ character: Character) -> Bool {
    guard let byte = next, byte == character.asciiValue else { return false }
    position += 1
    return true
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    skipSpace()
    switch next ?? 0 {
    case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in .object(try parser.object()) }
    case UInt8(ascii: "["): return try nested { parser throws(JSONError) in .array(try parser.array()) }
    case UInt8(ascii: "\""): return .string(try text())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    default: throw error("A value is missing")
    }
  }

  private mutating func nested(
    _ read: (inout JSONParser) throws(JSONError) -> JSONValue
  ) throws(JSONError) -> JSONValue {
    guard depth < Self.deepest else { throw error("The document is nested deeper than \(Self.deepest) levels") }
    depth += 1
    position += 1
    let value = try read(&self)
    depth -= 1
    return value
  }

  private mutating func object() throws(JSONError) -> JSONObject {
    var object = JSONObject()
    skipSpace()
    if take("}") { return object }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw error("The name of a member is missing") }
      let name = try text()
      guard object[name] == nil else { throw error("A name appears twice in one object") }
      skipSpace()
      guard take(":") else { throw error("A colon is missing") }
      object[name] = try value()
      skipSpace()
    } while take(",")
    guard take("}") else { throw error("The end of an object is missing") }
    return object
  }

  private mutating func array() throws(JSONError) -> [JSONValue] {
    var elements: [JSONValue] = []
    skipSpace()
    if take("]") { return elements }
    repeat {
      elements.append(try value())
      skipSpace()
    } while take(",")
    guard take("]") else { throw error("The end of an array is missing") }
    return elements
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else { throw error("A value is missing") }
    position += word.utf8.count
    return value
  }

  private mutating func number() throws(JSONError) -> JSONNumber {
    let start = position
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    return JSONNumber(digits: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func digits() throws(JSONError) {
    guard let byte = next, byte.isASCIIDigit else { throw error("A digit is missing") }
    while let byte = next, byte.isASCIIDigit { position += 1 }
  }

  private mutating func text() throws(JSONError) -> String {
    position += 1
    var units: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: units, as: UTF8.self) else { throw error("A string is not valid UTF-8") }
        return text
      case UInt8(ascii: "\\"): try escape(&units)
      case 0..<0x20: throw error("A string contains a control character")
      default: units.append(byte)
      }
    }
    throw error("The end of a string is missing")
  }

  private mutating func escape(_ units: inout [UInt8]) throws(JSONError) {
    guard let byte = next else { throw error("An escape is cut off") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(byte)
    case UInt8(ascii: "b"): units.append(0x08)
    case UInt8(ascii: "f"): units.append(0x0c)
    case UInt8(ascii: "n"): units.append(0x0a)
    case UInt8(ascii: "r"): units.append(0x0d)
    case UInt8(ascii: "t"): units.append(0x09)
    case UInt8(ascii: "u"): units += try scalar().utf8
    default: throw error("An escape is unknown")
    }
  }

  private mutating func scalar() throws(JSONError) -> Character {
    let first = try unit()
    var code = UInt32(first)
    if UTF16.isLeadSurrogate(first) {
      guard take("\\"), take("u") else { throw error("The second half of a character is missing") }
      let second = try unit()
      guard UTF16.isTrailSurrogate(second) else { throw error("The second half of a character is missing") }
      code = 0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw error("A surrogate is not part of a pair") }
    return Character(scalar)
  }

  private mutating func unit() throws(JSONError) -> UInt16 {
    guard position + 4 <= bytes.count else { throw error("An escape is cut off") }
    var code: UInt16 = 0
    for byte in bytes[position..<position + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw error("An escape is not hex") }
      code = code << 4 | UInt16(digit)
    }
    position += 4
    return code
  }
}

/// A JSON parsing error, with its reason and the byte at which the parser stopped.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offset of the byte at which the parser stopped, starting at 0.
  public let offset: Int

  /// A description of the problem, which contains no part of the document.
  public let message: String

  /// The message followed by the byte offset.
  public var description: String { "\(message) at byte \(offset)" }
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
  private var values: [MemberName: JSONValue] = [:]

  /// Creates an object without members.
  public init() {}

  /// Accesses the value of the member with a name, or `nil` if the object has no such member.
  ///
  /// Setting the value to `nil` removes the member. Setting the value of a new member appends the member.
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

  /// A Boolean value that indicates whether the object has no members.
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
  /// Returns a Boolean value that indicates whether two objects have the same members, in any order.
  public static func == (first: JSONObject, second: JSONObject) -> Bool { first.values == second.values }
}

extension JSONObject: Sequence {
  /// Returns an iterator over the object's members, in order.
  public func makeIterator() -> AnyIterator<(name: String, value: JSONValue)> {
    var rest = names[...]
    return AnyIterator {
      guard let name = rest.popFirst(), let value = self[name] else { return nil }
      return (name, value)
    }
  }
}

/// The name of an object member, which equals only a name with the same bytes.
private struct MemberName: Hashable {
  let text: String

  static func == (first: MemberName, second: MemberName) -> Bool { first.text.utf8.elementsEqual(second.text.utf8) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
