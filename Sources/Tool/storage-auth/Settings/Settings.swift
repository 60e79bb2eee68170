// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Configuration
internal import StorageClient
internal import StorageConfiguration

/// The settings of a run: those of options become arguments, and those of the client apply to the whole process.
struct Settings {
  /// The settings of the client and its connections, for which there are no options.
  struct Client {
    var configuration = StorageClientConfiguration()
    var timeouts = HTTPTimeouts()
    var proxy = ProxyConfiguration.direct
    var isConfigured: Bool { timeouts != HTTPTimeouts() || proxy != .direct }
  }

  private static let currentClient = Lock(Client())
  private static let currentNames = Lock<Set<String>>([])

  static var client: Client { currentClient.withLock { $0 } }

  /// Returns whether the value of an option is a setting, and not of the command line.
  static func contains(_ option: String) -> Bool { currentNames.withLock { $0.contains(option) } }

  /// Returns the configuration of the client, which permits at least a number of concurrent requests.
  static func clientConfiguration(forAtLeast requestsInFlight: Int) -> StorageClientConfiguration {
    var configuration = client.configuration
    configuration.requestsInFlight = max(configuration.requestsInFlight, requestsInFlight)
    return configuration
  }

  /// The arguments, with those for the settings after the command.
  let arguments: [String]
  /// The source of each setting, by the name of its option.
  let sources: [String: String]

