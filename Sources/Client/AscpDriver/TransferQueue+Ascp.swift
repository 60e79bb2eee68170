// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import AsperaTransfer
public import StorageAuth

extension TransferQueue {
  /// Creates a transfer queue that uses the ascp installed on this machine and a token issuer.
  ///
  /// - Parameters:
  ///   - account: The account for sessions that have no account.
  ///   - issuer: The token issuer for sessions that have no issuer, including sessions with a fixed token.
  ///   - configuration: The maximum number of active sessions and the retry limits.
  ///   - authEvents: The destination of events about token refreshes, retries, signatures and transfers.
  /// - Throws: An `AsperaError` that lists the searched locations if ascp is not found.
  public convenience init(
    account: AsperaAccount? = nil, issuer: some TokenIssuer,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), authEvents: AuthEvents = AuthEvents()
  ) throws(AsperaError) {
    self.init(
      engine: try AscpEngine(), account: account, issuer: issuer, configuration: configuration, authEvents: authEvents)
  }
}
