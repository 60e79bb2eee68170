// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// The value of an option from a file or the environment.
struct Setting {
  /// The arguments for the option, or the file that contains its values.
  enum Form {
    case arguments([String])
    /// The secrets are in a file, which is read only if the setting counts.
    case secretFile(String, OptionTable.Option)
  }

  /// The name of the option without hyphens.
  let option: String
  /// The key and the file, or the variable, for errors.
  let source: String
  let form: Form

  /// Returns the arguments for the option.
  ///
  /// - Throws: A `ValidationError` if the file of a secret cannot be used.
  func arguments() throws -> [String] {
    switch form {
    case .arguments(let arguments): return arguments
    case .secretFile(let path, let option):
      let text: String
      do {
        text = try SecretFile(path).text
      } catch let problem as SecretFile.Problem {
        throw ValidationError("\(source): \(problem)")
      }
      let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      let values = lines.filter { !$0.isEmpty && !(option.isRepeating && $0.hasPrefix("#")) }
      guard !values.isEmpty, option.isRepeating || values.count == 1 else {
        throw ValidationError(
          "\(source): \(path) must contain \(option.isRepeating ? "a value on each line" : "one line").")
      }
      return values.map { "--\(option.name)=\($0)" }
    }
  }
}
