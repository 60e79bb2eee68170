// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth

/// The command `storage-auth credentials`, which shows which credential source provides the key.
struct CredentialsCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "credentials",
    abstract: "Shows which source has a key, which sources declined and why, and the lifetime of the key.",
    discussion: """
      The sources are tried in the same request as by a client, up to the first that has a key. Secrets and session \
      tokens are masked. Exits with status 0 if there is a valid key, and with 1 otherwise.

      \(CloudName.all.map { "Sources of \($0): \(list($0.cloud.sources))." }.joined(separator: "\n"))
      """)

  @Option(help: "\(CloudName.alternatives).")
  var provider: CloudName

  @Option(help: "Use only this source.")
  var source: SourceName?

  @OptionGroup var options: CredentialOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  private static func list(_ sources: [SourceName]) -> String {
    sources.map(\.description).joined(separator: ", ")
  }

  func validate() throws {
    if let source, !provider.cloud.sources.contains(source) {
      throw ValidationError(
        "\(source) is not a source of \(provider); those are \(Self.list(provider.cloud.sources)).")
    }
  }

  func run() async throws {
    let finding = try await CredentialFinding(
      over: options.network, walking: options.chain(for: provider.cloud, only: source))
    if output.json { Terminal.json(try finding.json(provider)) } else { Terminal.lines(finding.text) }
    guard case .success(let response) = finding.result, response.life.map({ $0 > .zero }) ?? true else {
      throw ExitCode.failure
    }
  }
}
