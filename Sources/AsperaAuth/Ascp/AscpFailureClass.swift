// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A class of failures of ascp, which determines whether a retry or a new token can help.
public enum AscpFailureClass: String, Sendable, Hashable, CaseIterable {
  /// An account that the server rejects; neither a new token nor a retry helps.
  case account
  /// A host key that is not the expected one, for which a transfer is never retried.
  case hostKey
  /// An expired token; a new token helps.
  case tokenExpired
  /// A token that the server rejects; a new token can help.
  case tokenRejected
  /// A missing token that the server requires; a token can help.
  case tokenMissing
  /// A missing right of the user, or a token for another user, direction or file list; another token of the same kind
  /// does not help.
  case authorizationDenied
  /// A temporary failure of the network or the server; a retry can help.
  case transport
  /// A transfer that cannot succeed as it was requested.
  case caller
  /// A license, of ascp or of the server, that does not permit the transfer.
  case license
  /// Another failure, for which a retry does not help.
  case other

  /// A Boolean value that indicates whether the same transfer with the same token can succeed later.
  public var isRetryable: Bool { self == .transport }
}
