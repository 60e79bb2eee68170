// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A signer's identity without the secret: the information that a request must contain before it is signed.
///
/// An identity is sufficient for a device whose requests are signed by a server that keeps the secret.
public struct Identity: Sendable, Equatable {
  /// The access key ID of the signer.
  public let id: AccessKeyID

  /// The session token of a temporary credential, or `nil` for a permanent credential; the token is part of the signed
  /// request.
  public let sessionToken: Secret?

  /// The first instant at which the credential is valid, according to the issuer's clock, or `nil` if the issuer did
  /// not report it.
  public let start: Timestamp?

  /// The time at which the credential expires, according to the issuer's clock, or `nil` if the credential does not
  /// expire.
  public let expiration: Timestamp?

  /// Creates an identity from an access key ID as a string.
  ///
  /// - Parameters:
  ///   - id: The access key ID of the signer.
  ///   - sessionToken: The session token of a temporary credential, or `nil` for a permanent credential.
  ///   - start: The first instant at which the credential is valid, according to the issuer's clock.
  ///   - expiration: The time at which the credential expires, according to the issuer's clock.
  public init(id: String, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil) {
    self.init(id: AccessKeyID(id), sessionToken: sessionToken, start: start, expiration: expiration)
  }

  /// Creates an identity from an access key ID.
  ///
  /// - Parameters:
  ///   - id: The access key ID of the signer.
  ///   - sessionToken: The session token of a temporary credential, or `nil` for a permanent credential.
  ///   - start: The first instant at which the credential is valid, according to the issuer's clock.
  ///   - expiration: The time at which the credential expires, according to the issuer's clock.
  public init(id: AccessKeyID, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil) {
    self.id = id
    self.sessionToken = sessionToken
    self.start = start
    self.expiration = expiration
  }
}
