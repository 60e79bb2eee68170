// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth

/// The commands and their options, as the parser describes them.
struct OptionTable {
  struct Option {
    /// The long name without hyphens, which is the key in files.
    let name: String
    /// All names with their hyphens, such as `-q` and `--quiet`.
    let spellings: [String]
    let isFlag: Bool
    let isRepeating: Bool
  }

  /// A command without subcommands.
  final class Command {
    /// The names that lead to the command, such as `aspera` and `probe`.
    let path: [String]
    private let type: any ParsableCommand.Type
    /// The options, which are read when they are first needed, because the parser takes long to describe them.
    private(set) lazy var options = OptionTable.options(of: type)

    init(_ path: [String], _ type: any ParsableCommand.Type) { (self.path, self.type) = (path, type) }
    var name: String { path.joined(separator: " ") }
    func option(_ name: String) -> Option? { options.first { $0.name == name } }

    /// Returns the flag with the opposite meaning, such as `no-http2` for `http2`, or `nil` if there is none.
    func inverse(of flag: Option) -> Option? {
      let name = flag.name.hasPrefix("no-") ? String(flag.name.dropFirst("no-".count)) : "no-\(flag.name)"
      return option(name).flatMap { $0.isFlag && flag.isFlag ? $0 : nil }
    }

    /// Returns the setting of a flag; a flag that is off sets its inverse, if there is one.
    func setting(of flag: Option, isOn: Bool, source: String) -> Setting {
      if !isOn, let inverse = inverse(of: flag) { return Setting(option: inverse, source: source, form: .flag(true)) }
      return Setting(option: flag, source: source, form: .flag(isOn))
    }

    func optionNames(in arguments: [String]) -> Set<String> {
      var foundNames: Set<String> = []
      for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("-") {
        let spelling = argument.prefix { $0 != "=" }
        // Short flags can be joined, such as -rv.
        let spellings = argument.hasPrefix("--") ? [String(spelling)] : spelling.dropFirst().map { "-\($0)" }
        foundNames.formUnion(options.filter { !Set($0.spellings).isDisjoint(with: spellings) }.map(\.name))
      }
      return foundNames
    }
  }

  /// Options that name the file with settings or show help, and are not settings themselves.
  private static let nonSettings: Set = ["config", "help", "version"]

  let commands: [Command]

  init() { commands = Self.commands(below: StorageAuthCommand.self, at: []) }

  private static func commands(below type: any ParsableCommand.Type, at path: [String]) -> [Command] {
    type.configuration.subcommands.flatMap { type in
      let path = path + [type._commandName]
      return type.configuration.subcommands.isEmpty ? [Command(path, type)] : commands(below: type, at: path)
    }
  }

  /// Reads the options from the parser, which describes them only as JSON (`--experimental-dump-help`).
  private static func options(of type: any ParsableCommand.Type) -> [Option] {
    let description = (try? JSONValue(parsing: Array(type._dumpHelp().utf8)))?["command"]
    return (description?["arguments"]?.array ?? []).compactMap(option)
  }

  private static func option(_ value: JSONValue) -> Option? {
    guard let kind = value["kind"]?.string, kind != "positional" else { return nil }
    let names = (value["names"]?.array ?? []).compactMap { name -> (isLong: Bool, text: String)? in
      guard let text = name["name"]?.string else { return nil }
      return (name["kind"]?.string == "long", text)
    }
    guard let long = names.first(where: \.isLong)?.text, !nonSettings.contains(long) else { return nil }
    return Option(
      name: long, spellings: names.map { ($0.isLong ? "--" : "-") + $0.text }, isFlag: kind == "flag",
      isRepeating: value["isRepeating"]?.bool ?? false)
  }

  /// The names of the commands in other programs.
  private static let synonyms = [
    "list": "ls", "dir": "ls", "copy": "cp", "put": "cp", "get": "cp", "upload": "cp", "download": "cp", "move": "mv",
    "rename": "mv", "delete": "rm", "del": "rm", "remove": "rm", "mkdir": "mb", "create": "mb", "rmdir": "rb",
    "head": "stat", "info": "stat", "size": "du", "url": "presign", "signurl": "presign", "sign-url": "presign",
    "server": "serve", "start": "serve", "keys": "credentials", "login": "credentials", "configure": "credentials",
    "multipart": "uploads", "check": "verify", "rsync": "sync", "mirror": "sync",
  ]

  /// Returns the error for an unknown command or option, or `nil`.
  func misspelling(in arguments: [String]) -> String? {
    guard let command = command(in: arguments) else { return unknownCommand(in: arguments) }
    var isValueExpected = false
    for argument in arguments.dropFirst(command.path.count).prefix(while: { $0 != "--" }) {
      guard !isValueExpected else {
        isValueExpected = false
        continue
      }
      guard argument.hasPrefix("--") else { continue }
      let spelling = String(argument.prefix { $0 != "=" })
      let option = command.options.first { $0.spellings.contains(spelling) }
      // An unknown option ends the search, and of those that are no settings only --config has a value.
      isValueExpected = !(option?.isFlag ?? (spelling != "--config")) && spelling == argument
      guard option == nil, !["--config", "--help", "--help-hidden", "--version"].contains(spelling) else { continue }
      let knownNames = (command.options.flatMap(\.spellings) + ["--config", "--help"]).filter { $0.hasPrefix("--") }
      return "Unknown option '\(spelling.onOneLine)'.\(SettingRules.proposal(spelling, among: knownNames, quote: "'")) "
        + "'storage-auth \(command.name) --help' lists the options."
    }
    return nil
  }

  private func unknownCommand(in arguments: [String]) -> String? {
    let words = arguments.prefix { !$0.hasPrefix("-") }.drop { $0 == "help" }
    guard let word = words.first else {
      guard let option = arguments.first, option.hasPrefix("-") else { return nil }
      return "Unknown option '\(option.onOneLine)'. Options follow the command, as in storage-auth ls LOCATION --json."
    }
    let subcommands = commands.filter { $0.path[0] == word && $0.path.count > 1 }.map { $0.path[1] }
    let (name, knownNames) =
      subcommands.isEmpty ? (word, commands.map { $0.path[0] }) : (words.dropFirst().first ?? "", subcommands)
    guard !knownNames.contains(name), !name.isEmpty else { return nil }
    // Other words are the arguments of a command that is missing, and can contain a password.
    guard ByteExactString(name).percentEncoded().isIdentical(to: name) else {
      return "Unknown command. 'storage-auth help' lists the commands."
    }
    let proposal =
      Self.synonyms[name].map { " Did you mean '\($0)'?" } ?? SettingRules.proposal(name, among: knownNames, quote: "'")
    return "Unknown command '\(name)'.\(proposal) 'storage-auth help' lists the commands."
  }

  func command(in arguments: [String]) -> Command? { commands.first { arguments.starts(with: $0.path) } }
}
