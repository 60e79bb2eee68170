// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A program that measures the client's cost of transfers, what the libraries below cost alone, and what many tenants cost.
@main
struct TransferBenchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer-benchmark",
    subcommands: [ChecksumCommand.self, RequestCommand.self, HummingbirdCommand.self, ScaleCommand.self])
}
