// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The result of an account check, which takes place before a transfer starts.
///
/// The report contains no secrets.
public struct AccountReport: Sendable, Hashable {
  /// The kind of credential with which an account logs in.
  public enum Authentication: Sendable, Hashable {
    /// The account logs in with a password, which only the server can check.
    case password
    /// The account logs in with a private key, which the given report describes.
    case privateKey(PrivateKeyReport)
  }

  /// The kind of credential with which the account logs in.
  public let authentication: Authentication

  /// Sentences about circumstances that the caller should know but that do not prevent the use of the account.
  public let notes: [String]
}

extension AccountReport.Authentication: CustomStringConvertible {
  /// The credential in words, such as `private key: RSA, 3072 bits, PKCS #8, not encrypted`.
  public var description: String {
    switch self {
    case .password: "password"
    case .privateKey(let key): "private key: \(key.kind), \(key.format), \(key.passphrase)"
    }
  }
}
