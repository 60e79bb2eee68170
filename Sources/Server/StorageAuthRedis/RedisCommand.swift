// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import StorageCrypto

/// A command for a Redis server, as a list of byte strings.
struct RedisCommand: Sendable {
  private let arguments: [[UInt8]]
  init(_ arguments: String...) { self.init(arguments) }
  init(_ arguments: [String]) { self.arguments = arguments.map { [UInt8]($0.utf8) } }

  func write(to buffer: inout ByteBuffer) {
    buffer.writeString("*\(arguments.count)\r\n")
    for argument in arguments {
      buffer.writeString("$\(argument.count)\r\n")
      buffer.writeBytes(argument)
      buffer.writeString("\r\n")
    }
  }
}

/// A Lua script that a Redis server runs atomically.
struct RedisScript: Sendable {
  private let source: String
  private let sourceHash: String

  init(_ source: String) {
    self.source = source
    sourceHash = SHA1.hash(writing: { $0.append(source) }).hex
  }

  /// Returns the command that runs the script by its hash, which the server knows once it has run the script.
  func command(_ keys: [String], _ arguments: [String]) -> RedisCommand {
    RedisCommand(["EVALSHA", sourceHash, "\(keys.count)"] + keys + arguments)
  }

  /// Returns the command that sends the script itself, for a server that does not know it yet.
  func sourceCommand(_ keys: [String], _ arguments: [String]) -> RedisCommand {
    RedisCommand(["EVAL", source, "\(keys.count)"] + keys + arguments)
  }
}
