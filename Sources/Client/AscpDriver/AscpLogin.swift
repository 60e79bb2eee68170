// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaTransfer

/// The result of a login test, which checks whether a server accepts an account.
public enum AscpLogin: Sendable, Hashable {
  /// The server accepts the account, but may still require a token for a transfer.
  case accepted
  /// The login failed or was not completed, for the given reason.
  case refused(TransferFailure)
}
