// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  /// The file that means success, or `nil` if only the end of the program counts.
  package var successMarker: SuccessMarker?

  /// A file in the folder that a program creates when it has reached its result.
  package struct SuccessMarker: Sendable, Hashable {
    package var fileName: String
    /// The time after which the program is terminated if it does not end by itself.
    package var grace: Duration
  }
}

/// The result of a program that has ended.
package struct ProbeProgramResult: Sendable, Equatable {
  /// The program's exit status, or `nil` if a signal terminated the program.
  package var status: Int32?
  package var output: String
  /// The text that the program printed to its standard error.
  package var errors: String

  package init(status: Int32?, output: String = "", errors: String = "") {
    self.status = status
    self.output = output
    self.errors = errors
  }
}

/// The reason why a program has no result.
package enum ProbeProgramError: Error, Sendable, Hashable {
  /// The program was not found, or could not be started.
  case notStarted
  case timeout
  case outputTooLarge
  case cancelled
}

/// A runner of the SSH client's programs, which tests replace.
package protocol ProbeProgramRunner: Sendable {
  /// Runs a program without a terminal and with an empty standard input, and returns its result.
  ///
  /// A program that has created its success marker and does not end in time is terminated, which is not an error. After
  /// an error, the program and all processes that it started have been terminated.
  func run(_ program: ProbeProgram) async throws(ProbeProgramError) -> ProbeProgramResult
}

/// A runner that starts each program in its own session (`setsid`): without a terminal, and killable as a whole.
struct SubprocessProbeRunner: ProbeProgramRunner {
  /// The maximum number of bytes that are read from each of a program's standard output and standard error.
  private static let outputLimit = 1 << 20

  let searchPath: String
  let time: any SigningClock

  func run(_ program: ProbeProgram) async throws(ProbeProgramError) -> ProbeProgramResult {
    try await time.running(for: program.timeout, timeout: .timeout, cancelled: .cancelled) { await result(of: program) }
  }

  private func result(of program: ProbeProgram) async -> Result<ProbeProgramResult, ProbeProgramError> {
    guard let name = program.arguments.first else { return .failure(.notStarted) }
    do {
      let ended = try await Subprocess.run(
        .name(name), arguments: Arguments(Array(program.arguments.dropFirst())),
        environment: .only(variables(of: program)), workingDirectory: FilePath(program.folder),
        platformOptions: .ownSession, input: .none, output: .sequence, error: .sequence
      ) { execution in
        // The end of the stream signals success.
        let (success, successSignal) = AsyncStream<Never>.makeStream()
        let kill: @Sendable () -> Void = { try? execution.send(signal: .kill, toProcessGroup: true) }
        async let output = Self.read(execution.standardOutput, onExcess: kill)
        // The SSH client prints to standard error after it has created the marker, so the marker is searched for then.
        async let errors = Self.read(execution.standardError, onExcess: kill) {
          guard let marker = program.successMarker else { return }
          let markerPath = "\(program.folder)/\(marker.fileName)"
          if FileManager.default.fileExists(atPath: markerPath) { successSignal.finish() }
        }
        async let _ = endAfter(program.successMarker?.grace, of: success, kill)
        return try await (output, errors)
      }
      if Task.isCancelled { return .failure(.cancelled) }
      var status: Int32?
      if case .exited(let code) = ended.terminationStatus { status = code }
      return .success(ProbeProgramResult(status: status, output: ended.closureResult.0, errors: ended.closureResult.1))
    } catch let error as ProbeProgramError {
      return .failure(error)
    } catch { return .failure(Task.isCancelled ? .cancelled : .notStarted) }
  }

  /// Reads the output of a program, calls `afterPart` after each part, and kills a program that prints too much.
  private static func read(
    _ output: SubprocessOutputSequence, onExcess kill: @Sendable () -> Void, afterPart: @Sendable () -> Void = {}
  ) async throws(ProbeProgramError) -> String {
    var text = ByteBuffer()
    do {
      for try await part in output {
        text.writeBytes(part.bytes)
        guard text.readableBytes <= outputLimit else { break }
        afterPart()
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

  /// Kills a program that still runs when the time after its success has elapsed.
  private func endAfter(_ grace: Duration?, of success: AsyncStream<Never>, _ kill: @Sendable () -> Void) async {
    for await _ in success {}
    guard let grace, !Task.isCancelled, (try? await time.sleep(for: grace)) != nil else { return }
    kill()
  }

  private func variables(of program: ProbeProgram) -> [String: String] {
    var variables = program.environment
    variables["PATH"] = searchPath
    if let secret = program.secret { variables[secret.variable] = secret.value.reveal() }
    return variables
  }
}
