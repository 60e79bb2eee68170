// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A warning about a source of credentials, for a condition that is not an error.
///
/// The text contains neither a secret nor a token.
public struct CredentialWarning: Sendable, Hashable, CustomStringConvertible {
  /// The name of the provider.
  public let source: String

  /// The condition, as a sentence.
  public let message: String

  /// The remedy, as a sentence.
  public let remedy: String

  /// Creates a warning, for providers.
  ///
  /// - Parameters:
  ///   - source: The name of the provider.
  ///   - message: The condition, as a sentence without secrets.
  ///   - remedy: The remedy, as a sentence.
  public init(source: String, _ message: String, remedy: String) {
    self.source = source.onOneLine
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// The source, the message and the remedy.
  public var description: String { "\(source): \(message) \(remedy)" }
}
