// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
package import StorageAuth

/// The permissions that a transfer token grants.
struct TransferClaim: Sendable {
  let direction: TransferDirection
  let user: String
  /// The ID of the access key that authorized the token, or `nil` if a node user did.
  let accessKey: String?
  let creator: String
  /// The folder of the session's paths: the root of the access key, or the folder of the session's file ID.
  let base: NodePath
  /// The paths that the token grants access to with everything below them, for writing if the direction is `send`.
  let locations: [NodePath]
  var mayMakeFolders = true
  var mayDelete = true
  let issued: Timestamp
  let end: Timestamp

  func covers(_ path: NodePath) -> Bool { locations.contains { $0.contains(path) } }
}

/// The transfer tokens that the simulated node issued, with their permissions.
///
/// A token is retained for an hour after its expiration, so that it is rejected as expired and not as unknown.
package final class TransferTokenTable: Sendable {
  private static let retention = Duration.seconds(3600)

  private let claims = ExpiringTable<TransferClaim>(capacity: 20_000)

  /// A closure that receives every issued transfer token and access token, so that tests can search for leaked tokens.
  package static let watcher = Lock<(@Sendable (String) -> Void)?>(nil)

  /// Issues a transfer token with the given permissions, in the format of a real server.
  func issue(_ claim: TransferClaim) -> String {
    let token = "ATM2_AC" + RandomText.letters(76) + "_2MTA"
    claims.insert(claim, for: token, until: claim.end.advanced(by: Self.retention), at: claim.issued)
    Self.watcher.withLock { $0 }?(token)
    return token
  }

  func claim(of token: String) -> TransferClaim? { claims.value(of: token) }
}
