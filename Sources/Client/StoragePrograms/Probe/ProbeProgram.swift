// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import NIOCore
package import StorageAuth
internal import StorageClient
internal import Subprocess
internal import SystemPackage

/// A program that an account probe runs, with its arguments and its environment.
package struct ProbeProgram: Sendable {
  /// The name of the program, which is searched for on the `PATH`, followed by its arguments.
  package var arguments: [String]

  /// The working directory, which contains the program's input files and receives its output files.
  package var folder: String

  /// The environment variables that are set for the program, which otherwise inherits only `PATH`.
  package var environment: [String: String] = [:]

  /// The secret for the program, and the name of the environment variable that contains the secret.
  package var secret: (variable: String, value: Secret)?

  package var timeout: Duration

  /// The result for which the program was started, or `nil` if the program has to end by itself.
  package var goal: Goal?

  /// A file in the folder that a program creates when it has reached its result.
  package struct Goal: Sendable, Hashable {
    package var file: String

    /// The time for which the program may continue afterwards, until it is terminated.
    package var grace: Duration
  }
}

/// The exit status and the output of a program that an account probe ran.
package struct ProbeProgramResult: Sendable, Equatable {
  /// The program's exit status, or `nil` if a signal terminated the program.
  package var status: Int32?

  package var output: String

  package var errors: String

  package init(status: Int32?, output: String = "", errors: String = "") {
    self.status = status
    self.output = output
    self.errors = errors
  }
}

package enum ProbeProgramError: Error, Sendable, Hashable {
  /// The program was not found, or could not be started.
  case notStarted
  case timeout
  case outputTooLarge
  case cancelled
}

package protocol ProbeProgramRunner: Sendable {
  /// Runs a program without a terminal and with an empty standard input, and returns its result.
  ///
  /// A program that has reached its goal and does not end in time is terminated, which is not an error.
  ///
  /// After an error, the program and all processes that it started have been terminated.
  func run(_ command: ProbeProgram) async throws(ProbeProgramError) -> ProbeProgramResult
}

/// A runner that starts each program in its own session (`setsid`): without a terminal, and killable as a whole.
struct SubprocessProbeRunner: ProbeProgramRunner {
  /// The maximum number of bytes that are read from a program's standard output, and from its standard error.
  private static let outputLimit = 1 << 20

  let path: String
  let time: any SigningClock

  func run(_ command: ProbeProgram) async throws(ProbeProgramError) -> ProbeProgramResult {
    try await time.running(for: command.timeout, timeout: .timeout, cancelled: .cancelled) { await result(of: command) }
  }

  private func result(of command: ProbeProgram) async -> Result<ProbeProgramResult, ProbeProgramError> {
    guard let program = command.arguments.first else { return .failure(.notStarted) }
    do {
      let ended = try await Subprocess.run(
        .name(program), arguments: Arguments(Array(command.arguments.dropFirst())),
        environment: .only(variables(of: command)), workingDirectory: FilePath(command.folder),
        platformOptions: .ownSession, input: .none, output: .sequence, error: .sequence
      ) { execution in
        let (reached, watch) = AsyncStream<Void>.makeStream()
        let kill: @Sendable () -> Void = { try? execution.send(signal: .kill, toProcessGroup: true) }
        async let output = Self.read(execution.standardOutput, orElse: kill)
        async let errors = Self.read(execution.standardError, orElse: kill) {
          if let goal = command.goal, FileManager.default.fileExists(atPath: "\(command.folder)/\(goal.file)") {
            watch.finish()
          }
        }
        async let _ = end(after: reached, command.goal?.grace, kill)
        return try await (output, errors)
      }
      if Task.isCancelled { return .failure(.cancelled) }
      var status: Int32?
      if case .exited(let code) = ended.terminationStatus { status = code }
      return .success(ProbeProgramResult(status: status, output: ended.closureResult.0, errors: ended.closureResult.1))
    } catch let error as ProbeProgramError {
      return .failure(error)
    } catch {
      return .failure(Task.isCancelled ? .cancelled : .notStarted)
    }
  }

  /// Reads the output of a program, calls `check` after each part, and kills a program that prints too much.
  private static func read(
    _ output: SubprocessOutputSequence, orElse kill: @Sendable () -> Void, check: @Sendable () -> Void = {}
  ) async throws(ProbeProgramError) -> String {
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

  private func variables(of command: ProbeProgram) -> [String: String] {
    var variables = command.environment
    variables["PATH"] = path
    if let secret = command.secret { variables[secret.variable] = secret.value.reveal() }
    return variables
  }
}
