// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A class of ascp failures, which determines whether a retry or a new token can help.
public enum AscpFailureClass: String, Sendable, Hashable, CaseIterable {
  /// The server rejects the account.
  ///
  /// Neither a new token nor a retry helps.
  case account
  /// The server's host key differs from the expected host key.
  ///
  /// The transfer is never retried.
  case hostKey
  /// The token has expired.
  ///
  /// A new token helps.
  case tokenExpired
  /// The server rejects the token.
  ///
  /// A new token can help.
  case tokenRejected
  /// The server requires a token, but the transfer has no token.
  ///
  /// A token can help.
  case tokenMissing
  /// The user lacks a permission, or the token is for another user, direction or file list.
  ///
  /// A new token of the same kind does not help.
  case authorizationDenied
  /// The network or the server failed temporarily.
  ///
  /// A retry can help.
  case transport
  /// The transfer cannot succeed as requested.
  case caller
  /// The license of ascp or of the server does not permit the transfer.
  case license
  /// The transfer failed for another reason.
  ///
  /// A retry does not help.
  case other

  /// A Boolean value that indicates whether the same transfer with the same token can succeed later.
  public var isRetryable: Bool { self == .transport }
}
