// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer

extension NodeClient {
  /// The queue, the account and the issuer that all transfers of the client share.
  ///
  /// - Throws: An `AsperaError` if ascp or the login's private key is missing; a `SigningError` if the provider's URL
  ///   or root folder is invalid.
  var room: TransferContext {
    get throws { try client.memory.value { try TransferContext(client) } }
  }

  /// Transfers one file with a token from the transfer's issuer.
  ///
  /// - Parameters:
  ///   - transfer: The transfer specification and the issuer.
  ///   - size: The size of the file in bytes, or `nil` if it is unknown.
  ///   - meter: The meter that receives the number of transferred bytes, or `nil`.
  ///   - room: The context of the client's transfers.
  /// - Throws: A `TransferFailure` or a `CancellationError`.
  func carryOut(
    _ transfer: PreparedTransfer, size: Int64?, _ meter: ProgressMeter?, in room: TransferContext
  ) async throws {
    var spec = transfer.specification
    provider.transfers.put(into: &spec)
    let token = provider.transfers.server.token(from: transfer.issuer)
    let session = TransferSession(spec, account: room.account, token: token)
    try await room.queue.carryOut(session, size: size) { meter?.advance(by: $0) }
  }
}
