// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if STORAGE_AUTH_NIO
  internal import Foundation
  public import StorageAuth
  package import Subprocess
  internal import SystemPackage

  /// A command runner that starts each command in a separate session and without a terminal.
  ///
  /// When a command is stopped, all processes that it started and that stayed in its session are stopped as well.
  public struct SubprocessCommandRunner: CommandRunner {
    private static let standardErrorByteLimit = 1 << 20
    private let time: any SigningClock

    /// Creates a command runner with the clock that measures the timeouts of commands.
    public init(time: any SigningClock = .system) { self.time = time }

    /// Runs a program with the environment of this process, without a shell and with an empty standard input.
    ///
    /// - Parameters:
    ///   - arguments: The name or path of the program, followed by its arguments.
    ///   - environment: Environment variables for the program, in addition to those of this process.
    ///   - timeout: The time limit for the program.
    ///   - outputLimit: The maximum number of bytes that the program may write to its standard output.
    /// - Throws: A `CommandError`, which is `outputTooLarge` also after more than 1 MiB on the standard error.
    public func run(
      _ arguments: [String], environment: [String: String], timeout: Duration, outputLimit: Int
    ) async throws(CommandError) -> CommandResult {
      guard let program = arguments.first, !program.isEmpty else { throw .notFound }
      return try await time.running(for: timeout, timeout: .timeout, cancelled: .cancelled) {
        await Self.result(of: program, arguments.dropFirst(), environment, outputLimit: outputLimit)
      }
    }

    private static func result(
      of program: String, _ arguments: some Sequence<String>, _ environment: [String: String], outputLimit: Int
    ) async -> Result<CommandResult, CommandError> {
      do {
        let result = try await Subprocess.run(
          program.hasByte("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(Array(arguments)),
          environment: .inherited(adding: environment), platformOptions: .ownSession, input: .none,
          output: .bytes(limit: outputLimit), error: .bytes(limit: standardErrorByteLimit))
        let ending: CommandResult.Ending =
          switch result.terminationStatus {
          case .exited(let code): .exited(code)
          case .signaled(let signal): .signalled(signal)
          }
        return .success(
          CommandResult(ending, standardOutput: result.standardOutput, standardErrorLength: result.standardError.count))
      } catch let error as SubprocessError {
        return .failure(CommandError(error, of: program))
      } catch { return .failure(.cancelled) }
    }
  }

  extension CommandError {
    fileprivate init(_ error: SubprocessError, of program: String) {
      if Task.isCancelled {
        self = .cancelled
      } else if error.code == .outputLimitExceeded {
        self = .outputTooLarge
      } else if let reason = error.underlyingError, reason != .noSuchFileOrDirectory {
        self = .notStarted("\(reason)")
      } else if error.code == .executableNotFound {
        let exists = program.hasByte("/") && FileManager.default.fileExists(atPath: program)
        self = exists ? .notStarted("it is a directory or may not be executed") : .notFound
      } else {
        self = .notStarted("it could not be launched")
      }
    }
  }

  extension PlatformOptions {
    /// The options for a separate session, whose processes are all killed if the task is cancelled.
    package static var ownSession: PlatformOptions {
      var options = PlatformOptions()
      options.createSession = true
      options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
      return options
    }
  }

  extension Environment {
    package static func only(_ variables: [String: String]) -> Environment { .custom(variables.environment) }

    package static func inherited(adding variables: [String: String]) -> Environment {
      .inherit.updating(variables.environment)
    }
  }

  extension [String: String] {
    fileprivate var environment: [Environment.Key: String] {
      reduce(into: [:]) { variables, variable in
        if let key = Environment.Key(rawValue: variable.key) { variables[key] = variable.value }
      }
    }
  }

  extension SigningClock {
    /// Runs a program for at most a duration, and returns or throws after it has ended.
    ///
    /// `run` kills the program if its task is cancelled. The other parameters are the errors to throw.
    package func running<Outcome: Sendable, Failure: Error>(
      for duration: Duration, timeout: Failure, cancelled: Failure,
      _ run: @escaping @Sendable () async -> Result<Outcome, Failure>
    ) async throws(Failure) -> Outcome {
      let result = await withTaskGroup(of: Result<Outcome, Failure>.self) { group in
        group.addTask { await run() }
        group.addTask {
          do {
            try await self.sleep(for: duration)
            return .failure(timeout)
          } catch { return .failure(cancelled) }
        }
        // Cancels the other task; the group waits until the program has ended.
        defer { group.cancelAll() }
        return await group.next() ?? .failure(cancelled)
      }
      if Task.isCancelled { throw cancelled }
      return try result.get()
    }
  }
#endif
