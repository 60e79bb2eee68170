// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The command `storage-auth aspera`, which contains the subcommands that exist only for Aspera.
struct AsperaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aspera", abstract: "Checks accounts of Aspera servers, and carries out transfer specifications.",
    subcommands: [ProbeCommand.self, TransferCommand.self])
}
