// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient
internal import Foundation
internal import NIOCore
internal import StorageClient

/// The entry point of the program `storage-auth`.
@main
enum StorageAuthProgram {
  /// Runs the command that the command line specifies, and prints errors through ``Terminal``.
  static func main() async {
    StandardStream.reserve()
    var arguments = Array(CommandLine.arguments.dropFirst())
    var settings: Settings?
    // Errors in the arguments are JSON too; later the parsed options count.
    Terminal.mode.isJSON = arguments.prefix { $0 != "--" }.contains("--json")
    do {
      try prepareConnections()
      let read = try await Settings(arguments, environment: ProcessInfo.processInfo.environment)
      settings = read
      arguments = read.arguments
      var command = try await StorageAuthCommand.asyncParseAsRoot(arguments)
      if let command = command as? any ReportingCommand { Terminal.mode = command.output.mode }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      let code = exitCode(for: error)
      show(error, status: code, settings)
      StorageAuthCommand.exit(withError: code)
    }
  }

  /// Raises the limit of open files, and lets the number of threads for connections follow it.
  ///
  /// The threads are created with the first connection, which ends the process if their files cannot be opened.
  private static func prepareConnections() throws {
    OpenFileLimit.raise()
    let limit = OpenFileLimit.current
    guard limit.permitsConnections else { throw LimitProblem(count: limit.count) }
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let count = limit.eventLoops(cores: cores)
    // Reading the number would fix it.
    if count < cores { NIOSingletons.groupLoopCountSuggestion = count }
  }

  private struct LimitProblem: Error, CustomStringConvertible {
    let count: Int

    var description: String {
      "The limit of open files is \(count), which is too low for connections. Raise it, for example with ulimit -n 256."
    }
  }

  /// Returns the exit status for an error: 64 if the arguments, or a file that they name, cannot be used.
  private static func exitCode(for error: any Error) -> ExitCode {
    switch error {
    case let error as SigningError where error.isCausedByArguments: .validationFailure
    case is SecretFile.Problem: .validationFailure
    default: StorageAuthCommand.exitCode(for: error)
    }
  }

  /// Prints the error that ended the program, or the help that the user asked for.
  private static func show(_ error: any Error, status: ExitCode, _ settings: Settings?) {
    // ArgumentParser prints the localized description of an error, which has neither the code nor the remedy.
    let description: String? =
      switch error {
      case let error as any ActionableError: "\(error)"
      case let error as TransferFailure: "\(error)"
      default: nil
      }
    var message = description.map { "Error: \($0)" } ?? StorageAuthCommand.fullMessage(for: error)
    guard !message.isEmpty else { return }
    if status.isSuccess { return Terminal.exactLine(message) }
    var text = description ?? StorageAuthCommand.message(for: error)
    if let origin = settings?.origin(of: text), !origin.isEmpty {
      text += origin
      message += "\nNote:\(origin)"
    }
    guard Terminal.mode.isJSON else { return Terminal.notes(message) }
    var members = ErrorReport.members(error) ?? ["message": .string(text)]
    members["exitStatus"] = .number(JSONNumber(status.rawValue))
    Terminal.error(json: text, members)
  }
}

struct StorageAuthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage-auth",
    abstract:
      "Signs requests for, transfers to, and emulates Alibaba Cloud OSS, Tencent Cloud COS, Amazon S3 and IBM Aspera.",
    discussion: """
      Keys come from the default sources of the cloud: the environment (OSS_ACCESS_KEY_ID, OSS_ACCESS_KEY_SECRET and \
      OSS_SESSION_TOKEN; TENCENTCLOUD_SECRET_ID, TENCENTCLOUD_SECRET_KEY and TENCENTCLOUD_TOKEN; or AWS_ACCESS_KEY_ID, \
      AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN), the files of the vendor's tools, the role of the machine. \
      `storage-auth credentials` shows which of them has a key.

      For a node of Aspera: ASPERA_NODE_USER and ASPERA_NODE_PASSWORD, or ASPERA_ACCESS_KEY_ID and either \
      ASPERA_ACCESS_KEY_SECRET or ASPERA_NODE_TOKEN, or a profile of ~/.aspera/storage-auth.json. For an account of an \
      Aspera server: ASPERA_SCP_PASS and ASPERA_SCP_TOKEN.
      """,
    subcommands: [
      ServeCommand.self, SignCommand.self, PresignCommand.self, CopyCommand.self, SyncCommand.self, ListCommand.self,
      RemoveCommand.self,
      MakeBucketCommand.self, UploadsCommand.self, CredentialsCommand.self, ExplainCommand.self, VerifyCommand.self,
      AsperaCommand.self,
      TokenServerCommand.self, ConfigCommand.self,
    ])
}

extension SigningError {
  /// Whether the error is in what the command line specifies, not in the key.
  fileprivate var isCausedByArguments: Bool {
    [.invalidConfiguration, .invalidHeader, .invalidPath, .invalidRequest, .lifetimeOutOfRange].contains(code)
  }
}

struct AsperaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aspera", abstract: "Checks accounts of Aspera servers, and carries out transfer specifications.",
    subcommands: [ProbeCommand.self, TransferCommand.self])
}

/// The members of the JSON object that describes an error with `--json`.
enum ErrorReport {
  /// Returns the members `code`, `message`, `remedy` and what a service said, or `nil` for an error of another type.
  static func members(_ error: any Error) -> JSONObject? {
    switch error {
    case let error as CredentialError: members(error)
    case let error as ServiceError: service(error)
    case let error as any ActionableError: members("\(error.code)", error.message, error.remedy)
    default: nil
    }
  }

  static func members(_ error: CredentialError) -> JSONObject {
    var members = members("\(error.code)", error.message, error.remedy)
    members["source"] = .string(error.source)
    return members
  }

  private static func members(_ code: String, _ message: String, _ remedy: String) -> JSONObject {
    ["code": .string(code), "message": .string(message), "remedy": .string(remedy)]
  }

  private static func service(_ error: ServiceError) -> JSONObject {
    var members = members("\(error.kind)", error.message, error.remedy)
    members["serviceCode"] = .string(error.code)
    members["status"] = .number(JSONNumber(error.status.code))
    members["requestId"] = error.requestID.map { .string($0) } ?? .null
    members["subject"] = .string(error.subject)
    members["attempts"] = .number(JSONNumber(error.attempts))
    if let diagnosis = error.diagnosis {
      members["cause"] = .string(diagnosis.cause.rawValue)
      members["explanation"] = .string(diagnosis.explanation)
    }
    return members
  }
}
