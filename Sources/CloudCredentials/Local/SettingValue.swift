/// A value of a setting as a file has it: any JSON, or a text.
enum SettingValue: Decodable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case array([SettingValue])
  case object([String: SettingValue])

  /// How deep values may be nested: far more than any of these files is.
  private static let depthLimit = 16

  private struct Key: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count <= Self.depthLimit else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "nested too deeply"))
    }
    if let container = try? decoder.container(keyedBy: Key.self) {
      var object: [String: SettingValue] = [:]
      for key in container.allKeys { object[key.stringValue] = try container.decode(SettingValue.self, forKey: key) }
      self = .object(object)
    } else if var container = try? decoder.unkeyedContainer() {
      var array: [SettingValue] = []
      while !container.isAtEnd { array.append(try container.decode(SettingValue.self)) }
      self = .array(array)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Int64.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .number(value)
      } else {
        self = .text(try container.decode(String.self))
      }
    }
  }
}
