internal import StorageAuth
package import Synchronization

/// The transfer tokens that were issued.
///
/// A token is kept for a while after its end, so that it is refused as expired and not as unknown. There is room for a
/// bounded number; those that end first have to go first.
package final class TransferTokenTable: Sendable {
  private static let capacity = 20_000
  private static let retention = Duration.seconds(3600)

  private let claims = Mutex<[[UInt8]: TransferClaim]>([:])

  /// Sees every token that is issued; tests look for them where they must not be.
  package static let watcher = Mutex<(@Sendable (String) -> Void)?>(nil)

  /// Issues a token, in the form of those that a server issues.
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

  /// What a token was issued for; nothing if it was not issued here, or has ended long ago.
  func claim(of token: String) -> TransferClaim? { claims.withLock { $0[Array(token.utf8)] } }
}
