// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The result of checking an account before a transfer starts.
///
/// The report contains no secrets.
public struct AccountReport: Sendable, Hashable {
  /// The kind of credential that the account logs in with.
  public enum Authentication: Sendable, Hashable {
    /// A password, which only the server can check.
    case password
    /// A private key.
    case privateKey(PrivateKeyReport)
  }

  /// The kind of credential that the account logs in with.
  public let authentication: Authentication

  /// Sentences about circumstances that the caller should know, although they are no reason to refuse the account.
  public let notes: [String]
}
