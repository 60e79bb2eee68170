// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A program that a probe starts.
package struct ProbeCommand: Sendable {
  /// The name of the program, searched for on the `PATH`, and its arguments, none of which is secret.
  package var arguments: [String]

  /// The working directory, which contains the program's input files and receives its output files.
  package var folder: String

  /// The environment variables; the program inherits only `PATH`.
  package var environment: [String: String] = [:]

  /// The secret, and the environment variable that passes it to the program.
  package var secret: (variable: String, value: Secret)?

  /// The maximum duration.
  package var timeout: Duration
}

/// The exit status and the output of a program.
package struct ProbeCommandResult: Sendable, Equatable {
  /// The exit status, or `nil` if a signal terminated the program.
  package var status: Int32?

  /// The standard output.
  package var output: String

  /// The standard error.
  package var errors: String

  /// Creates a result.
  package init(status: Int32?, output: String = "", errors: String = "") {
    self.status = status
    self.output = output
    self.errors = errors
  }
}

/// The reasons for which a program has no result.
package enum ProbeCommandError: Error, Sendable, Hashable {
  /// The program was not found, or could not be started.
  case notStarted
  /// The program exceeded its maximum duration and was terminated.
  case timeout
  /// The program exceeded the limit of its output and was terminated.
  case outputTooLarge
  /// The task was cancelled.
  case cancelled
}

/// A runner of a probe's programs.
package protocol ProbeCommandRunner: Sendable {
  /// Runs a program with an empty standard input and without a terminal.
  ///
  /// After a timeout or a cancellation, the program and all processes that it started have been terminated when the
  /// error is thrown.
  func run(_ command: ProbeCommand) async throws(ProbeCommandError) -> ProbeCommandResult
}
