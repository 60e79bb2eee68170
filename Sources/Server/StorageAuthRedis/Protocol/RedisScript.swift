// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A Lua script that a Redis server runs atomically.
struct RedisScript: Sendable {
  private let source: String
  private let hash: String

  init(_ source: String) {
    self.source = source
    hash = SHA1.hash(writing: { $0.append(source) }).hex
  }

  /// Returns the command that runs the script by its hash, which the server knows after it has run the script once.
  func command(_ keys: [String], _ arguments: [String]) -> RedisCommand {
    RedisCommand(["EVALSHA", hash, "\(keys.count)"] + keys + arguments)
  }

  /// Returns the command that sends the script itself.
  func fullCommand(_ keys: [String], _ arguments: [String]) -> RedisCommand {
    RedisCommand(["EVAL", source, "\(keys.count)"] + keys + arguments)
  }
}
