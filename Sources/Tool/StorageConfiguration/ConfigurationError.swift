// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The error for a setting that cannot be used, which names the key and contains no secret.
public struct ConfigurationError: Error, Sendable, Hashable {
  /// The key of the setting, relative to the reader.
  public let key: String

  /// The description of the reader, with its prefix and its providers.
  public let reader: String

  /// A sentence that describes the failure.
  public let message: String

  /// A sentence that describes how to fix the failure.
  public let remedy: String

  package init(key: String, reader: String, _ message: String, remedy: String) {
    self.key = key
    self.reader = DisplayText(reader).description
    self.message = DisplayText(message).description
    self.remedy = DisplayText(remedy).description
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// The message, the remedy and the reader in one line.
  public var description: String { "\(message) \(remedy) (\(reader))" }
}
