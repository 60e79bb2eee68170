internal import ArgumentParser
internal import LongRun

/// Runs until the given number of objects has been moved, prints what happened, and fails if something should not have.
@main
struct LongRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "long-run",
    abstract: "Many transfers in a cloud that fails often, with tokens of 5 seconds and a clock 20 minutes wrong.")

  @Option(help: "How many objects are uploaded and downloaded again.")
  var transfers = 4000

  @Option(help: "How many at once, at each of the six stores.")
  var tasks = 4

  func run() async throws {
    let report = try await LongRun(LongRun.Plan(transfers: transfers, tasks: tasks)).run()
    print(report)
    if !report.violations.isEmpty { throw ExitCode.failure }
  }
}
