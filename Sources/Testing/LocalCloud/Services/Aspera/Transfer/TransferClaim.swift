// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The permissions that a transfer token grants.
struct TransferClaim: Sendable {
  let direction: TransferDirection
  let user: String

  /// The ID of the access key that authorized the token, or `nil` if a node user did.
  let accessKey: String?

  /// The ID of the user who got the token.
  let creator: String

  /// The folder to which the paths of the session are relative: the root of the access key, or the folder of the
  /// session's file ID.
  let base: NodePath

  /// The paths that the token grants access to, including everything below the paths.
  ///
  /// A token with the direction `send` grants write access, and any other token grants read access.
  let places: [NodePath]

  /// Whether the token allows the session to create folders.
  var mayMakeFolders = true

  /// Whether the token allows the session to remove and move files.
  var mayDelete = true

  let issued: Timestamp
  let end: Timestamp

  /// Returns whether the token grants access to a path.
  func covers(_ path: NodePath) -> Bool { places.contains { $0.contains(path) } }
}
