// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The options of every command: the form and the amount of its output, and a file with settings.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON, one object on each line: results to standard output, errors and notes to standard error.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print only results and errors: no progress, notes, warnings or summaries.")
  var quiet = false

  @Flag(
    name: .shortAndLong,
    help: "Print a line to standard error for each request, retry and new credential; sync and cp also list transfers.")
  var verbose = false

  @Option(
    help: .text(
      "A JSON file with values for options, which those of the command line and the environment override; by default "
        + "that of STORAGE_AUTH_CONFIG, if it is set.", value: "file"))
  var config: String?

  func validate() throws {
    guard !(quiet && verbose) else { throw ValidationError("--quiet and --verbose exclude each other.") }
  }

  var mode: Terminal.Mode { Terminal.Mode(isJSON: json, isQuiet: quiet, isVerbose: verbose) }
}

/// A command with the options for its output, which the program applies before the command runs.
protocol ReportingCommand: ParsableCommand { var output: OutputOptions { get } }

extension ArgumentHelp {
  /// Creates the help of an option or an argument, with the name that stands for its value.
  static func text(_ text: String, value: String) -> ArgumentHelp { ArgumentHelp(text, valueName: value) }
}

extension ClosedRange where Bound == Int {
  /// Throws an error if an option has a value that is not in the range.
  func require(_ value: Int?, of option: String, _ unit: String = "") throws {
    guard let value, !contains(value) else { return }
    throw ValidationError("\(option) must be from \(lowerBound) to \(upperBound)\(unit).")
  }
}
