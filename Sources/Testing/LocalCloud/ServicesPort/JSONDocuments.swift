// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension JSONValue {
  /// Creates a JSON number from an integer.
  static func integer(_ number: some BinaryInteger) -> JSONValue { .number(JSONNumber(number)) }

  /// Creates a JSON array of strings.
  static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

  /// The value, or `nil` if it is `null`, which the APIs treat like a missing member.
  var unlessNull: JSONValue? { self == .null ? nil : self }

  /// Returns an integer, or `nil` if the value is `null`, or throws the Node API's response with a message.
  func integer(atLeast minimum: Int = .min, _ message: String) throws(ErrorResponse) -> Int? {
    guard let value = unlessNull else { return nil }
    guard let number = value.integer, number >= minimum else { throw .nodeBadRequest(message) }
    return number
  }
}

extension JSONObject {
  /// Creates an object from those of the members that are not `nil`.
  init(present members: KeyValuePairs<String, JSONValue?>) {
    self.init()
    for (name, value) in members { self[name] = value }
  }
}
