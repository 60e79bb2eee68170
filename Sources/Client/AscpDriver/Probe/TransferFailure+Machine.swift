// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer

extension TransferFailure {
  /// Creates a transfer failure from an error during an account check, in the account or on this machine.
  init(uncheckable error: AsperaError) {
    let isAccount = ![.failed, .toolNotFound].contains(error.code)
    self.init(isAccount ? .account : .caller, error.message, remedy: error.remedy)
  }

  /// The failure of an account check that was cancelled.
  static let checkCancelled = TransferFailure(.cancelled, "The check was cancelled.", remedy: "Start it again.")

  /// Returns the failure for an OpenSSH program that is missing on this machine.
  static func noSuchProgram(_ program: String) -> TransferFailure {
    TransferFailure(
      .caller, "The program \(program) is not on this machine, or cannot be started.",
      remedy: "Install OpenSSH's client (Debian: openssh-client) and make sure that it is on the PATH.")
  }
}
