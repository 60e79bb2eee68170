// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth
internal import StorageConfiguration

/// A JSON file with values for the options of commands, and settings of the client and its connections.
///
/// A member with an object is for the command with its name, or is `client` or `http`; others are shared options.
struct SettingsFile {
  /// The keys of the sections that are not commands.
  static let sections = [
    "client": ConfigurationKeys.client,
    "http": ConfigurationKeys.transport.filter {
      // --ca-file names the authorities, the environment always sets proxies, and options limit the concurrency.
      ($0.name.hasPrefix("timeouts.") || $0.name.hasPrefix("proxy.")) && $0.name != "proxy.usesEnvironment"
    },
  ]

  let path: String
  private let document: JSONObject
  private let table: OptionTable
  private var hasSecrets = false

  /// Reads a file, and checks all keys and the forms of all values.
  init(_ path: String, _ table: OptionTable) throws {
    self.path = path
    self.table = table
    let contents: FileContents
    do throws(SecretFile.Problem) {
      contents = try SecretFile.contents(of: path, as: " as a file with settings")
    } catch {
      throw ValidationError(error.description)
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: contents.bytes)
    } catch {
      throw ValidationError("\(path) is not valid JSON: \(error)")
    }
    guard let object = value.object else {
      throw ValidationError("\(path) contains no JSON object. Write {\"region\": \"cn-hangzhou\"}, for example.")
    }
    document = object
    try validate()
    if hasSecrets { SecretFile.warnIfReadableByOthers(contents, at: path) }
  }

  var counts: [(name: String, count: Int)] {
    document.map { member in (member.name, member.value.object.map { Array($0).count } ?? 1) }
  }

  func section(_ name: String) -> JSONObject { document[name]?.object ?? [:] }

  /// Returns the settings of a command, first the shared ones.
  func settings(for command: OptionTable.Command) throws -> [Setting] {
    var settings: [Setting] = []
    for (name, value) in document where value.object == nil && SettingRules.applies(name, to: command) {
      settings.append(try setting(name, value, of: command, at: name))
    }
    for (name, value) in command.path.reduce(document, { $0[$1]?.object ?? [:] }) {
      settings.append(try setting(name, value, of: command, at: "\(command.path.joined(separator: ".")).\(name)"))
    }
    return settings
  }

  /// Checks the settings of all commands, and records whether there is a secret.
  private mutating func validate() throws {
    for (name, value) in document {
      guard let object = value.object else {
        try validateShared(name, value)
        continue
      }
      if let keys = Self.sections[name] {
        for (key, similar) in ConfigurationKeys.unknown(in: object, besides: keys) {
          throw unknownKey("\(name).\(key)", similar.map { " Did you mean \(name).\($0)?" } ?? "")
        }
        try requireTextElements(in: object, at: name)
        hasSecrets = hasSecrets || object["proxy"]?["http"] != nil || object["proxy"]?["https"] != nil
        continue
      }
      try validate(object, at: [name])
    }
  }

  /// Throws an error if an array contains anything but strings, because reading the settings would leave it out.
  private func requireTextElements(in object: JSONObject, at path: String) throws {
    for (name, value) in object {
      let key = "\(path).\(name)"
      if let inner = value.object { try requireTextElements(in: inner, at: key) }
      guard value.array?.allSatisfy({ $0.string != nil }) ?? true else {
        throw ValidationError(
          "\(self.path): \(key) contains an element that is no string. Put it into quotation marks.")
      }
    }
  }

  /// Checks a member that is no object, which must be an option of several commands.
  private func validateShared(_ name: String, _ value: JSONValue) throws {
    guard SettingRules.shared.contains(name),
      let command = table.commands.first(where: { SettingRules.applies(name, to: $0) })
    else {
      let commands = table.commands.filter { SettingRules.keys(of: $0).contains(name) }.map(\.name)
      guard commands.isEmpty else {
        throw unknownKey(name, " Put it into the object of a command: \(commands.joined(separator: ", ")).")
      }
      guard !Self.topLevelNames(table).contains(name) else {
        throw ValidationError("\(path): \(name) must be an object with the settings of this name.")
      }
      throw unknownKey(name, SettingRules.proposal(name, among: SettingRules.shared + Self.topLevelNames(table)))
    }
    _ = try setting(name, value, of: command, at: name)
  }

  private mutating func validate(_ object: JSONObject, at path: [String]) throws {
    if let command = table.commands.first(where: { $0.path == path }) {
      for (name, value) in object {
        _ = try setting(name, value, of: command, at: (path + [name]).joined(separator: "."))
        hasSecrets = hasSecrets || SettingRules.secrets[command.name]?.contains(name) ?? false
      }
      return
    }
    let subcommands = table.commands.filter { $0.path.starts(with: path) }.map { $0.path[path.count] }
    guard !subcommands.isEmpty else {
      throw unknownKey(path.joined(separator: "."), SettingRules.proposal(path[0], among: Self.topLevelNames(table)))
    }
    for (name, value) in object {
      guard let settings = value.object else {
        throw unknownKey((path + [name]).joined(separator: "."), SettingRules.proposal(name, among: subcommands))
      }
      try validate(settings, at: path + [name])
    }
  }

  private static func topLevelNames(_ table: OptionTable) -> [String] {
    Array(Set(table.commands.map { $0.path[0] })).sorted() + Array(sections.keys)
  }

  private func unknownKey(_ key: String, _ proposal: String) -> ValidationError {
    ValidationError("\(path): \(key) is no setting.\(proposal)")
  }

  private func setting(
    _ name: String, _ value: JSONValue, of command: OptionTable.Command, at key: String
  ) throws -> Setting {
    let source = "\(key) in \(path)"
    if let option = SettingRules.secretOption(name, of: command) {
      guard let file = value.string else { throw ValidationError("\(path): \(key) must be the path of a file.") }
      return Setting(option: option, source: source, form: .secretFile(file))
    }
    guard let option = command.option(name) else {
      throw unknownKey(key, SettingRules.proposal(name, among: SettingRules.keys(of: command)))
    }
    if option.isFlag {
      guard let isOn = value.bool else { throw ValidationError("\(path): \(key) must be true or false.") }
      return command.setting(of: option, isOn: isOn, source: source)
    }
    let values = option.isRepeating ? value.array ?? [value] : [value]
    let texts = values.compactMap { $0.code }
    guard texts.count == values.count else {
      throw ValidationError(
        "\(path): \(key) must be a string or a number\(option.isRepeating ? ", or an array of them" : "").")
    }
    return Setting(option: option, source: source, form: .values(texts))
  }
}
