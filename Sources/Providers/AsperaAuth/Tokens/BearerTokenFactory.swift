// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import StorageAuth

/// A factory that creates node bearer tokens for one user.
///
/// The lifetime of a token starts when the token is created.
struct BearerTokenFactory: Sendable {
  /// The permitted token lifetimes, in seconds.
  ///
  /// A token with a lifetime below one second would expire on its way to the node. For more than a year, a basic token
  /// is the better choice.
  private static let lifetimes: ClosedRange<Int64> = 1...31_536_000

  let accessKey: String
  let userID: String
  let role: String
  let key: NodeBearerKey
  let lifetime: Duration
  let time: any SigningClock

  /// Creates a bearer token, and returns the token and the time at which its lifetime starts.
  ///
  /// - Parameter source: The name of the credential provider, for error messages.
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
