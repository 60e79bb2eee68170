// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageJSON

/// An event in the format of server-sent events (HTML Standard, section "Server-sent events").
package struct ServerEvent: Sendable {
  /// The encoded event, which ends with an empty line.
  package let bytes: [UInt8]

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - name: The type of the event.
  ///   - id: The ID that the page sends when it connects again, or `nil` to leave its last ID unchanged.
  ///   - document: A JSON document, which contains no line end outside of strings, where it is escaped.
  package init(_ name: String, id: String?, _ document: [UInt8]) {
    let id = id.map { "id: \($0)\n" } ?? ""
    bytes = Array("event: \(name)\n\(id)data: \(String(decoding: document, as: UTF8.self))\n\n".utf8)
  }

  private init(comment: String) {
    bytes = Array(": \(comment)\n\n".utf8)
  }

  /// A comment, which pages ignore, and which keeps a connection open.
  package static let beat = ServerEvent(comment: "beat")

  /// Returns the first event of a connection.
  ///
  /// - Parameters:
  ///   - continues: Whether the events continue those that the page has. Otherwise the page starts anew.
  ///   - limit: The maximum number of requests that the page needs to keep.
  static func hello(continues: Bool, limit: Int) -> ServerEvent {
    let document: JSONValue = ["continues": .bool(continues), "limit": .number(JSONNumber(limit))]
    return ServerEvent("hello", id: nil, document.serialized)
  }
}
