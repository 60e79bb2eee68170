// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth

/// An engine that carries out transfers, for example with ascp.
public protocol TransferEngine: Sendable {
  /// Runs one attempt to carry out a transfer.
  ///
  /// Cancelling the task stops the transfer in an orderly way. Processes, files and ports are gone on return.
  ///
  /// - Parameters:
  ///   - spec: The signed specification, which contains the account and the token.
  ///   - additions: The paths that are added to a persistent session, in the order in which they must be sent. The
  ///     session ends when the sequence ends. `nil` for a transfer whose paths are in `spec`.
  ///   - report: A function that receives the attempt's reports, one after another.
  /// - Returns: The number of transferred bytes and files.
  /// - Throws: A ``TransferFailure`` whose kind determines how a queue continues.
  func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?,
    report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary
}
