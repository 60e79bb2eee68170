// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A JSON parsing error, with its reason and the byte at which the parser stopped.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offset of the byte at which the parser stopped, starting at 0.
  public let offset: Int

  /// A description of the problem, which contains no part of the document.
  public let message: String

  /// The message followed by the byte offset.
  public var description: String { "\(message) at byte \(offset)" }
}
