internal import CloudCredentials
internal import StorageAuth

/// Signs bearer tokens that live from now on.
struct BearerTokenFactory: Sendable {
  /// A token of less would have ended on its way; one of more is better replaced by a basic token.
  private static let lifetimes: ClosedRange<Int64> = 1...31_536_000

  let accessKey: String
  let userID: String
  let role: String
  let key: NodeBearerKey
  let lifetime: Duration
  let time: any SigningClock

  /// A token, and the time from which its life is counted.
  ///
  /// - Parameter source: The name of whoever asks, for errors.
  func token(for source: String) throws(CredentialError) -> (token: NodeBearerToken, present: Timestamp) {
    let seconds = try RequestCheck(source: source).seconds(lifetime, in: Self.lifetimes)
    let present = time.now.wholeSeconds
    let claims = NodeBearerClaims(
      userID: userID, scope: NodeScope(accessKey: accessKey, role: role),
      expiration: present.advanced(by: .seconds(seconds)))
    do {
      return (try NodeBearerToken(claims, signedWith: key), present)
    } catch {
      throw CredentialError(.failed, source: source, error.message, remedy: error.remedy)
    }
  }
}
