// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer

extension NodeClient {
  /// Transfers one file with a transfer token from the node.
  ///
  /// - Parameters:
  ///   - spec: The transfer specification.
  ///   - size: The size of the file in bytes, or `nil` if it is unknown.
  ///   - meter: The meter that receives the number of transferred bytes, or `nil`.
  /// - Throws: A `TransferFailure` or a `CancellationError`; an `AsperaError` if ascp or the login's private key is
  ///   missing.
  func carryOut(_ spec: TransferSpec, size: Int64?, _ meter: ProgressMeter?) async throws {
    let room = try client.memory.value { try TransferContext(client) }
    var spec = spec
    provider.transfers.put(into: &spec)
    spec.publicKey = room.publicKey
    let session = TransferSession(spec, account: room.account, token: .issuer(room.issuer))
    try await room.queue.carryOut(session, size: size) { meter?.advance(by: $0) }
  }
}
