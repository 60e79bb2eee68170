// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The permissions that a transfer token grants.
struct TransferClaim: Sendable {
  let direction: TransferDirection
  let user: String

  /// The paths that the token grants access to, including everything below the paths.
  ///
  /// A token with the direction `send` grants write access, and any other token grants read access.
  let places: [NodePath]

  let issued: Timestamp
  let end: Timestamp

  /// Returns whether the token grants access to a path.
  func covers(_ path: NodePath) -> Bool { places.contains { $0.contains(path) } }
}
