// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Configuration
internal import StorageClient
internal import StorageConfiguration

/// The settings of a command from a file and the environment, and where each of them is from.
struct Settings {
  /// The settings of the client and its connections, which no option sets.
  struct Client {
    var configuration = StorageClientConfiguration()
    var timeouts = HTTPTimeouts()
    var proxy = ProxyConfiguration.direct

    /// Whether a setting of the connections differs from the default.
    var isConfigured: Bool { timeouts != HTTPTimeouts() || proxy != .direct }
  }

  private static let currentClient = Lock(Client())

  /// The settings of the client, which are read before the command runs.
  static var client: Client { currentClient.withLock { $0 } }

  /// Returns the configuration of a client in the settings, which permits at least a number of requests at a time.
  static func clientConfiguration(forAtLeast requestsInFlight: Int) -> StorageClientConfiguration {
    var configuration = client.configuration
    configuration.requestsInFlight = max(configuration.requestsInFlight, requestsInFlight)
    return configuration
  }

  /// The arguments, with those for the settings after the name of the command.
  let arguments: [String]

  /// The source of each option that a setting sets, by name.
  let sources: [String: String]

  init(_ arguments: [String], environment: [String: String]) async throws {
    let variables = SettingsEnvironment(environment)
    let namedPath = Self.path(in: arguments)
    let asksForHelp = arguments.prefix { $0 != "--" }.contains { ["-h", "--help"].contains($0) }
    guard namedPath != nil || !variables.isEmpty, !asksForHelp, case let table = OptionTable(),
      let command = table.command(in: arguments), !command.options.isEmpty
    else {
      (self.arguments, sources) = (arguments, [:])
      return
    }
    let file = try (namedPath ?? variables.path).map { try SettingsFile($0, table) }
    let givenArguments = arguments.dropFirst(command.path.count)
    var settings: [String: Setting] = [:]
    func removeAlternatives(of name: String) {
      for name in SettingRules.alternatives.first(where: { $0.contains(name) }) ?? [name] { settings[name] = nil }
    }
    // The environment overrides the file, and the command line overrides both.
    for setting in try (file?.settings(for: command) ?? []) + variables.settings(for: command) {
      // A flag that is off is no choice among the alternatives.
      if !setting.isFlagOff { removeAlternatives(of: setting.option.name) }
      settings[setting.option.name] = setting
    }
    for name in command.options(in: Array(givenArguments)) { removeAlternatives(of: name) }
    let sortedSettings = settings.values.sorted { $0.option.name < $1.option.name }
    self.arguments = command.path + (try sortedSettings.flatMap { try $0.arguments() }) + givenArguments
    sources = settings.mapValues(\.source)
    try Self.requireKnownVariables(variables.values)
    if #available(macOS 15, *) {
      try await Self.readClient(file, variables.values)
    } else if SettingsFile.sections.keys.contains(where: { Self.isSet($0, in: file, variables.values) }) {
      throw ValidationError("The settings of the client and of http need macOS 15. Leave them out, or update macOS.")
    }
  }

  /// Returns a sentence about the settings that a message names, or an empty string.
  func origin(of message: String) -> String {
    let named = sources.filter { source in
      message.firstRange(of: "--\(source.key)").map { range in
        message[range.upperBound...].first.map { !$0.isLetter && $0 != "-" } ?? true
      } ?? false
    }
    return named.sorted { $0.key < $1.key }.map { " --\($0.key) is set by \($0.value)." }.joined()
  }

  /// Returns the file that the option `--config` names, or `nil`.
  private static func path(in arguments: [String]) -> String? {
    let options = arguments.prefix { $0 != "--" }
    var path: String?
    for (argument, next) in zip(options, options.dropFirst() + [""]) {
      if argument == "--config", !next.isEmpty { path = next }
      if argument.hasPrefix("--config=") { path = String(argument.dropFirst("--config=".count)) }
    }
    return path
  }

  // MARK: The client

  private static func isSet(_ section: String, in file: SettingsFile?, _ variables: [String: String]) -> Bool {
    file?.section(section).isEmpty == false || variables.keys.contains { $0.hasPrefix(variablePrefix(of: section)) }
  }

  /// Returns the start of the names of the variables that set the keys of a section.
  private static func variablePrefix(of section: String) -> String {
    "\(SettingsEnvironment.prefix)\(section.uppercased())_"
  }

  /// Reads the settings of the client, for which the environment overrides the file.
  @available(macOS 15, *)
  private static func readClient(_ file: SettingsFile?, _ variables: [String: String]) async throws {
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    for section in SettingsFile.sections.keys {
      addValues(of: file?.section(section) ?? [:], at: [section], to: &values)
    }
    let reader = ConfigReader(providers: [
      EnvironmentVariablesProvider(environmentVariables: variables).prefixKeys(with: "storageAuth"),
      InMemoryProvider(name: file?.path ?? "no file", values: values),
    ])
    do throws(ConfigurationError) {
      let client = Client(
        configuration: try await StorageClientConfiguration(reading: reader.scoped(to: "client")),
        timeouts: try await HTTPTimeouts(reading: reader.scoped(to: "http.timeouts")),
        proxy: try await ProxyConfiguration(reading: reader.scoped(to: "http.proxy")))
      currentClient.withLock { $0 = client }
    } catch {
      throw ValidationError("\(error)")
    }
  }

  /// Throws an error for a variable of a section whose key does not exist.
  private static func requireKnownVariables(_ variables: [String: String]) throws {
    for (section, keys) in SettingsFile.sections {
      let prefix = variablePrefix(of: section)
      let knownNames = keys.map { prefix + variableSuffix(for: $0.name) }
      for name in variables.keys.sorted() where name.hasPrefix(prefix) && !knownNames.contains(name) {
        throw ValidationError("The variable \(name) is no setting.\(SettingRules.proposal(name, among: knownNames))")
      }
    }
  }

  /// Returns the end of the name of a variable for a key: `retryDelay` becomes `RETRY_DELAY`.
  private static func variableSuffix(for key: String) -> String {
    key.map { $0 == "." ? "_" : $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
  }

  @available(macOS 15, *)
  private static func addValues(
    of object: JSONObject, at path: [String], to values: inout [AbsoluteConfigKey: ConfigValue]
  ) {
    for (name, value) in object {
      let path = path + [name]
      if let inner = value.object {
        addValues(of: inner, at: path, to: &values)
      } else if let content = content(value) {
        values[AbsoluteConfigKey(path)] = ConfigValue(content, isSecret: path.contains("proxy"))
      }
    }
  }

  @available(macOS 15, *)
  private static func content(_ value: JSONValue) -> ConfigContent? {
    if let text = value.string { return .string(text) }
    if let number = value.integer { return .int(number) }
    if let isTrue = value.bool { return .bool(isTrue) }
    // The file was checked: the elements of its arrays are strings.
    if let elements = value.array { return .stringArray(elements.compactMap(\.string)) }
    return value.code.map { .string($0) }
  }
}

