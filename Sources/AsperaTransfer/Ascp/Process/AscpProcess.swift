internal import NIOCore
internal import Subprocess
internal import SystemPackage

/// A run of ascp, in a session of its own and with nothing to read.
///
/// It is started once and waited for until it has ended; cancelling the task kills its process group.
struct AscpProcess: Sendable {
  /// How it ended.
  enum Ending: Sendable, Hashable {
    /// With a status.
    case exited(Int32)
    /// By a signal.
    case signalled(Int32)
    /// It was killed because its task was cancelled.
    case killed
    /// It could not be started: why.
    case notStarted(String)
  }

  /// The program.
  let program: String

  /// Its arguments, without secrets.
  let arguments: [String]

  /// The whole environment.
  let environment: AscpEnvironment

  /// How many of the last bytes that it prints are kept.
  let printedLimit: Int

  /// Starts it and waits for its end.
  ///
  /// - Parameters:
  ///   - terminations: Each element sends SIGTERM to the process group.
  ///   - isOver: Waits until nothing more is to be heard from the program, and says whether what is left of its process
  ///     group is to be killed. The program is not reaped before, so that the group is its own.
  /// - Returns: How it ended, and the end of what it printed, to its standard output or error.
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

  /// Reads until the program has ended or has closed what it prints to.
  private static func read(_ output: SubprocessOutputSequence, limit: Int) async -> String {
    var kept = PrintedTail(limit: limit)
    do {
      for try await buffer in output {
        var bytes = ByteBuffer()
        bytes.writeBytes(buffer.bytes)
        kept.append(bytes.readableBytesView)
      }
    } catch {
      // What was read before says as much as there is to know.
    }
    return kept.text
  }

  private static func reason(for error: any Error, _ program: String) -> String {
    guard let error = error as? SubprocessError else { return "it could not be launched" }
    return error.underlyingError.map { "\($0)" } ?? "there is no program that may be executed"
  }
}
