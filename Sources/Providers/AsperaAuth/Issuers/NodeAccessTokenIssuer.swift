// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A token issuer that authorizes transfers with the credential of the Node API: a bearer token or an access key.
///
/// No setup request is necessary. The server identifies the files by tags in the specification, which contain the
/// access key and the ID of the folder that the paths are relative to. A rejected bearer token is refreshed.
///
/// ```swift
/// let issuer = NodeAccessTokenIssuer(access: cache, fileID: "42")
/// ```
public struct NodeAccessTokenIssuer: TokenIssuer, Redacted {
  /// The issuer name that errors and events show.
  public let source = "credential of the node"

  private let access: NodeAccessCache
  private let fileID: String
  private let specification: TransferSpec?
  private let margin: Duration
  private let latestGeneration = LatestGeneration()

  /// Creates an issuer of tokens for the transfers below one folder.
  ///
  /// - Parameters:
  ///   - access: The provider of the credentials, which is used directly if it is a `CredentialCache`, or else cached.
  ///   - fileID: The ID of the folder that the paths of the transfers are relative to.
  ///   - specification: Further fields of issued specifications. If `nil`, `xfer` on the account's server.
  ///   - margin: The time for which a bearer token must remain valid when a session starts. If the provider returns
  ///     only credentials with a shorter lifetime, they are used until they expire.
  public init(
    access: some CredentialProvider<AsperaNodeAccess>, fileID: String, specification: TransferSpec? = nil,
    margin: Duration = .seconds(120)
  ) {
    self.access = NodeAccessCache(access)
    self.fileID = fileID
    self.specification = specification
    self.margin = margin
  }

  /// Returns the credential as a token, with the tags that the server requires.
  ///
  /// - Parameters:
  ///   - request: The transfer, and the reason why a token is needed.
  ///   - context: The context of the call.
  /// - Throws: A `CredentialError` if there is no valid credential, or only the password of a node user.
  public func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let rejectedGeneration = request.reason == .initial ? nil : latestGeneration.held(bySession: request.session)
    let cached = try await credential(from: access.cache(in: context), replacing: rejectedGeneration)
    latestGeneration.record(cached.generation, heldBySession: request.session)
    do {
      return IssuedCredential(
        try transferCredential(for: cached.credential),
        issuerTime: cached.issued(at: context.time.uptime).issuerTime, source: source)
    } catch { throw CredentialError(.rejected, source: source, error.message, remedy: error.remedy) }
  }

  private func credential(
    from cache: CredentialCache<AsperaNodeAccess>, replacing rejectedGeneration: CredentialGeneration?
  ) async throws(CredentialError) -> CachedCredential<AsperaNodeAccess> {
    do {
      return try await cache.credential(lasting: margin, replacing: rejectedGeneration)
    } catch {
      // Credentials whose lifetime is always shorter than the margin are used until they expire.
      guard error.code != .cancelled, let cached = cache.current(lasting: .seconds(1)),
        cached.generation != rejectedGeneration
      else { throw error }
      return cached
    }
  }

  private func transferCredential(for access: AsperaNodeAccess) throws(AsperaError) -> TransferCredential {
    let token: AsperaToken
    switch access.method {
    case .bearer(let secret, _):
      token = try AsperaToken(
        Secret(BearerText.prefix + BearerText.withoutPrefix(secret.reveal())), expiration: access.expiration)
    case .accessKey(let id, let secret): token = try .basic(accessKey: id, secret: secret)
    case .basic(let user, _):
      throw AsperaError(
        .unsupported, "The node user \(user) has a password, which authorizes no transfers by file ID.",
        remedy: "Use an access key or a bearer token, or request transfer tokens from the node.")
    }
    var issued = TransferSpec.naming(accessKey: access.identity, fileID: fileID)
    let requiredTags = issued.tags
    for (name, value) in specification?.fields ?? [:] { issued.fields[name] = value }
    // The caller's tags are added to those by which the server checks the token, and do not replace them.
    if let requiredTags { issued.tags = TransferSpec.merged(issued.tags ?? [:], requiredTags) }
    return TransferCredential(token: token, specification: issued)
  }

  /// A description that contains the issuer name and the folder ID.
  public var description: String { "NodeAccessTokenIssuer(\(source), file ID: \(fileID))" }
}

/// The generation of the most recent credential, and the sessions that hold this credential.
///
/// If the server rejects the credential of another session, that session gets the most recent one without a refresh.
private final class LatestGeneration: Sendable {
  /// The maximum number of remembered sessions; a forgotten one may get the rejected credential once more.
  private static let sessionLimit = 65_536

  private let holders = Lock<(generation: CredentialGeneration?, sessionIDs: Set<String>)>((nil, []))

  /// Returns the generation if the session holds it, so that a rejection concerns it, or `nil`.
  func held(bySession id: String) -> CredentialGeneration? {
    holders.withLock { $0.sessionIDs.contains(id) ? $0.generation : nil }
  }

  func record(_ generation: CredentialGeneration, heldBySession id: String) {
    holders.withLock { holders in
      if holders.generation != generation || holders.sessionIDs.count >= Self.sessionLimit {
        holders = (generation, [])
      }
      holders.sessionIDs.insert(id)
    }
  }
}

extension TokenIssuer where Self == NodeAccessTokenIssuer {
  /// Creates a token issuer that uses the Node API's credential, with the parameters of ``NodeAccessTokenIssuer``.
  public static func access(
    _ access: some CredentialProvider<AsperaNodeAccess>, fileID: String
  ) -> NodeAccessTokenIssuer { NodeAccessTokenIssuer(access: access, fileID: fileID) }
}
