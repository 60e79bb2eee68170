// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import NIOCore
internal import StorageAuth
internal import StorageClient
internal import Subprocess
internal import SystemPackage

/// A probe command runner that starts each program in its own session (`setsid`).
///
/// In its own session, a program cannot prompt on a terminal, and its process group can be killed as a whole.
struct SubprocessProbeRunner: ProbeCommandRunner {
  /// The maximum number of bytes that are read from a program's standard output, and from its standard error.
  private static let outputLimit = 1 << 20

  let path: String
  let time: any SigningClock

  func run(_ command: ProbeCommand) async throws(ProbeCommandError) -> ProbeCommandResult {
    try await time.running(for: command.timeout, timeout: .timeout, cancelled: .cancelled) { await result(of: command) }
  }

  private func result(of command: ProbeCommand) async -> Result<ProbeCommandResult, ProbeCommandError> {
    guard let program = command.arguments.first else { return .failure(.notStarted) }
    do {
      let ended = try await Subprocess.run(
        .name(program), arguments: Arguments(Array(command.arguments.dropFirst())),
        environment: .only(variables(of: command)), workingDirectory: FilePath(command.folder),
        platformOptions: .ownSession, input: .none, output: .sequence, error: .sequence
      ) { execution in
        let (goal, watch) = AsyncStream<Void>.makeStream()
        let kill: @Sendable () -> Void = { try? execution.send(signal: .kill, toProcessGroup: true) }
        async let output = Self.read(execution.standardOutput, orElse: kill)
        async let errors = Self.read(execution.standardError, orElse: kill) {
          if command.hasReachedGoal { watch.finish() }
        }
        async let _ = end(after: goal, command.goal?.grace, kill)
        return try await (output, errors)
      }
      if Task.isCancelled { return .failure(.cancelled) }
      var status: Int32?
      if case .exited(let code) = ended.terminationStatus { status = code }
      return .success(
        ProbeCommandResult(status: status, output: ended.closureResult.0, errors: ended.closureResult.1))
    } catch let error as ProbeCommandError {
      return .failure(error)
    } catch {
      return .failure(Task.isCancelled ? .cancelled : .notStarted)
    }
  }

  /// Reads the output of a program until the program has closed it, and calls a function after each part.
  ///
  /// - Parameters:
  ///   - kill: The function that terminates the program if it prints too much.
  ///   - check: The function that is called after each part.
  private static func read(
    _ output: SubprocessOutputSequence, orElse kill: @Sendable () -> Void, check: @Sendable () -> Void = {}
  ) async throws(ProbeCommandError) -> String {
    var text = ByteBuffer()
    do {
      for try await part in output {
        text.writeBytes(part.bytes)
        guard text.readableBytes <= outputLimit else { break }
        check()
      }
    } catch {
      // Only the output that was read before the error can be reported.
    }
    guard text.readableBytes <= outputLimit else {
      kill()
      throw .outputTooLarge
    }
    return String(buffer: text)
  }

  /// Terminates the program if it still runs some time after it has reached its goal.
  private func end(after goal: AsyncStream<Void>, _ grace: Duration?, _ kill: @Sendable () -> Void) async {
    for await _ in goal {}
    guard let grace, !Task.isCancelled, (try? await time.sleep(for: grace)) != nil else { return }
    kill()
  }

  private func variables(of command: ProbeCommand) -> [String: String] {
    var variables = command.environment
    variables["PATH"] = path
    if let secret = command.secret { variables[secret.variable] = secret.value.reveal() }
    return variables
  }
}

extension ProbeCommand {
  /// Whether the file exists that the program creates when it has reached its goal.
  fileprivate var hasReachedGoal: Bool {
    goal.map { FileManager.default.fileExists(atPath: "\(folder)/\($0.file)") } ?? false
  }
}
