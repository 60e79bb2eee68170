// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Checks files with settings.", subcommands: [ConfigCheckCommand.self])
}

struct ConfigCheckCommand: ParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks the keys and the forms of the values of a file with settings, for all commands.",
    usage: "storage-auth config check <file> [<options>]",
    discussion: """
      Examples:
        storage-auth config check settings.json

      The file contains a JSON object, such as
      {"region": "cn-hangzhou", "cp": {"parallel": 32}, "client": {"attempts": 5}}.
      A member whose value is an object belongs to the command with that name; its keys are the long options without \
      hyphens. Members for all commands are \(SettingRules.shared.joined(separator: ", ")). The objects client and \
      http set the client and its connections.

      An option of the command line wins over the environment, and the environment over the file. The variable of an \
      option is STORAGE_AUTH_, the command and the option, such as STORAGE_AUTH_CP_PARALLEL.

      Exits with status 0 if the file can be used, and with 64 otherwise.
      """)

  @Argument(help: .text("The file with settings.", value: "file")) var file: String
  @OptionGroup(title: "Output") var output: OutputOptions

  func run() throws {
    let settings = try SettingsFile(file, OptionTable())
    for (name, count) in settings.counts {
      Terminal.printResult(
        "\(name): \(count) \(count == 1 ? "setting" : "settings")",
        ["name": .string(name), "settings": .integer(count)])
    }
    Terminal.printNote("\(file) can be used")
  }
}
