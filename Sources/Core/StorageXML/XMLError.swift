// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An XML parsing error, with its reason and the line of the problem.
package struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A description of the problem, as a complete sentence.
  package let message: String

  /// The line of the problem, starting at 1, or `nil` if the problem has no single position.
  package let line: Int?

  init(_ message: String, line: Int? = nil) {
    self.message = message
    self.line = line
  }

  /// The message followed by the line, if the line is known.
  package var description: String {
    line.map { "\(message) Line \($0)." } ?? message
  }
}
