// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import StorageAuth

/// The options of every command, as the parser of the command line describes them.
struct OptionTable {
  /// An option or a flag of a command.
  struct Option {
    /// The long name without hyphens, which is the key of the option in files.
    let name: String
    /// All names, as the user writes them, such as `-q` and `--quiet`.
    let spellings: [String]
    let isFlag: Bool
    let isRepeating: Bool
  }

  /// A command without commands below it.
  struct Command {
    /// The names that lead to the command, such as `aspera` and `probe`.
    let path: [String]
    let options: [Option]

    /// The path with spaces, as the user writes it.
    var name: String { path.joined(separator: " ") }

    func option(_ name: String) -> Option? { options.first { $0.name == name } }

    func options(in arguments: [String]) -> Set<String> {
      var found: Set<String> = []
      for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("-") {
        let spelling = argument.prefix { $0 != "=" }
        if argument.hasPrefix("--") {
          found.formUnion(options.filter { $0.spellings.contains(String(spelling)) }.map(\.name))
        } else {
          // Short flags can be joined, such as -rv.
          let letters = spelling.dropFirst().map { "-\($0)" }
          found.formUnion(options.filter { !Set($0.spellings).isDisjoint(with: letters) }.map(\.name))
        }
      }
      return found
    }
  }

  /// Options that are not settings: they name the file with the settings, or show help.
  private static let excluded: Set = ["config", "help", "version"]

  let commands: [Command]

  init() {
    let description = (try? JSONValue(parsing: Array(StorageAuthCommand._dumpHelp().utf8)))?["command"]
    commands = (description?["subcommands"]?.array ?? []).flatMap { Self.commands($0, below: []) }
  }

  private static func commands(_ value: JSONValue, below path: [String]) -> [Command] {
    guard let name = value["commandName"]?.string, name != "help" else { return [] }
    let path = path + [name]
    if let inner = value["subcommands"]?.array, !inner.isEmpty { return inner.flatMap { commands($0, below: path) } }
    let options = (value["arguments"]?.array ?? []).compactMap(Self.option)
    return [Command(path: path, options: options)]
  }

  private static func option(_ value: JSONValue) -> Option? {
    guard let kind = value["kind"]?.string, kind != "positional" else { return nil }
    let names = (value["names"]?.array ?? []).compactMap { name -> (isLong: Bool, text: String)? in
      guard let text = name["name"]?.string else { return nil }
      return (name["kind"]?.string == "long", text)
    }
    guard let long = names.first(where: \.isLong)?.text, !excluded.contains(long) else { return nil }
    return Option(
      name: long, spellings: names.map { ($0.isLong ? "--" : "-") + $0.text }, isFlag: kind == "flag",
      isRepeating: value["isRepeating"]?.bool ?? false)
  }

  /// Returns the command that arguments call, or `nil` if they call none.
  func command(in arguments: [String]) -> Command? {
    commands.first { arguments.starts(with: $0.path) }
  }
}

/// The value of an option from a file or the environment.
struct Setting {
  /// The values of the option, or the file that contains them.
  enum Form {
    case flag(Bool)
    case values([String])
    /// The secrets are in a file, which is read only if the setting counts.
    case secretFile(String)
  }

  let option: OptionTable.Option
  /// The key and the file, or the variable, for errors.
  let source: String
  let form: Form

  func arguments() throws -> [String] {
    switch form {
    case .flag(let isOn): isOn ? ["--\(option.name)"] : []
    case .values(let values): values.map { "--\(option.name)=\($0)" }
    case .secretFile(let path): try secrets(in: path).map { "--\(option.name)=\($0)" }
    }
  }

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
