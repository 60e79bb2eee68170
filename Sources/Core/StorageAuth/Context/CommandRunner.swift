// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A runner of external commands, such as programs that print a credential.
public protocol CommandRunner: Sendable {
  /// Runs a program with the environment of this process, without a shell and with an empty standard input.
  ///
  /// If the timeout elapses or the task is cancelled, the program is terminated before the error is thrown.
  ///
  /// - Parameters:
  ///   - arguments: The program, which is found through `PATH` unless its name contains a slash, and its arguments.
  ///   - environment: Environment variables for the program, in addition to the variables of this process.
  ///   - timeout: The maximum run time of the program.
  ///   - outputLimit: The maximum size of the program's standard output, in bytes.
  /// - Returns: The program's exit status or signal, and its output.
  /// - Throws: A ``CommandError`` if the program could not be run to its end.
  func run(
    _ arguments: [String], environment: [String: String], timeout: Duration, outputLimit: Int
  ) async throws(CommandError) -> CommandResult
}

/// The result of a command that has ended: the exit status or signal, and the output.
public struct CommandResult: Sendable, CustomStringConvertible, CustomReflectable {
  /// The way in which a program ended.
  public enum Ending: Sendable, Hashable {
    /// The program exited with a status; the status 0 means success.
    case exited(Int32)
    /// The program was terminated by the signal with this number.
    case signalled(Int32)
  }

  /// The program's exit status, or the signal that terminated the program.
  public let ending: Ending
  /// The bytes that the program wrote to its standard output.
  public let standardOutput: [UInt8]
  /// The number of bytes that the program wrote to its standard error, which are not stored: they may contain secrets.
  public let standardErrorLength: Int

  /// Creates a command's result, for implementations of ``CommandRunner``; the parameters are the properties.
  public init(_ ending: Ending, standardOutput: [UInt8], standardErrorLength: Int) {
    self.ending = ending
    self.standardOutput = standardOutput
    self.standardErrorLength = standardErrorLength
  }

  /// A description that contains the exit status or signal and the sizes of the outputs, but not the outputs.
  public var description: String {
    "CommandResult(\(ending), \(standardOutput.count) bytes of output, \(standardErrorLength) of errors)"
  }

  /// A mirror that does not show the program's output.
  public var customMirror: Mirror {
    Mirror(self, children: ["ending": ending, "standardErrorLength": standardErrorLength])
  }
}

/// A reason why a command has no result.
public enum CommandError: Error, Sendable, Hashable {
  /// The program does not exist.
  case notFound
  /// The program could not be started, for a short reason such as `permission denied`.
  case notStarted(String)
  /// The program ran longer than its timeout and was terminated.
  case timeout
  /// The program wrote more output than the limit allows and was terminated.
  case outputTooLarge
  /// The task that ran the program was cancelled.
  case cancelled
}
