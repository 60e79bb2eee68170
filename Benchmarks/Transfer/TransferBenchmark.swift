import ArgumentParser

/// What transfers cost the client: checksums, and requests for small objects layer by layer.
@main
struct TransferBenchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer-benchmark", subcommands: [ChecksumCommand.self, RequestCommand.self])
}
