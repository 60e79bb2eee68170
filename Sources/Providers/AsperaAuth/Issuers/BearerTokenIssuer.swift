// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources

/// A token issuer that signs a bearer token for each transfer with an access key's private key, without a request.
///
/// The server identifies the files by tags in the specification: the access key and the ID of the folder or file. This
/// machine's clock must be accurate, because the server compares the expiration with its own clock.
public struct BearerTokenIssuer: TokenIssuer, Redacted {
  /// The issuer name that errors and events show.
  public var source: String { access.source }

  private let access: BearerAccessProvider
  private let fileID: String

  /// Creates an issuer of bearer tokens.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - userID: The user ID that the permissions on the node refer to.
  ///   - fileID: The identifier of the folder or file that the transfers access.
  ///   - key: The private key whose public key is registered with the access key.
  ///   - lifetime: The lifetime of each token, in whole seconds.
  public init(
    accessKey: String, userID: String, fileID: String, key: NodeBearerKey, lifetime: Duration = .seconds(3_600)
  ) {
    access = BearerAccessProvider(accessKey: accessKey, userID: userID, key: key, lifetime: lifetime)
    self.fileID = fileID
  }

  /// Signs a bearer token, and returns it with the tags that the server requires.
  ///
  /// - Parameters:
  ///   - request: The transfer, and the reason why a token is needed.
  ///   - context: The context of the call.
  /// - Throws: A `CredentialError` if the key cannot sign a token or the lifetime is out of range.
  public func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let (bearerToken, issueTime) = try access.makeToken(at: context.time.now)
    do {
      let token = try AsperaToken(
        Secret(BearerText.prefix + bearerToken.secret.reveal()), expiration: bearerToken.claims.expiration)
      let specification = TransferSpec.naming(accessKey: access.accessKey, fileID: fileID)
      return IssuedCredential(
        TransferCredential(token: token, specification: specification), issuerTime: issueTime, source: source)
    } catch { throw CredentialError(.failed, source: source, error.message, remedy: error.remedy) }
  }

  /// A description that contains the issuer name.
  public var description: String { "BearerTokenIssuer(\(source))" }
}

extension TokenIssuer where Self == BearerTokenIssuer {
  /// Creates a token issuer that signs a bearer token for each transfer, with the parameters of ``BearerTokenIssuer``.
  public static func bearer(
    accessKey: String, userID: String, fileID: String, key: NodeBearerKey, lifetime: Duration = .seconds(3_600)
  ) -> BearerTokenIssuer {
    BearerTokenIssuer(accessKey: accessKey, userID: userID, fileID: fileID, key: key, lifetime: lifetime)
  }
}

/// A credential provider that creates short-lived bearer tokens for a Node API with an access key's private key.
///
/// The provider signs a new token on every request. Use a `CredentialCache` to store the token and refresh it before it
/// expires. This machine's clock must be accurate, because the node compares the expiration with its own clock.
///
/// ```swift
/// let access = CredentialCache(BearerAccessProvider(accessKey: "my_key", userID: "mia", key: key))
/// ```
public struct BearerAccessProvider: CredentialProvider, Redacted {
  /// The provider name that errors and events show.
  public var source: String { "bearer tokens of the access key \(accessKey)" }

  let accessKey: String
  private let userID: String
  private let role: String
  private let key: NodeBearerKey
  private let lifetime: Duration

  /// Creates a provider of bearer tokens.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - userID: The user ID that the permissions on the node refer to.
  ///   - role: The role in the token's scope: ``NodeScope/user`` or ``NodeScope/admin``.
  ///   - key: The private key whose public key is registered with the access key.
  ///   - lifetime: The lifetime of each token, in whole seconds.
  public init(
    accessKey: String, userID: String, role: String = NodeScope.user, key: NodeBearerKey,
    lifetime: Duration = .seconds(3_600)
  ) {
    self.accessKey = accessKey
    self.userID = userID
    self.role = role
    self.key = key
    self.lifetime = lifetime
  }

  /// Returns a credential with a newly signed bearer token, and the time at which the token's lifetime starts.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError` if the key cannot sign a token or the lifetime is out of range.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let (token, issueTime) = try makeToken(at: context.time.now)
    let method = AsperaNodeAccess.Method.bearer(token: token.secret, accessKey: accessKey)
    return IssuedCredential(AsperaNodeAccess(method, expiration: token.claims.expiration), issuerTime: issueTime)
  }

  /// The permitted token lifetimes in seconds: at most a year, beyond which a basic token is the better choice.
  private static let permittedSeconds: ClosedRange<Int64> = 1...31_536_000

  /// Returns a newly signed token, and the time at which its lifetime starts.
  func makeToken(at now: Timestamp) throws(CredentialError) -> (token: NodeBearerToken, issueTime: Timestamp) {
    let seconds = try RequestCheck(source: source).wholeSeconds(of: lifetime, in: Self.permittedSeconds)
    let issueTime = now.wholeSeconds
    let claims = NodeBearerClaims(
      userID: userID, scope: NodeScope(accessKey: accessKey, role: role),
      expiration: issueTime.advanced(by: .seconds(seconds)))
    do {
      return (try NodeBearerToken(claims, signedWith: key), issueTime)
    } catch { throw CredentialError(.failed, source: source, error.message, remedy: error.remedy) }
  }

  /// A description that contains the provider name.
  public var description: String { "BearerAccessProvider(\(source))" }
}
