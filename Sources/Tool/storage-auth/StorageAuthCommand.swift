// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import NIOCore
internal import StorageClient

/// The program: it reads the settings, runs the command, and reports the error that ends it.
@main
enum StorageAuthProgram {
  static func main() async {
    StandardStream.reserve()
    let arguments = Array(CommandLine.arguments.dropFirst())
    var settings: Settings?
    // Errors in the arguments are JSON too; later the parsed options count.
    Terminal.mode.isJSON = arguments.prefix { $0 != "--" }.contains("--json")
    do {
      try prepareConnections()
      // The parser shows the help of the program instead.
      if arguments.first == "help", let misspelling = OptionTable().misspelling(in: arguments) {
        throw ValidationError(misspelling)
      }
      let readSettings = try await Settings(arguments, environment: ProcessInfo.processInfo.environment)
      settings = readSettings
      var command = try await StorageAuthCommand.asyncParseAsRoot(readSettings.arguments)
      if let command = command as? any ReportingCommand { Terminal.mode = command.output.mode }
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
    } catch {
      let code = exitCode(for: error)
      show(error, status: code, arguments, settings)
      StorageAuthCommand.exit(withError: code)
    }
  }

  /// Raises the limit of open files, and adapts the number of threads for connections to it.
  ///
  /// The threads are created with the first connection; if they cannot open their files, the process ends.
  private static func prepareConnections() throws {
    OpenFileLimit.raise()
    let limit = OpenFileLimit.current
    guard limit.permitsConnections else {
      throw CommandFailure(
        description: "The limit of open files is \(limit.count), which is too low for connections. "
          + "Raise it, for example with ulimit -n 256.")
    }
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let count = limit.eventLoops(cores: cores)
    // Reading the number would fix it.
    if count < cores { NIOSingletons.groupLoopCountSuggestion = count }
  }

  /// Returns the exit status for an error: 64 if the arguments, or a file that they name, cannot be used.
  private static func exitCode(for error: any Error) -> ExitCode {
    // These codes mean errors of the command line, not of the key.
    let argumentCodes: [SigningError.Code] = [
      .invalidConfiguration, .invalidHeader, .invalidPath, .invalidRequest, .lifetimeOutOfRange,
    ]
    return switch error {
    case let error as SigningError where argumentCodes.contains(error.code): .validationFailure
    case is SecretFile.Problem: .validationFailure
    default: StorageAuthCommand.exitCode(for: error)
    }
  }

  /// Prints the error that ended the program, or the requested help.
  private static func show(_ error: any Error, status: ExitCode, _ arguments: [String], _ settings: Settings?) {
    // The parser reports a misspelled option only if all else is right, such as the number of locations.
    let misspelling = status == .validationFailure ? OptionTable().misspelling(in: arguments) : nil
    // ArgumentParser prints the localized description of an error, which has no remedy.
    let description = misspelling ?? ErrorReport.text(of: error)
    var message = description.map { "Error: \($0)" } ?? StorageAuthCommand.fullMessage(for: error)
    guard !message.isEmpty else { return }
    if !arguments.contains("--help-hidden") { message = HelpText(message).folded }
    if status.isSuccess { return Terminal.printExactLine(message) }
    var text = description ?? StorageAuthCommand.message(for: error)
    if let origin = settings?.origin(of: text), !origin.isEmpty {
      text += origin
      message += "\nNote:\(origin)"
    }
    guard Terminal.mode.isJSON else { return Terminal.printErrorLines(message) }
    var members = ErrorReport.members(error) ?? ["message": .string(text)]
    members["exitStatus"] = .integer(status.rawValue)
    Terminal.printJSONError(text, members)
  }
}

struct StorageAuthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage-auth",
    abstract: "Transfers to, signs for and emulates Alibaba OSS, Tencent COS, Amazon S3 and IBM Aspera.",
    discussion: """
      Examples:
        storage-auth serve --oss-port 9000      # services on this machine
        storage-auth cp cat.jpg oss://photos/2026/ --region cn-hangzhou
        storage-auth credentials --provider oss # where a key is, and where not

      Locations are oss://bucket/key, cos://bucket/key, s3://bucket/key, aspera://node/path and files. Keys come from \
      the environment, the files of the vendor's tools, or the role of the machine.
      """,
    version: "storage-auth 0.1.0-dev",
    subcommands: [
      CopyCommand.self, MoveCommand.self, SyncCommand.self, ListCommand.self, DiskUsageCommand.self, StatCommand.self,
      CatCommand.self, RemoveCommand.self, MakeBucketCommand.self, RemoveBucketCommand.self, UploadsCommand.self,
      PresignCommand.self, SignCommand.self, VerifyCommand.self, ExplainCommand.self, CredentialsCommand.self,
      ServeCommand.self, TokenServerCommand.self, AsperaCommand.self, ConfigCommand.self,
    ])
}

struct AsperaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aspera", abstract: "Checks accounts of Aspera servers; carries out transfer specifications.",
    subcommands: [ProbeCommand.self, TransferCommand.self])
}

/// The help of a command, which the parser writes with all options.
struct HelpText {
  private static let width = 100
  /// The titles that the parser itself gives.
  private static let unfoldedTitles = ["ARGUMENTS:", "OPTIONS:", "SUBCOMMANDS:"]

  private let lines: [Substring]

  init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false) }

  /// The help, in which the options of groups are only named, at the end, so that it fits on one screen.
  var folded: String {
    var (keptLines, foldedNames) = ([Substring](), [Substring]())
    var isFolding = false
    for line in lines {
      if line.hasSuffix(":"), line.allSatisfy({ $0.isUppercase || " ,:".contains($0) }) {
        isFolding = !Self.unfoldedTitles.contains(String(line))
      }
      guard isFolding else {
        keptLines.append(line)
        continue
      }
      guard let option = line.firstMatch(of: /^  (?:-[a-zA-Z], )?(--[a-z0-9-]+)/) else { continue }
      foldedNames.append(option.1)
    }
    guard !foldedNames.isEmpty else { return keptLines.joined(separator: "\n") }
    while keptLines.last?.isEmpty ?? false { keptLines.removeLast() }
    var lastLine = "MORE OPTIONS, which '\(command) --help-hidden' describes:"
    keptLines.append("")
    for name in foldedNames {
      if lastLine.count + name.count < Self.width {
        lastLine += " \(name)"
      } else {
        keptLines.append(Substring(lastLine))
        lastLine = "  \(name)"
      }
    }
    return (keptLines + [Substring(lastLine)]).joined(separator: "\n")
  }

  private var command: String {
    let usage = lines.first { $0.hasPrefix("USAGE: ") }?.split(separator: " ").dropFirst() ?? []
    return usage.prefix { !"<[(-".contains($0.first ?? "<") }.joined(separator: " ")
  }
}
