// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A runner of commands.
public protocol CommandRunner: Sendable {
  /// Runs a program with the environment of this process, without a shell and with an empty standard input.
  ///
  /// At the timeout, or if the task is cancelled, the program is terminated before the error is thrown.
  ///
  /// - Parameters:
  ///   - arguments: The program, which is found through `PATH` unless it contains a slash, and its arguments.
  ///   - environment: Variables in addition to those of this process.
  ///   - timeout: The maximum run time of the program.
  ///   - outputLimit: The maximum size of its standard output in bytes.
  /// - Returns: The exit status or signal of the program, and its output.
  /// - Throws: A ``CommandError``.
  func run(
    _ arguments: [String], environment: [String: String], timeout: Duration, outputLimit: Int
  ) async throws(CommandError) -> CommandResult
}

/// The exit status or signal of a command, and its output.
public struct CommandResult: Sendable, CustomStringConvertible, CustomReflectable {
  /// The exit status of a program, or the signal that terminated it.
  public enum Ending: Sendable, Hashable {
    /// The program exited with a status; 0 is success.
    case exited(Int32)
    /// The program was terminated by a signal.
    case signalled(Int32)
  }

  /// The exit status or the signal of the program.
  public let ending: Ending

  /// The standard output of the program.
  public let standardOutput: [UInt8]

  /// The number of bytes on its standard error, which may contain secrets and is not stored.
  public let standardErrorLength: Int

  /// Creates a result, for implementations of ``CommandRunner``.
  ///
  /// - Parameters:
  ///   - ending: The exit status or the signal of the program.
  ///   - standardOutput: The standard output of the program.
  ///   - standardErrorLength: The number of bytes on its standard error.
  public init(_ ending: Ending, standardOutput: [UInt8], standardErrorLength: Int) {
    self.ending = ending
    self.standardOutput = standardOutput
    self.standardErrorLength = standardErrorLength
  }

  /// The end of the program and the sizes of its output, without the output.
  public var description: String {
    "CommandResult(\(ending), \(standardOutput.count) bytes of output, \(standardErrorLength) of errors)"
  }

  /// A mirror without the output.
  public var customMirror: Mirror {
    Mirror(self, children: ["ending": ending, "standardErrorLength": standardErrorLength])
  }
}

/// The reason why a command has no result.
public enum CommandError: Error, Sendable, Hashable {
  /// The program does not exist.
  case notFound
  /// The program could not be started, with a short reason such as `permission denied`.
  case notStarted(String)
  /// The program exceeded its timeout and was terminated.
  case timeout
  /// The program wrote more than the limit and was terminated.
  case outputTooLarge
  /// The task was cancelled.
  case cancelled
}
