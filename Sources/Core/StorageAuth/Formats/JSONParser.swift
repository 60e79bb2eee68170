// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A strict JSON parser ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)).
struct JSONParser {
  /// The maximum number of nested arrays and objects, which bounds the recursion of the parser.
  private static let depthLimit = 64

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // A byte order mark is no part of the document (RFC 8259, section 8.1).
    if bytes.hasByteOrderMark { position = 3 }
  }

  mutating func parseDocument() throws(JSONError) -> JSONValue {
    let value = try parseValue()
    skipWhiteSpace()
    guard position == bytes.count else { throw error("The document continues after its end") }
    return value
  }

  private var nextByte: UInt8? { position < bytes.count ? bytes[position] : nil }
  private func error(_ message: String) -> JSONError { JSONError(offset: position, message: message) }

  private mutating func skipWhiteSpace() {
    while let byte = nextByte, [0x20, 0x0a, 0x0d, 0x09].contains(byte) { position += 1 }
  }

  /// Moves the position past a character, and returns whether it was there.
  @discardableResult private mutating func skip(_ character: Character) -> Bool {
    guard let byte = nextByte, byte == character.asciiValue else { return false }
    position += 1
    return true
  }

  private mutating func parseValue() throws(JSONError) -> JSONValue {
    skipWhiteSpace()
    switch nextByte ?? 0 {
    case UInt8(ascii: "{"): return try parseNested { parser throws(JSONError) in .object(try parser.parseObject()) }
    case UInt8(ascii: "["): return try parseNested { parser throws(JSONError) in .array(try parser.parseArray()) }
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
    case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
    case UInt8(ascii: "n"): return try parseWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber())
    default: throw error("A value is missing")
    }
  }

  /// Parses an array or an object after its bracket, one level deeper.
  private mutating func parseNested(
    _ parse: (inout JSONParser) throws(JSONError) -> JSONValue
  ) throws(JSONError) -> JSONValue {
    guard depth < Self.depthLimit else { throw error("The document is nested deeper than \(Self.depthLimit) levels") }
    depth += 1
    position += 1
    let value = try parse(&self)
    depth -= 1
    return value
  }

  private mutating func parseObject() throws(JSONError) -> JSONObject {
    var object = JSONObject()
    skipWhiteSpace()
    if skip("}") { return object }
    repeat {
      skipWhiteSpace()
      guard nextByte == UInt8(ascii: "\"") else { throw error("The name of a member is missing") }
      let name = try parseString()
      guard object[name] == nil else { throw error("A name appears twice in one object") }
      skipWhiteSpace()
      guard skip(":") else { throw error("A colon is missing") }
      object[name] = try parseValue()
      skipWhiteSpace()
    } while skip(",")
    guard skip("}") else { throw error("The end of an object is missing") }
    return object
  }

  private mutating func parseArray() throws(JSONError) -> [JSONValue] {
    var elements: [JSONValue] = []
    skipWhiteSpace()
    if skip("]") { return elements }
    repeat {
      elements.append(try parseValue())
      skipWhiteSpace()
    } while skip(",")
    guard skip("]") else { throw error("The end of an array is missing") }
    return elements
  }

  private mutating func parseWord(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else { throw error("A value is missing") }
    position += word.utf8.count
    return value
  }

  private mutating func parseNumber() throws(JSONError) -> JSONNumber {
    let start = position
    skip("-")
    if !skip("0") { try skipDigits() }
    if skip(".") { try skipDigits() }
    if skip("e") || skip("E") {
      if !skip("+") { skip("-") }
      try skipDigits()
    }
    return JSONNumber(digits: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func skipDigits() throws(JSONError) {
    guard let byte = nextByte, byte.isASCIIDigit else { throw error("A digit is missing") }
    while let byte = nextByte, byte.isASCIIDigit { position += 1 }
  }

  private mutating func parseString() throws(JSONError) -> String {
    position += 1
    var utf8: [UInt8] = []
    while let byte = nextByte {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(utf8: utf8) else { throw error("A string is not valid UTF-8") }
        return text
      case UInt8(ascii: "\\"): try parseEscape(into: &utf8)
      case 0..<0x20: throw error("A string contains a control character")
      default: utf8.append(byte)
      }
    }
    throw error("The end of a string is missing")
  }

  private mutating func parseEscape(into utf8: inout [UInt8]) throws(JSONError) {
    guard let byte = nextByte else { throw error("An escape is cut off") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): utf8.append(byte)
    case UInt8(ascii: "b"): utf8.append(0x08)
    case UInt8(ascii: "f"): utf8.append(0x0c)
    case UInt8(ascii: "n"): utf8.append(0x0a)
    case UInt8(ascii: "r"): utf8.append(0x0d)
    case UInt8(ascii: "t"): utf8.append(0x09)
    case UInt8(ascii: "u"): utf8 += try parseEscapedScalar().utf8
    default: throw error("An escape is unknown")
    }
  }

  private mutating func parseEscapedScalar() throws(JSONError) -> Character {
    let lead = try parseHexUnit()
    var code = UInt32(lead)
    if UTF16.isLeadSurrogate(lead) {
      guard skip("\\"), skip("u") else { throw error("The second half of a character is missing") }
      let trail = try parseHexUnit()
      guard UTF16.isTrailSurrogate(trail) else { throw error("The second half of a character is missing") }
      code = 0x10000 + (UInt32(lead) - 0xd800) << 10 + (UInt32(trail) - 0xdc00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw error("A surrogate is not part of a pair") }
    return Character(scalar)
  }

  /// Parses the four hexadecimal digits of an escape, which are a UTF-16 code unit.
  private mutating func parseHexUnit() throws(JSONError) -> UInt16 {
    guard position + 4 <= bytes.count else { throw error("An escape is cut off") }
    let digits = bytes[position..<position + 4].compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 4 else { throw error("An escape is not hex") }
    position += 4
    return digits.reduce(0) { $0 << 4 | UInt16($1) }
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