  /// Reads the settings for the command in the arguments, unless its help is requested.
  init(_ arguments: [String], environment: [String: String]) async throws {
    let variables = SettingsEnvironment(environment)
    let namedPath = Self.configPath(in: arguments)
    let asksForHelp = arguments.prefix { $0 != "--" }.contains { ["-h", "--help"].contains($0) }
    let table = OptionTable()
    guard namedPath != nil || !variables.isEmpty, !asksForHelp, let command = table.command(in: arguments),
      !command.options.isEmpty
    else {
      (self.arguments, sources) = (arguments, [:])
      return
    }
    let file = try (namedPath ?? variables.configPath).map { try SettingsFile($0, table) }
    let givenArguments = arguments.dropFirst(command.path.count)
    // The environment overrides the file, and the command line overrides both.
    let settings = Self.effective(
      try (file?.settings(for: command) ?? []) + variables.settings(for: command),
      of: command, overriddenBy: command.optionNames(in: Array(givenArguments)))
    let sortedSettings = settings.values.sorted { $0.option.name < $1.option.name }
    self.arguments = command.path + (try sortedSettings.flatMap { try $0.arguments() }) + givenArguments
    sources = settings.mapValues(\.source)
    Self.currentNames.withLock { $0 = Set(settings.keys) }
    try Self.requireKnownVariables(variables.values)
    if #available(macOS 15, *) {
      try await Self.readClient(file, variables.values)
    } else if SettingsFile.sections.keys.contains(where: { Self.isSet($0, in: file, variables.values) }) {
      throw ValidationError("The settings of the client and of http need macOS 15. Leave them out, or update macOS.")
    }
  }

  /// Returns the last setting of each option, without those that the command line overrides.
  private static func effective(
    _ settings: [Setting], of command: OptionTable.Command, overriddenBy options: Set<String>
  ) -> [String: Setting] {
    var settingsByName: [String: Setting] = [:]
    func removeAlternatives(of name: String) {
      let inverse = command.option(name).flatMap { command.inverse(of: $0) }
      let alternatives = SettingRules.alternatives.first { $0.contains(name) } ?? [name, inverse?.name ?? name]
      for alternative in alternatives { settingsByName[alternative] = nil }
    }
    for setting in settings {
      // A flag that is off is no choice among the alternatives.
      if !setting.isFlagOff { removeAlternatives(of: setting.option.name) }
      settingsByName[setting.option.name] = setting
    }
    for name in options { removeAlternatives(of: name) }
    return settingsByName
  }

  /// Returns sentences with the sources of the settings that a message names.
  func origin(of message: String) -> String {
    func isNamed(_ option: String) -> Bool {
      guard let range = message.firstRange(of: "--\(option)") else { return false }
      return message[range.upperBound...].first.map { !$0.isLetter && $0 != "-" } ?? true
    }
    let namedSources = sources.filter { isNamed($0.key) }.sorted { $0.key < $1.key }
    return namedSources.map { " --\($0.key) is set by \($0.value)." }.joined()
  }

  /// Returns the last file that `--config` names, which is needed before the parser reads the arguments.
  private static func configPath(in arguments: [String]) -> String? {
    let options = arguments.prefix { $0 != "--" }
    var path: String?
    for (argument, next) in zip(options, options.dropFirst() + [""]) {
      if argument == "--config", !next.isEmpty { path = next }
      if argument.hasPrefix("--config=") { path = String(argument.dropFirst("--config=".count)) }
    }
    return path
  }

  private static func isSet(_ section: String, in file: SettingsFile?, _ variables: [String: String]) -> Bool {
    file?.section(section).isEmpty == false || variables.keys.contains { $0.hasPrefix(variablePrefix(of: section)) }
  }

  private static func variablePrefix(of section: String) -> String {
    "\(SettingsEnvironment.prefix)\(section.uppercased())_"
  }

  /// Reads the settings of the client; the environment overrides the file.
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

  /// Throws an error for a variable of a section that is no setting, such as a misspelled one.
  private static func requireKnownVariables(_ variables: [String: String]) throws {
    for (section, keys) in SettingsFile.sections {
      let prefix = variablePrefix(of: section)
      let knownNames = keys.map { prefix + variableSuffix(for: $0.name) }
      for name in variables.keys.sorted() where name.hasPrefix(prefix) && !knownNames.contains(name) {
        throw ValidationError("The variable \(name) is no setting.\(SettingRules.proposal(name, among: knownNames))")
      }
    }
  }

  /// Returns the end of a variable's name for a key: `retryDelay` becomes `RETRY_DELAY`.
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
      } else if let content = configContent(of: value) {
        values[AbsoluteConfigKey(path)] = ConfigValue(content, isSecret: path.contains("proxy"))
      }
    }
  }

  @available(macOS 15, *)
  private static func configContent(of value: JSONValue) -> ConfigContent? {
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
/// The name of a shared option may omit the command: `STORAGE_AUTH_REGION`. The variables of a section, such as
/// `STORAGE_AUTH_CLIENT_ATTEMPTS`, set the client and its connections.
struct SettingsEnvironment {
  static let prefix = "STORAGE_AUTH_"

  /// The values by the names of the variables, without empty ones.
  let values: [String: String]

  init(_ environment: [String: String]) {
    values = environment.filter { $0.key.hasPrefix(Self.prefix) && !$0.value.isEmpty }
  }

  var isEmpty: Bool { values.isEmpty }
  var configPath: String? { values["STORAGE_AUTH_CONFIG"] }

  func settings(for command: OptionTable.Command) throws -> [Setting] {
    var settings: [Setting] = []
    for name in SettingRules.shared where SettingRules.applies(name, to: command) {
      guard let option = command.option(name) else { continue }
      let variable = Self.prefix + Self.word(name)
      if let setting = try setting(of: option, in: variable, for: command) { settings.append(setting) }
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
      } else if let option = command.option(key) {
        if let setting = try setting(of: option, in: name, for: command) { settings.append(setting) }
      }
    }
    for name in values.keys.sorted() where name.hasPrefix(commandPrefix) && !knownNames.contains(name) {
      let proposal = SettingRules.proposal(name, among: knownNames.sorted())
      throw ValidationError("The variable \(name) sets no option of \(command.name).\(proposal)")
    }
    return settings
  }

  private func setting(
    of option: OptionTable.Option, in name: String, for command: OptionTable.Command
  ) throws -> Setting? {
    guard let value = values[name] else { return nil }
    guard option.isFlag else {
      let values = option.isRepeating ? value.split(whereSeparator: \.isNewline).map(String.init) : [value]
      return Setting(option: option, source: name, form: .values(values))
    }
    guard let isOn = ["true": true, "1": true, "false": false, "0": false][value] else {
      throw ValidationError("The variable \(name) must be true or false.")
    }
    return command.setting(of: option, isOn: isOn, source: name)
  }

  private static func word(_ name: String) -> String { name.uppercased().replacing("-", with: "_") }
}
