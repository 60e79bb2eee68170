// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Subprocess
internal import SystemPackage

/// A run of ascp in its own session (`setsid`), with an empty standard input.
///
/// The process is started once and awaited until it has ended; cancelling the task kills its process group.
struct AscpProcess: Sendable {
  /// The way in which the process ended.
  enum Ending: Sendable, Hashable {
    /// The process exited with a status.
    case exited(Int32)
    /// The process was terminated by a signal.
    case signalled(Int32)
    /// The process was killed because its task was cancelled.
    case killed
    /// The process could not be started; contains the reason.
    case notStarted(String)
  }

  /// The path of the program.
  let program: String

  /// The arguments, without secrets.
  let arguments: [String]

  /// The complete environment.
  let environment: AscpEnvironment

  /// The number of bytes at the end of the printed output that are retained.
  let printedLimit: Int

  /// Starts the process and waits for its end.
  ///
  /// - Parameters:
  ///   - terminations: A sequence whose elements each send SIGTERM to the process group.
  ///   - isOver: A function that waits until no more output and no more frames are expected, and returns whether the
  ///     remaining processes of the group must be killed. The process is not reaped before it returns, so that the id
  ///     of the process group cannot have been reused.
  /// - Returns: The way in which the process ended, and the end of its standard output and error, combined.
  func run(
    terminations: AsyncStream<Void> = AsyncStream { $0.finish() },
    isOver: @escaping @Sendable () async -> Bool = { false }
  ) async -> (ending: Ending, printed: String) {
    var options = PlatformOptions()
    options.createSession = true
    options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
    do {
      let ended = try await Subprocess.run(
        .path(FilePath(program)), arguments: Arguments(arguments), environment: environment.subprocess,
        platformOptions: options, input: .none, output: .sequence, error: .combinedWithOutput
      ) { execution in
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            for await _ in terminations { try? execution.send(signal: .terminate, toProcessGroup: true) }
          }
          defer { group.cancelAll() }
          let text = await Self.read(execution.standardOutput, limit: printedLimit)
          if await isOver() { try? execution.send(signal: .kill, toProcessGroup: true) }
          return text
        }
      }
      if Task.isCancelled { return (.killed, ended.closureResult) }
      switch ended.terminationStatus {
      case .exited(let status): return (.exited(status), ended.closureResult)
      case .signaled(let signal): return (.signalled(signal), ended.closureResult)
      }
    } catch {
      return (Task.isCancelled ? .killed : .notStarted(Self.reason(for: error, program)), "")
    }
  }

  /// Reads until the program has exited or has closed its standard output and error.
  private static func read(_ output: SubprocessOutputSequence, limit: Int) async -> String {
    var kept = PrintedTail(limit: limit)
    do {
      for try await buffer in output {
        var bytes = ByteBuffer()
        bytes.writeBytes(buffer.bytes)
        kept.append(bytes.readableBytesView)
      }
    } catch {
      // The output that was read before the error is all that can be reported.
    }
    return kept.text
  }

  private static func reason(for error: any Error, _ program: String) -> String {
    guard let error = error as? SubprocessError else { return "it could not be launched" }
    return error.underlyingError.map { "\($0)" } ?? "there is no program that may be executed"
  }
}
