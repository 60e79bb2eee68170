// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a document is not valid JSON, and the byte at which the parser stopped.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offset of the byte at which the parser stopped, counted from 0.
  public let offset: Int

  /// The problem at that byte; it contains no part of the document.
  public let message: String

  /// The message with the offset.
  public var description: String { "\(message) at byte \(offset)" }
}
