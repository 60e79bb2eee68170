// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The authorization of one transfer: a token, and the changes that its issuer makes to the transfer specification.
public struct TransferGrant: Credential {
  /// The token; `nil` if the server authorizes transfers by the account only.
  public let token: AsperaToken?

  /// The fields that the issuer sets in the specification: host, user, ports, host key, tags and the like.
  ///
  /// Only fields that the issuer of a grant is permitted to set are used.
  public let specification: TransferSpec?

  /// The time at which the grant expires, by its issuer's clock; `nil` if it is not known.
  public let expiration: Timestamp?

  /// Creates a grant.
  ///
  /// - Parameters:
  ///   - token: The token, or `nil` for a transfer without one.
  ///   - specification: The specification that the issuer returned.
  ///   - expiration: The time at which the grant expires; the token's expiration if `nil`.
  public init(token: AsperaToken?, specification: TransferSpec? = nil, expiration: Timestamp? = nil) {
    self.token = token
    self.specification = specification
    self.expiration = expiration ?? token?.expiration
  }
}
