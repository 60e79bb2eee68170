// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a document cannot be parsed, and the line of the problem.
package struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem, as a sentence.
  package let message: String

  /// The line, counted from 1, or `nil` if the problem has no single position.
  package let line: Int?

  init(_ message: String, line: Int? = nil) {
    self.message = message
    self.line = line
  }

  /// The message and the line.
  package var description: String {
    line.map { "\(message) Line \($0)." } ?? message
  }
}
