// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A key of a setting, with the form of its value, its default and its meaning.
public struct ConfigurationKey: Sendable, Hashable {
  /// The form in which the value of a setting is written.
  public enum Form: String, Sendable, Hashable {
    /// An integer.
    case integer
    /// A number of bytes: an integer, or a string with a unit such as `8MiB`.
    case size
    /// A string with a number and a unit (`ms`, `s`, `m`, `h` or `d`), such as `30s`.
    case duration
    /// A Boolean value.
    case boolean
    /// A string.
    case text
    /// A list of strings, which is separated by commas in an environment variable.
    case list
    /// A string that is secret.
    case secret
    /// A list of strings that are secret.
    case secrets
  }

  /// The name of the setting, relative to the reader, with dots between the parts.
  public let name: String
  /// The form of the value.
  public let form: Form
  /// The value that counts if the setting is missing, or the word `required` or `none`.
  public let defaultValue: String
  /// A phrase that describes the setting, without a period.
  public let summary: String

  init(required name: String, _ form: Form, _ summary: String) { self.init(name, form, default: "required", summary) }
  init(optional name: String, _ form: Form, _ summary: String) { self.init(name, form, default: "none", summary) }

  init(_ name: String, _ form: Form, default defaultValue: String, _ summary: String) {
    (self.name, self.form, self.defaultValue, self.summary) = (name, form, defaultValue, summary)
  }

  /// Returns the key of the same setting in a scope, with the name of the scope and a dot before its own name.
  func scoped(to scope: String) -> ConfigurationKey {
    ConfigurationKey("\(scope).\(name)", form, default: defaultValue, summary)
  }
}

/// An error that names a setting that cannot be used, and contains no secret.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
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

  /// The message, the remedy and the reader in one line.
  public var description: String { "\(message) \(remedy) (\(reader))" }
}
