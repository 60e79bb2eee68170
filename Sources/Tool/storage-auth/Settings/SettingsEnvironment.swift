// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The variables of the environment that set options: `STORAGE_AUTH_`, the command and the option.
///
/// An option that all commands share has a variable without a command too, such as `STORAGE_AUTH_REGION`.
struct SettingsEnvironment {
  static let prefix = "STORAGE_AUTH_"

  /// The variable that names the file with settings.
  static let file = "STORAGE_AUTH_CONFIG"

  private let variables: [String: String]

  /// Creates the settings of an environment, without variables that are empty or have other names.
  init(_ environment: [String: String]) {
    variables = environment.filter { $0.key.hasPrefix(Self.prefix) && !$0.value.isEmpty }
  }

  /// Whether no variable has the prefix.
  var isEmpty: Bool { variables.isEmpty }

  /// The path of the file with settings, or `nil`.
  var path: String? { variables[Self.file] }

  /// Returns the settings for a command: the shared ones, and then those of the command.
  ///
  /// - Throws: A `ValidationError` that names the variable, if the command has no such option, or the value of a flag is
  ///   not `true` or `false`.
  func settings(for command: OptionTable.Command) throws -> [Setting] {
    var settings: [Setting] = []
    for name in SettingRules.shared where SettingRules.applies(name, to: command) {
      guard let option = command.option(name) else { continue }
      if let setting = try setting(Self.prefix + Self.word(name), option) { settings.append(setting) }
    }
    let start = Self.prefix + command.path.map(Self.word).joined(separator: "_") + "_"
    var known: Set<String> = []
    for key in SettingRules.keys(of: command) {
      let name = start + Self.word(key)
      known.insert(name)
      if let option = SettingRules.secretOption(key, of: command) {
        if let path = variables[name] {
          settings.append(Setting(option: option.name, source: name, form: .secretFile(path, option)))
        }
      } else if let option = command.option(key), let setting = try setting(name, option) {
        settings.append(setting)
      }
    }
    for name in variables.keys.sorted() where name.hasPrefix(start) && !known.contains(name) {
      throw ValidationError(
        "The variable \(name) sets no option of \(command.name).\(SettingRules.proposal(name, among: known.sorted()))")
    }
    return settings
  }

  private func setting(_ name: String, _ option: OptionTable.Option) throws -> Setting? {
    guard let value = variables[name] else { return nil }
    if option.isFlag {
      guard let isOn = ["true": true, "1": true, "false": false, "0": false][value] else {
        throw ValidationError("The variable \(name) must be true or false.")
      }
      return Setting(option: option.name, source: name, form: .arguments(isOn ? ["--\(option.name)"] : []))
    }
    let values = option.isRepeating ? value.split(whereSeparator: \.isNewline).map(String.init) : [value]
    return Setting(option: option.name, source: name, form: .arguments(values.map { "--\(option.name)=\($0)" }))
  }

  private static func word(_ name: String) -> String { name.uppercased().replacing("-", with: "_") }
}
