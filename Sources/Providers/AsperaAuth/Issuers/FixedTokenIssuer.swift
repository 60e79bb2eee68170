// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A token issuer that always returns the same token, and fails when the server no longer accepts the token.
public struct FixedTokenIssuer: TokenIssuer, Redacted {
  /// The issuer name that errors and events show.
  public let source: String

  private let credential: TransferCredential

  /// Creates a token issuer that always returns the given token.
  ///
  /// - Parameters:
  ///   - token: The token that the issuer returns.
  ///   - specification: The specification that was issued with the token, or `nil` if there is none.
  ///   - source: The issuer name that errors and events show, without secrets.
  public init(_ token: AsperaToken, specification: TransferSpec? = nil, source: String = "fixed token") {
    self.source = source
    credential = TransferCredential(token: token, specification: specification)
  }

  /// Creates a token issuer that uses an access key as a basic token, which servers accept for their own storage.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - secret: The secret of the access key, which is sent to the server with each transfer.
  ///   - fileID: The identifier of the folder or file that the transfers access. If `nil`, the root of the access key.
  /// - Throws: An ``AsperaError`` with the code `invalidToken` if the identifier or the secret cannot be sent.
  public init(accessKey: String, secret: Secret, fileID: String? = nil) throws(AsperaError) {
    self.init(
      try .basic(accessKey: accessKey, secret: secret),
      specification: .naming(accessKey: accessKey, fileID: fileID), source: "access key \(accessKey)")
  }

  /// Returns the token for a session's first request, and throws if a different token is required.
  ///
  /// - Parameters:
  ///   - request: The transfer, and the reason why a token is needed.
  ///   - context: The context of the call.
  /// - Throws: A `CredentialError` with the code `rejected` if the token has expired or the server rejected it.
  public func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    switch request.reason {
    case .initial, .missing: return IssuedCredential(credential, source: source)
    case .expired, .rejected:
      let reason = request.reason == .expired ? "has expired, or expires too soon" : "was refused by the server"
      throw CredentialError(
        .rejected, source: source, "The token \(reason), and there is no issuer for another.",
        remedy: "Get a new token, or give the session an issuer that requests one.")
    }
  }

  /// A description that contains the issuer name.
  public var description: String { "FixedTokenIssuer(\(source))" }
}

extension TokenIssuer where Self == FixedTokenIssuer {
  /// Creates a token issuer that always returns the given token; see ``FixedTokenIssuer``.
  public static func fixed(_ token: AsperaToken) -> FixedTokenIssuer { FixedTokenIssuer(token) }

  /// Creates a token issuer that uses an access key as a basic token; see ``FixedTokenIssuer``.
  ///
  /// - Throws: An ``AsperaError`` with the code `invalidToken` if the identifier or the secret cannot be sent.
  public static func accessKey(
    _ id: String, secret: Secret, fileID: String? = nil
  ) throws(AsperaError) -> FixedTokenIssuer {
    try FixedTokenIssuer(accessKey: id, secret: secret, fileID: fileID)
  }
}
