/// Any JSON, as it was written: the order of an object's members and the digits of a number are kept.
///
/// ```swift
/// let answer = try JSONValue(parsing: bytes)
/// let token = answer["transfer_specs"]?[0]?["transfer_spec"]?["token"]?.string
/// ```
public enum JSONValue: Sendable, Equatable {
  /// Members with names.
  case object(JSONObject)
  /// Elements in their order.
  case array([JSONValue])
  /// A text.
  case string(String)
  /// A number.
  case number(JSONNumber)
  /// A truth value.
  case bool(Bool)
  /// The word `null`.
  case null

  /// The members, where it is an object.
  public var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The elements, where it is an array.
  public var array: [JSONValue]? {
    if case .array(let array) = self { array } else { nil }
  }

  /// The text, where it is one.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The whole number, where it is one that fits.
  public var integer: Int? {
    if case .number(let number) = self { number.integer } else { nil }
  }

  /// The truth value, where it is one.
  public var bool: Bool? {
    if case .bool(let truth) = self { truth } else { nil }
  }

  /// A text, or a number as text: services write some of their codes either way.
  package var code: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.digits
    case .object, .array, .bool, .null: nil
    }
  }

  /// The member of that name; `nil` if there is none, or if this is no object.
  public subscript(name: String) -> JSONValue? { object?[name] }

  /// The element at an index; `nil` if there is none, or if this is no array.
  public subscript(index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A text.
  public init(stringLiteral text: String) { self = .string(text) }

  /// A whole number.
  public init(integerLiteral number: Int) { self = .number(JSONNumber(number)) }

  /// A truth value.
  public init(booleanLiteral truth: Bool) { self = .bool(truth) }

  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// An object with its members in the given order; of members with one name the last counts.
  public init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(JSONObject(members)) }
}

/// A number of JSON with its digits as they were written, so that none is lost.
///
/// ```swift
/// object["size"] = .number(JSONNumber(bytes))
/// ```
public struct JSONNumber: Sendable, Hashable {
  /// The number as JSON writes it.
  public let digits: String

  /// A whole number.
  public init(_ number: some BinaryInteger) {
    digits = "\(number)"
  }

  init(digits: String) {
    self.digits = digits
  }

  /// The number as an integer, where it is a whole one that fits.
  public var integer: Int? {
    if let exact = Int(digits) { return exact }
    guard let value = Double(digits), value.magnitude < 0x1p53 else { return nil }
    return Int(exactly: value)
  }
}
