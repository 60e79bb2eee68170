// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageAuth

/// Runs programs and records their arguments and environments.
final class ProcessRunner: CommandRunner {
  struct Call: Sendable {
    let arguments: [String]
    let environment: [String: String]
  }

  private let recorded = Lock<[Call]>([])

  /// The recorded calls.
  var calls: [Call] { recorded.withLock { $0 } }

  func run(
    _ arguments: [String], environment: [String: String], timeout: Duration, outputLimit: Int
  ) async throws(CommandError) -> CommandResult {
    recorded.withLock { $0.append(Call(arguments: arguments, environment: environment)) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw .notStarted("it could not be launched")
    }
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return CommandResult(
      .exited(process.terminationStatus), standardOutput: [UInt8](bytes), standardErrorLength: 0)
  }
}

/// Returns a fixed result without running a program.
struct ScriptedRunner: CommandRunner {
  let answer: Result<CommandResult, CommandError>

  func run(
    _ arguments: [String], environment: [String: String], timeout: Duration, outputLimit: Int
  ) async throws(CommandError) -> CommandResult {
    try answer.get()
  }
}
