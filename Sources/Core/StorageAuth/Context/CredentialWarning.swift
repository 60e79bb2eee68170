// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A warning about a condition of a credential source that is no error, such as a key file that others can read.
///
/// The warning's text contains no secrets.
public struct CredentialWarning: Sendable, Hashable, CustomStringConvertible {
  /// The name of the provider that reports the warning.
  public let source: String

  /// The condition that the warning is about, as a sentence.
  public let message: String

  /// The way to remove the condition, as a sentence.
  public let remedy: String

  /// Creates a warning that a provider reports.
  ///
  /// - Parameters:
  ///   - source: The name of the provider that reports the warning.
  ///   - message: The condition that the warning is about, as a sentence without secrets.
  ///   - remedy: The way to remove the condition, as a sentence.
  public init(source: String, _ message: String, remedy: String) {
    self.source = source.onOneLine
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// The name of the provider, the message and the remedy on one line.
  public var description: String { "\(source): \(message) \(remedy)" }
}
