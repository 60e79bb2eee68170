import ArgumentParser

/// A program that measures the client's cost of transfers: checksums, and requests for small objects by layer.
@main
struct TransferBenchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer-benchmark", subcommands: [ChecksumCommand.self, RequestCommand.self])
}
