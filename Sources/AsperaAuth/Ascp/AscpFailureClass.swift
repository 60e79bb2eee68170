// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A class of ascp failures, which determines whether a retry or a new token can help.
public enum AscpFailureClass: String, Sendable, Hashable, CaseIterable {
  /// The server rejects the account, so that neither a new token nor a retry helps.
  case account
  /// The server's host key differs from the expected host key, so that the transfer is never retried.
  case hostKey
  /// The token has expired, so that a new token helps.
  case tokenExpired
  /// The server rejects the token, so that a new token can help.
  case tokenRejected
  /// The server requires a token that the transfer does not have, so that a token can help.
  case tokenMissing
  /// The user lacks a permission, or the token is for another user, direction or file list.
  ///
  /// A new token of the same kind does not help.
  case authorizationDenied
  /// The network or the server failed temporarily, so that a retry can help.
  case transport
  /// The transfer cannot succeed as requested.
  case caller
  /// The license of ascp or of the server does not permit the transfer.
  case license
  /// The transfer failed for another reason, and a retry does not help.
  case other

  /// A Boolean value that indicates whether the same transfer with the same token can succeed later.
  public var isRetryable: Bool { self == .transport }
}
