package import StorageAuth

/// A program that a probe starts.
package struct ProbeCommand: Sendable {
  /// The program, found through `PATH`, and its arguments, none of which is secret.
  package var arguments: [String]

  /// The working directory, which holds what the program is given and what it leaves behind.
  package var folder: String

  /// The variables of its environment; it gets no other but `PATH`.
  package var environment: [String: String] = [:]

  /// The variable that hands over the secret, and the secret.
  package var secret: (variable: String, value: Secret)?

  /// How long it may take.
  package var timeout: Duration
}

/// How a program ended and what it wrote.
package struct ProbeCommandResult: Sendable, Equatable {
  /// Its exit status; nothing if a signal ended it.
  package var status: Int32?

  /// What it wrote to its standard output.
  package var output: String

  /// What it wrote to its standard error.
  package var errors: String

  /// Puts a result together.
  package init(status: Int32?, output: String = "", errors: String = "") {
    self.status = status
    self.output = output
    self.errors = errors
  }
}

/// Why a program gave no result.
package enum ProbeCommandError: Error, Sendable, Hashable {
  /// There is no such program, or it could not be started.
  case notStarted
  /// It took too long and was ended.
  case timeout
  /// It wrote more than anyone reads and was ended.
  case outputTooLarge
  /// The task was cancelled.
  case cancelled
}

/// Runs the programs of a probe.
package protocol ProbeCommandRunner: Sendable {
  /// Runs a program with an empty standard input and without a terminal.
  ///
  /// When the time is up, or the task is cancelled, the program and all that it started is ended before the error is
  /// thrown.
  func run(_ command: ProbeCommand) async throws(ProbeCommandError) -> ProbeCommandResult
}
