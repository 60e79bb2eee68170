// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A command for a Redis server, as a list of byte strings.
struct RedisCommand: Sendable {
  private let words: [[UInt8]]

  init(_ words: String...) { self.init(words) }

  init(_ words: [String]) { self.words = words.map { [UInt8]($0.utf8) } }

  /// Writes the command as an array of byte strings.
  func write(to buffer: inout ByteBuffer) {
    buffer.writeString("*\(words.count)\r\n")
    for word in words {
      buffer.writeString("$\(word.count)\r\n")
      buffer.writeBytes(word)
      buffer.writeString("\r\n")
    }
  }
}