/// The variables of the environment that set options, such as `STORAGE_AUTH_CP_PARALLEL`.
///
/// A name is `STORAGE_AUTH_`, the command and the option, or for an option that all commands share also without a
/// command, such as `STORAGE_AUTH_REGION`. The variables of a section, such as `STORAGE_AUTH_CLIENT_ATTEMPTS`, set the
/// client and its connections.
struct SettingsEnvironment {
  static let prefix = "STORAGE_AUTH_"

  /// The values of the variables by their names, without empty ones.
  let values: [String: String]

  /// Creates the settings of an environment, without variables that are empty or have other names.
  init(_ environment: [String: String]) {
    values = environment.filter { $0.key.hasPrefix(Self.prefix) && !$0.value.isEmpty }
  }

  var isEmpty: Bool { values.isEmpty }

  /// The file with settings that a variable names, or `nil`.
  var path: String? { values["STORAGE_AUTH_CONFIG"] }

  func settings(for command: OptionTable.Command) throws -> [Setting] {
    var settings: [Setting] = []
    for name in SettingRules.shared where SettingRules.applies(name, to: command) {
      guard let option = command.option(name) else { continue }
      if let setting = try setting(Self.prefix + Self.word(name), option) { settings.append(setting) }
    }
    let commandPrefix = Self.prefix + command.path.map(Self.word).joined(separator: "_") + "_"
    var knownNames: Set<String> = []
    for key in SettingRules.keys(of: command) {
      let name = commandPrefix + Self.word(key)
      knownNames.insert(name)
      if let option = SettingRules.secretOption(key, of: command) {
        if let path = values[name] {
          settings.append(Setting(option: option, source: name, form: .secretFile(path)))
        }
      } else if let option = command.option(key), let setting = try setting(name, option) {
        settings.append(setting)
      }
    }
    for name in values.keys.sorted() where name.hasPrefix(commandPrefix) && !knownNames.contains(name) {
      let proposal = SettingRules.proposal(name, among: knownNames.sorted())
      throw ValidationError("The variable \(name) sets no option of \(command.name).\(proposal)")
    }
    return settings
  }

  private func setting(_ name: String, _ option: OptionTable.Option) throws -> Setting? {
    guard let value = values[name] else { return nil }
    guard option.isFlag else {
      let values = option.isRepeating ? value.split(whereSeparator: \.isNewline).map(String.init) : [value]
      return Setting(option: option, source: name, form: .values(values))
    }
    guard let isOn = ["true": true, "1": true, "false": false, "0": false][value] else {
      throw ValidationError("The variable \(name) must be true or false.")
    }
    return Setting(option: option, source: name, form: .flag(isOn))
  }

  /// Returns an option or a command as a part of the name of a variable.
  private static func word(_ name: String) -> String { name.uppercased().replacing("-", with: "_") }
}
