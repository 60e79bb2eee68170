// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A program that an account probe runs, with its arguments and its environment.
package struct ProbeCommand: Sendable {
  /// The name of the program, which is searched for on the `PATH`, followed by its arguments, which contain no secrets.
  package var arguments: [String]

  /// The working directory, which contains the program's input files and receives its output files.
  package var folder: String

  /// The environment variables that are set for the program, which otherwise inherits only `PATH`.
  package var environment: [String: String] = [:]

  /// The secret for the program, and the name of the environment variable that contains the secret.
  package var secret: (variable: String, value: Secret)?

  /// The maximum duration of the program's run.
  package var timeout: Duration

  /// The result for which the program was started, or `nil` if the program has to end by itself.
  package var goal: Goal?

  /// A file in the folder that a program creates when it has reached its result.
  package struct Goal: Sendable, Hashable {
    /// The name of the file.
    package var file: String

    /// The time for which the program may continue afterwards, until it is terminated.
    package var grace: Duration
  }
}

/// The exit status and the output of a program that an account probe ran.
package struct ProbeCommandResult: Sendable, Equatable {
  /// The program's exit status, or `nil` if a signal terminated the program.
  package var status: Int32?

  /// The text that the program wrote to its standard output.
  package var output: String

  /// The text that the program wrote to its standard error.
  package var errors: String

  /// Creates the result of running a program.
  package init(status: Int32?, output: String = "", errors: String = "") {
    self.status = status
    self.output = output
    self.errors = errors
  }
}

/// A reason why running a program produced no result.
package enum ProbeCommandError: Error, Sendable, Hashable {
  /// The program was not found, or could not be started.
  case notStarted
  /// The program exceeded its maximum duration and was terminated.
  case timeout
  /// The program's output exceeded the limit, and the program was terminated.
  case outputTooLarge
  /// The task was cancelled, and the program was terminated.
  case cancelled
}

/// A runner that starts the programs of an account probe.
package protocol ProbeCommandRunner: Sendable {
  /// Runs a program without a terminal and with an empty standard input, and returns its result.
  ///
  /// A program that has reached its goal and does not end in time is terminated, which is not an error.
  ///
  /// When the error for a timeout or a cancellation is thrown, the program and all processes that it started have been
  /// terminated.
  func run(_ command: ProbeCommand) async throws(ProbeCommandError) -> ProbeCommandResult
}
