// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
package import Synchronization

/// The transfer tokens that the simulated node issued, with their permissions.
///
/// A token is retained for an hour after its expiration, so that it is rejected as expired and not as unknown. The
/// number of tokens is limited; the tokens that expire first are discarded first.
package final class TransferTokenTable: Sendable {
  private static let capacity = 20_000
  private static let retention = Duration.seconds(3600)

  private let claims = Mutex<[[UInt8]: TransferClaim]>([:])

  /// A closure that receives every issued transfer token and access token, so that tests can search for leaked tokens.
  package static let watcher = Mutex<(@Sendable (String) -> Void)?>(nil)

  /// Issues a transfer token with the given permissions, in the format of a real server.
  func issue(_ claim: TransferClaim) -> String {
    let token = "ATM2_AC" + RandomText.letters(76) + "_2MTA"
    claims.withLock { claims in
      if claims.count >= Self.capacity {
        claims = claims.filter { $0.value.end.advanced(by: Self.retention) > claim.issued }
        if claims.count >= Self.capacity {
          let rest = claims.sorted { $0.value.end > $1.value.end }.prefix(Self.capacity / 2)
          claims = Dictionary(rest.map { ($0.key, $0.value) }) { first, _ in first }
        }
      }
      claims[Array(token.utf8)] = claim
    }
    Self.watcher.withLock { $0 }?(token)
    return token
  }

  /// Returns the permissions of a transfer token.
  ///
  /// - Returns: `nil` if this node did not issue the token, or no longer retains it.
  func claim(of token: String) -> TransferClaim? { claims.withLock { $0[Array(token.utf8)] } }
}
