public import StorageAuth

/// Always answers with the same token; once a server no longer takes it, there is no other.
public struct FixedTokenIssuer: TokenIssuer {
  /// The name of the service.
  public let source: String

  private let grant: TransferGrant

  /// Takes over a token.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - specification: What its issuer answered beside it, if anything.
  ///   - source: The name of the service.
  public init(_ token: AsperaToken, specification: TransferSpec? = nil, source: String = "fixed token") {
    self.source = source
    grant = TransferGrant(token: token, specification: specification)
  }

  /// Uses an access key itself as the token, as servers allow it for their own storage.
  ///
  /// - Parameters:
  ///   - accessKey: The id of the access key.
  ///   - secret: Its secret, which goes to the server with each transfer.
  ///   - fileID: The folder or file of the access key that the transfer is about; its root if not given.
  /// - Throws: An ``AsperaError`` if the id or the secret cannot be sent.
  public init(accessKey: String, secret: Secret, fileID: String? = nil) throws(AsperaError) {
    self.init(
      try .basic(accessKey: accessKey, secret: secret),
      specification: .naming(accessKey: accessKey, fileID: fileID), source: "access key \(accessKey)")
  }

  /// The token, for the first time; a refusal later.
  ///
  /// - Throws: A `CredentialError` with the code `rejected` if another token is needed, because this one has ended or was
  ///   refused.
  public func issue(for request: TokenRequest) async throws(CredentialError) -> IssuedCredential<TransferGrant> {
    switch request.reason {
    case .initial, .missing: return IssuedCredential(grant, source: source)
    case .expired, .rejected:
      let happened = request.reason == .expired ? "has ended, or ends too soon" : "was refused by the server"
      throw CredentialError(
        .rejected, source: source, "The token \(happened), and there is no issuer for another.",
        remedy: "Get a new token, or give the session an issuer that asks for one.")
    }
  }
}

extension FixedTokenIssuer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the service.
  public var description: String { "FixedTokenIssuer(\(source))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror of the name alone.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}

extension TokenIssuer where Self == FixedTokenIssuer {
  /// Always the same token; see ``FixedTokenIssuer``.
  public static func fixed(_ token: AsperaToken) -> FixedTokenIssuer { FixedTokenIssuer(token) }

  /// An access key as the token; see ``FixedTokenIssuer``.
  ///
  /// - Throws: An ``AsperaError`` if the id or the secret cannot be sent.
  public static func accessKey(
    _ id: String, secret: Secret, fileID: String? = nil
  ) throws(AsperaError) -> FixedTokenIssuer {
    try FixedTokenIssuer(accessKey: id, secret: secret, fileID: fileID)
  }
}
