// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

/// An error that describes why a transfer failed.
///
/// The error contains no secrets and no tokens.
public struct TransferFailure: Error, Sendable, Hashable {
  /// The kind of transfer failure, which determines how a queue continues.
  public enum Kind: Sendable, Hashable {
    /// The server rejects the account because of a wrong password, key or passphrase.
    ///
    /// A new token does not help.
    case account
    /// The server's host key differs from the expected host key.
    ///
    /// The transfer is never retried.
    case hostKey
    /// The server rejects the token, or requires a token that the transfer does not have.
    ///
    /// A new token can help.
    case token(TokenRequest.Reason)
    /// The token was issued for another purpose, or the user lacks a permission.
    ///
    /// A new token does not help.
    case authorization
    /// The network or the server failed temporarily.
    ///
    /// A retry can help.
    case transport
    /// The transfer cannot succeed as requested, for example because a file is missing or an option is wrong.
    case caller
    /// The license of the engine or of the server does not permit the transfer.
    case license
    /// The token issuer provided no token because of the given error.
    case issuer(CredentialError)
    /// The transfer was cancelled.
    case cancelled
    /// The transfer failed for another or an unknown reason.
    case other
  }

  /// The kind of transfer failure.
  public let kind: Kind

  /// The engine's error code, such as 19 in ascp, or `nil` if there is no code.
  public let code: Int?

  /// A sentence that describes what failed and why.
  public let message: String

  /// A sentence that describes how to solve the problem.
  public let remedy: String

  /// Whether the engine has never reached the server, whose address is then likely to be wrong.
  package var isUnreached = false

  /// Creates a transfer failure, escaping line breaks and control characters in its message and its remedy.
  ///
  /// - Parameters:
  ///   - kind: The kind of transfer failure.
  ///   - code: The engine's error code, or `nil` if there is no code.
  ///   - message: A sentence that describes what failed and why.
  ///   - remedy: A sentence that describes how to solve the problem.
  public init(_ kind: Kind, code: Int? = nil, _ message: String, remedy: String) {
    self.kind = kind
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }
}

extension TransferFailure: CustomStringConvertible {
  /// A text that contains the error code, if there is one, the message and the remedy.
  public var description: String {
    "\(code.map { "\($0): " } ?? "")\(message) \(remedy)"
  }
}
