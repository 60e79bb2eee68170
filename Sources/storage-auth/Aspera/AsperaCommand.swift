internal import ArgumentParser

/// `storage-auth aspera`: what there is for Aspera alone.
struct AsperaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aspera", abstract: "Checks accounts of Aspera servers.", subcommands: [ProbeCommand.self])
}
