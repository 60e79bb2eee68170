public import StorageAuth

/// Signs a bearer token for each transfer with the key of an access key; nobody is asked.
///
/// The server finds what the token is about by tags in the specification: the access key, and the id of the folder or
/// the file. The clock of this machine has to be right, because the server compares the end of the token with its own.
public struct BearerTokenIssuer: TokenIssuer {
  /// The name of the service.
  public var source: String { "bearer tokens of the access key \(maker.accessKey)" }

  private let maker: BearerTokenFactory
  private let fileID: String

  /// Sets up an issuer.
  ///
  /// - Parameters:
  ///   - accessKey: The id of the access key.
  ///   - userID: The user, as the permissions on the node name it.
  ///   - fileID: The folder or file of the access key that the transfers are about.
  ///   - key: The key whose public half is registered with the access key.
  ///   - lifetime: How long a token lives, in whole seconds.
  ///   - time: The clocks.
  public init(
    accessKey: String, userID: String, fileID: String, key: NodeBearerKey, lifetime: Duration = .seconds(3_600),
    time: any SigningClock = .system
  ) {
    maker = BearerTokenFactory(
      accessKey: accessKey, userID: userID, role: NodeScope.user, key: key, lifetime: lifetime, time: time)
    self.fileID = fileID
  }

  /// A token that was signed now, and the tags that belong to it.
  ///
  /// - Throws: A `CredentialError` if no token can be signed with the key.
  public func issue(for request: TokenRequest) async throws(CredentialError) -> IssuedCredential<TransferGrant> {
    let (minted, present) = try maker.token(for: source)
    do {
      let token = try AsperaToken(
        Secret(BearerText.prefix + minted.secret.reveal()), expiration: minted.claims.expiration)
      let specification = TransferSpec.naming(accessKey: maker.accessKey, fileID: fileID)
      return IssuedCredential(
        TransferGrant(token: token, specification: specification), issuerTime: present, source: source)
    } catch {
      throw CredentialError(.failed, source: source, error.message, remedy: error.remedy)
    }
  }
}

extension BearerTokenIssuer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the service.
  public var description: String { "BearerTokenIssuer(\(source))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror of the name alone.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}

extension TokenIssuer where Self == BearerTokenIssuer {
  /// A bearer token that is signed here for each transfer; see ``BearerTokenIssuer``.
  ///
  /// - Parameters:
  ///   - accessKey: The id of the access key.
  ///   - userID: The user, as the permissions on the node name it.
  ///   - fileID: The folder or file of the access key that the transfers are about.
  ///   - key: The key whose public half is registered with the access key.
  ///   - lifetime: How long a token lives.
  public static func bearer(
    accessKey: String, userID: String, fileID: String, key: NodeBearerKey, lifetime: Duration = .seconds(3_600)
  ) -> BearerTokenIssuer {
    BearerTokenIssuer(accessKey: accessKey, userID: userID, fileID: fileID, key: key, lifetime: lifetime)
  }
}
