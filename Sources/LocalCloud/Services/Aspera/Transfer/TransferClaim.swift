// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The permissions of a transfer token.
struct TransferClaim: Sendable {
  let direction: TransferDirection
  let user: String

  /// The paths that the token may write (direction `send`) or read, including everything below them.
  let places: [NodePath]

  let issued: Timestamp
  let end: Timestamp

  /// Returns whether the token may access a path.
  func covers(_ path: NodePath) -> Bool { places.contains { $0.contains(path) } }
}
