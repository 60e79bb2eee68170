// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import FoundationTransport
internal import LongRun
internal import StorageClient

/// Transfers the given number of objects, prints a report, and fails on violations.
@main
struct LongRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "long-run",
    abstract: "Run many transfers against a cloud with faults, 5-second tokens and a clock 20 minutes wrong.")

  @Option(help: "The number of objects that are uploaded and downloaded.")
  var transfers = 4000

  @Option(help: "The number of concurrent tasks at each of the six stores.")
  var tasks = 4

  @Option(help: "The transport of the clients.")
  var transport = TransportName.asynchttp

  func run() async throws {
    let report = try await LongRun(LongRun.Plan(transfers: transfers, tasks: tasks, transport: transport.transport))
      .run()
    print(report)
    if !report.violations.isEmpty { throw ExitCode.failure }
  }
}

/// The name of a transport on the command line.
enum TransportName: String, CaseIterable, ExpressibleByArgument {
  case asynchttp, urlsession

  var transport: any HTTPTransport {
    switch self {
    case .asynchttp: AsyncHTTPClientTransport()
    case .urlsession: URLSessionTransport()
    }
  }
}
