// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The identity of a signer without its secret: what a request must state about its signer before the signature exists.
///
/// It is sufficient for a device in self-signed mode, where the secret stays on a server.
public struct Identity: Sendable, Equatable {
  /// The access key id.
  public let id: AccessKeyID

  /// The session token of a temporary credential; it is covered by the signature.
  public let sessionToken: Secret?

  /// The first instant at which the credential is valid, or `nil` if the issuer did not report it.
  public let start: Timestamp?

  /// The time at which the credential expires, or `nil` if it does not.
  public let expiration: Timestamp?

  /// Creates an identity from the string of its id.
  ///
  /// - Parameters:
  ///   - id: The access key id.
  ///   - sessionToken: The session token of a temporary credential.
  ///   - start: The first instant at which the credential is valid, in the issuer's time.
  ///   - expiration: The time at which the credential expires, in the issuer's time.
  public init(id: String, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil) {
    self.init(id: AccessKeyID(id), sessionToken: sessionToken, start: start, expiration: expiration)
  }

  /// Creates an identity.
  ///
  /// - Parameters:
  ///   - id: The access key id.
  ///   - sessionToken: The session token of a temporary credential.
  ///   - start: The first instant at which the credential is valid, in the issuer's time.
  ///   - expiration: The time at which the credential expires, in the issuer's time.
  public init(id: AccessKeyID, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil) {
    self.id = id
    self.sessionToken = sessionToken
    self.start = start
    self.expiration = expiration
  }
}
