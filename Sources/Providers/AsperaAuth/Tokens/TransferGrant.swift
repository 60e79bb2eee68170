// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// An authorization for a single transfer: a token, and the issuer's changes to the transfer specification.
public struct TransferGrant: Credential {
  /// The token that authorizes the transfer, or `nil` if the server authorizes transfers based only on the account.
  public let token: AsperaToken?

  /// The specification whose fields the issuer sets in the transfer specification, or `nil` if the issuer sets no
  /// fields.
  ///
  /// The fields are the host, the user, the ports, the host key, the tags and similar fields. Fields that an issuer is
  /// not permitted to set are ignored.
  public let specification: TransferSpec?

  /// The time at which the grant expires according to its issuer's clock, or `nil` if the time is unknown.
  public let expiration: Timestamp?

  /// Creates a grant for a transfer.
  ///
  /// - Parameters:
  ///   - token: The token, or `nil` for a transfer without a token.
  ///   - specification: The specification that the issuer returned.
  ///   - expiration: The time at which the grant expires. If `nil`, the token's expiration.
  public init(token: AsperaToken?, specification: TransferSpec? = nil, expiration: Timestamp? = nil) {
    self.token = token
    self.specification = specification
    self.expiration = expiration ?? token?.expiration
  }
}
