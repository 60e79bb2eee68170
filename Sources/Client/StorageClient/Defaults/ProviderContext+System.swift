// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CredentialSources
internal import Logging
internal import StorageAuth

extension ProviderContext {
  /// The provider context of this machine: environment, files, clocks, network, and subprocesses where the
  /// platform has them.
  ///
  /// The home directory is the value of `HOME`, as for the vendors' tools, or else the user's home directory. Warnings,
  /// such as a warning about a secret file that other users can read, are logged with the label `storage-auth`.
  public static var system: ProviderContext {
    var machine = ProviderContext(transport: .platformDefault, commands: PlatformDefaults.commands)
    if let home = machine.environment("HOME"), home.hasBytePrefix("/") { machine.home = home }
    let logger = Logger(label: "storage-auth")
    machine.onWarning = { logger.warning("\($0)") }
    return machine
  }
}
