// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsyncHTTPTransport
internal import Foundation
internal import LiveMatrix
internal import LocalCloud
internal import StorageAuth
internal import UnixSignals

/// Carries out the matrix, prints its rows as a table in Markdown, and fails if a step failed.
@main
struct LiveMatrixCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live-matrix",
    abstract: "Check services with real buckets and nodes, which the environment names.",
    discussion: """
      The table is written to standard output, and everything else to standard error. \
      Documentation/Internals/LiveMatrix.md lists the variables.
      """)

  @Flag(help: "Use LocalCloud, regardless of the environment.")
  var local = false

  func run() async throws {
    let cloud = local ? try await LiveCloud() : nil
    let variables = cloud?.environment(ascp: Self.simulator) ?? ProcessInfo.processInfo.environment
    let matrix = LiveMatrix(transport: AsyncHTTPClientTransport.shared) { variables[$0] }
    let report = await run(matrix)
    await cloud?.server.stop()
    if report.isInterrupted { throw ExitCode(130) }
    if !report.failures.isEmpty { throw ExitCode.failure }
  }

  /// Runs the matrix until its end, or until a signal, after which only the cleanup runs.
  private func run(_ matrix: LiveMatrix) async -> LiveReport {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    note(matrix.announcement)
    StandardStream.print(LiveRow.heading)
    let run = Task { await matrix.run { StandardStream.print($0) } }
    let interruption = Task {
      for await _ in signals {
        note("Interrupted: what was created is removed.")
        run.cancel()
      }
    }
    let report = await run.value
    interruption.cancel()
    note(report.summary)
    return report
  }

  private func note(_ text: String) { StandardStream.errors.put("\(DisplayText(text, keepingLines: true))\n") }

  /// The path of `ascp-simulator` next to this program, or `nil` if it is not built.
  private static var simulator: String? {
    let path = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("ascp-simulator").path
    return path.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
  }
}
