// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import StorageConfiguration

/// The value of an option from a file or the environment.
struct Setting {
  enum Form {
    case flag(Bool)
    case values([String])
    /// The path of a file with secrets, which is read only if the setting is used.
    case secretFile(String)
  }

  let option: OptionTable.Option
  /// The key and the file, or the variable, as errors name it.
  let source: String
  let form: Form

  var isFlagOff: Bool { if case .flag(false) = form { true } else { false } }

  func arguments() throws -> [String] {
    switch form {
    case .flag(let isOn): isOn ? ["--\(option.name)"] : []
    case .values(let values): values.map { "--\(option.name)=\($0)" }
    case .secretFile(let path): try secrets(in: path).map { "--\(option.name)=\($0)" }
    }
  }

  /// Reads one secret on each line of a file; a `#` starts a comment only where an option can have several values.
  private func secrets(in path: String) throws -> [String] {
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
    return values
  }
}

/// The rules of settings that the options themselves do not state.
enum SettingRules {
  /// The options that can be set once for all commands.
  static let shared = ["ca-file", "endpoint", "json", "no-metadata", "quiet", "region", "signature", "verbose"]

  /// The commands in which a shared option has another meaning, and is set separately.
  private static let exceptions = ["region": ["serve"], "endpoint": ["token-server", "sign", "presign"]]

  /// The options with secrets, by command; `-file` after the name is the key of a file with the secret.
  static let secrets = [
    "serve": ["account", "app-token", "disabled", "identity-token", "node-user", "transfer-account"],
    "token-server": ["redis"],
  ]

  /// Options that exclude each other: a later source replaces an earlier one.
  static let alternatives = [["quiet", "verbose"]]

  static func applies(_ name: String, to command: OptionTable.Command) -> Bool {
    shared.contains(name) && command.option(name) != nil
      && !(exceptions[name]?.contains(command.path.first ?? "") ?? false)
  }

  /// Returns the option of a key that names a file with a secret, or `nil` for another key.
  static func secretOption(_ key: String, of command: OptionTable.Command) -> OptionTable.Option? {
    guard command.option(key) == nil, key.hasSuffix("-file") else { return nil }
    let name = String(key.dropLast("-file".count))
    return secrets[command.name]?.contains(name) ?? false ? command.option(name) : nil
  }

  static func keys(of command: OptionTable.Command) -> [String] {
    let files = (secrets[command.name] ?? []).map { "\($0)-file" }.filter { command.option($0) == nil }
    return command.options.map(\.name) + files
  }

  /// Returns a sentence that proposes a similar name, or an empty string.
  static func proposal(_ name: String, among known: [String], quote: String = "") -> String {
    ConfigurationKeys.similar(to: name, in: known).map { " Did you mean \(quote)\($0)\(quote)?" } ?? ""
  }
}
