// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
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
    let outcome = await withTaskGroup(of: Result<ProbeCommandResult, ProbeCommandError>.self) { group in
      group.addTask { await result(of: command) }
      group.addTask { [time] in
        do {
          try await time.sleep(for: command.timeout)
          return .failure(.timeout)
        } catch {
          return .failure(.cancelled)
        }
      }
      // The other task is cancelled. The program has ended when the task group has ended.
      defer { group.cancelAll() }
      return await group.next() ?? .failure(.cancelled)
    }
    if Task.isCancelled { throw .cancelled }
    return try outcome.get()
  }

  private func result(of command: ProbeCommand) async -> Result<ProbeCommandResult, ProbeCommandError> {
    guard let program = command.arguments.first else { return .failure(.notStarted) }
    var options = PlatformOptions()
    options.createSession = true
    options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
    do {
      let ended = try await Subprocess.run(
        .name(program), arguments: Arguments(Array(command.arguments.dropFirst())),
        environment: .custom(variables(of: command)), workingDirectory: FilePath(command.folder),
        platformOptions: options, input: .none, output: .bytes(limit: Self.outputLimit),
        error: .bytes(limit: Self.outputLimit))
      var status: Int32?
      if case .exited(let code) = ended.terminationStatus { status = code }
      return .success(
        ProbeCommandResult(
          status: status, output: String(decoding: ended.standardOutput, as: UTF8.self),
          errors: String(decoding: ended.standardError, as: UTF8.self)))
    } catch let error as SubprocessError {
      if Task.isCancelled { return .failure(.cancelled) }
      return .failure(error.code == .outputLimitExceeded ? .outputTooLarge : .notStarted)
    } catch {
      return .failure(.cancelled)
    }
  }

  private func variables(of command: ProbeCommand) -> [Environment.Key: String] {
    var variables = command.environment
    variables["PATH"] = path
    if let secret = command.secret { variables[secret.variable] = secret.value.reveal() }
    var environment: [Environment.Key: String] = [:]
    for (name, value) in variables {
      if let key = Environment.Key(rawValue: name) { environment[key] = value }
    }
    return environment
  }
}
