// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth
internal import StorageClient

#if STORAGE_AUTH_NIO
  internal import StoragePrograms

  enum PlatformEngine {
    /// Returns the engine that runs ascp.
    ///
    /// - Throws: An `AsperaError` if ascp is not found, or if this build cannot start programs.
    static func make(
      program: String?, options: AscpOptions, time: any SigningClock
    ) throws(AsperaError) -> any TransferEngine {
      try AscpEngine(program: program, options: options, time: time)
    }
  }
#else
  enum PlatformEngine {
    static func make(
      program: String?, options: AscpOptions, time: any SigningClock
    ) throws(AsperaError) -> any TransferEngine {
      throw AsperaError(
        .unsupported, "This build of the client cannot run ascp, because it starts no programs.",
        remedy:
          "Name another engine in AsperaTransferOptions, or transfer on Linux or macOS with the package trait Client.")
    }
  }
#endif
