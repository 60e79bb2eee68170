// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A reply of a Redis server, in version 2 of its protocol (RESP2).
///
/// <https://redis.io/docs/latest/develop/reference/protocol-spec/> describes the protocol.
enum RedisValue: Sendable, Hashable {
  case status(String)
  /// An error reply, such as `NOSCRIPT No matching script.`
  case error(String)
  case integer(Int64)
  case bytes([UInt8])
  case array([RedisValue])
  case null

  /// The value as text, or `nil` if it is a number, a list, an error or not UTF-8.
  var text: String? {
    switch self {
    case .status(let text): text
    case .bytes(let bytes): String(utf8: bytes)
    default: nil
    }
  }

  /// The value as an integer, or `nil` if it is something else.
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}
