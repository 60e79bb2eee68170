internal import StorageAuth

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A JSON object as services answer: fields by their names.
typealias JSONObject = [String: JSONValue]

/// JSON of any shape, as deep as the answers of services go.
enum JSONValue: Decodable, Sendable {
  case object(JSONObject)
  case string(String)
  case integer(Int64)
  case number(Double)
  /// `null`, a truth value, a list, or what is nested too deep to be part of an answer.
  case other

  private static let deepest = 8

  /// Reads JSON, with or without a byte order mark; nothing for anything else.
  init?(json: [UInt8]) {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = json.starts(with: mark) ? json.dropFirst(mark.count) : json[...]
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text)) else { return nil }
    self = value
  }

  init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count <= Self.deepest, let container = try? decoder.singleValueContainer() else {
      self = .other
      return
    }
    if let object = try? container.decode(JSONObject.self) {
      self = .object(object)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else {
      self = .other
    }
  }

  /// The fields, where it is an object.
  var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The text, where it is one.
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// A text, or a number as text: services write some of their codes either way.
  var code: String? {
    switch self {
    case .string(let text): text
    case .integer(let integer): "\(integer)"
    default: nil
    }
  }
}

extension JSONObject {
  /// The first of several names that is there with a value.
  func first(_ names: [String]) -> (name: String, value: JSONValue)? {
    for name in names {
      if let value = self[name] { return (name, value) }
    }
    return nil
  }

  /// The texts that must not be shown: those of fields whose names speak of a secret or a token, however deep.
  var secrets: [Secret] {
    flatMap { name, value -> [Secret] in
      if let object = value.object { return object.secrets }
      let name = name.lowercased()
      guard ["secret", "token", "password"].contains(where: name.contains), let text = value.text else { return [] }
      return [Secret(text)]
    }
  }
}
