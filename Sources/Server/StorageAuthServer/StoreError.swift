// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The error of a store that instances share and that is out of reach.
///
/// The error contains no secret.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence that describes the failure.
  public let message: String

  /// A sentence that describes how to fix the failure.
  public let remedy: String

  /// Creates the error of a store; for implementations of the store protocols.
  ///
  /// - Parameters:
  ///   - message: A sentence that describes the failure, without secrets.
  ///   - remedy: A sentence that describes how to fix the failure.
  public init(_ message: String, remedy: String) {
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// The message and the remedy.
  public var description: String { "\(message) \(remedy)" }
}
