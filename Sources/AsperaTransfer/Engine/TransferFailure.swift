// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

/// An error that describes the failure of a transfer: its kind, the engine's code, a message and a remedy.
///
/// It contains no secrets and no tokens.
public struct TransferFailure: Error, Sendable, Hashable {
  /// The kinds of failures, by which a queue decides how to continue.
  public enum Kind: Sendable, Hashable {
    /// The server rejects the account because of a wrong password, key or passphrase. A new token does not help.
    case account
    /// The host key differs from the expected one. The transfer is never retried.
    case hostKey
    /// The server rejects the token, or requires one. A new token can help.
    case token(TokenRequest.Reason)
    /// The token was issued for another purpose, or the user lacks permission. A new token does not help.
    case authorization
    /// The network or the server failed temporarily. A retry can help.
    case transport
    /// The transfer cannot succeed as requested, for example because a file is missing or an option is wrong.
    case caller
    /// The license of the engine or the server does not permit the transfer.
    case license
    /// The issuer provided no token.
    case issuer(CredentialError)
    /// The transfer was cancelled.
    case cancelled
    /// The cause is another one, or is not known.
    case other
  }

  /// The kind of the failure.
  public let kind: Kind

  /// The engine's error code, such as 19, or `nil` if there is none.
  public let code: Int?

  /// A sentence that describes what failed and why.
  public let message: String

  /// A sentence that describes the remedy.
  public let remedy: String

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - kind: The kind of the failure.
  ///   - code: The engine's error code, if there is one.
  ///   - message: A sentence that describes what failed and why; line breaks are removed.
  ///   - remedy: A sentence that describes the remedy; line breaks are removed.
  public init(_ kind: Kind, code: Int? = nil, _ message: String, remedy: String) {
    self.kind = kind
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }
}

extension TransferFailure: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String {
    "\(code.map { "\($0): " } ?? "")\(message) \(remedy)"
  }
}
