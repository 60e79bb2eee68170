/// Runs a command and waits for its end.
public protocol CommandRunner: Sendable {
  /// Runs a program with the environment of this process, without a shell and with an empty standard input.
  ///
  /// When the time is up, or the task is cancelled, the program is ended before the error is thrown.
  ///
  /// - Parameters:
  ///   - arguments: The program, found through `PATH` unless it has a slash, and its arguments.
  ///   - environment: Variables in addition to those of this process.
  ///   - timeout: How long the program may take.
  ///   - outputLimit: The greatest number of bytes that are taken from its standard output.
  /// - Returns: How the program ended and what it wrote.
  /// - Throws: A ``CommandError``.
  func run(
    _ arguments: [String], environment: [String: String], timeout: Duration, outputLimit: Int
  ) async throws(CommandError) -> CommandResult
}

/// How a command ended and what it wrote.
public struct CommandResult: Sendable, CustomStringConvertible, CustomReflectable {
  /// How a program ends.
  public enum Ending: Sendable, Hashable {
    /// By itself, with a status; 0 is success.
    case exited(Int32)
    /// By a signal.
    case signalled(Int32)
  }

  /// How the program ended.
  public let ending: Ending

  /// What it wrote to its standard output.
  public let standardOutput: [UInt8]

  /// How many bytes it wrote to its standard error, which may hold secrets and is not kept.
  public let standardErrorLength: Int

  /// Puts a result together; for runners.
  ///
  /// - Parameters:
  ///   - ending: How the program ended.
  ///   - standardOutput: What it wrote to its standard output.
  ///   - standardErrorLength: How many bytes it wrote to its standard error.
  public init(_ ending: Ending, standardOutput: [UInt8], standardErrorLength: Int) {
    self.ending = ending
    self.standardOutput = standardOutput
    self.standardErrorLength = standardErrorLength
  }

  /// How it ended and how much it wrote; never what.
  public var description: String {
    "CommandResult(\(ending), \(standardOutput.count) bytes of output, \(standardErrorLength) of errors)"
  }

  /// A mirror without the output.
  public var customMirror: Mirror {
    Mirror(self, children: ["ending": ending, "standardErrorLength": standardErrorLength])
  }
}

/// Why a command gave no result.
public enum CommandError: Error, Sendable, Hashable {
  /// There is no such program.
  case notFound
  /// It could not be started; why, in a few words such as `permission denied`.
  case notStarted(String)
  /// It took too long and was ended.
  case timeout
  /// It wrote more than was asked for and was ended.
  case outputTooLarge
  /// The task was cancelled.
  case cancelled
}
