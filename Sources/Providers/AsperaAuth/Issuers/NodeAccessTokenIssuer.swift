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
    let rejected = request.reason == .initial ? nil : latestGeneration.held(by: request.session)
    let cached = try await credential(replacing: rejected, from: access.cache(in: context))
    latestGeneration.record(cached.generation, heldBy: request.session)
    do {
      return IssuedCredential(try transferCredential(for: cached.credential), source: source)
    } catch { throw CredentialError(.rejected, source: source, error.message, remedy: error.remedy) }
  }

  private func credential(
    replacing rejected: CredentialGeneration?, from access: CredentialCache<AsperaNodeAccess>
  ) async throws(CredentialError) -> CachedCredential<AsperaNodeAccess> {
    do { return try await access.credential(lasting: margin, replacing: rejected) } catch {
      // Credentials whose lifetime is always shorter than the margin are used until they expire.
      guard error.code != .cancelled, let lastCredential = access.current(lasting: .seconds(1)),
        lastCredential.generation != rejected
      else { throw error }
      return lastCredential
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
    for (name, value) in specification?.fields ?? [:] {
      if name == "tags", let furtherTags = value.object, let requiredTags = issued.tags {
        issued.tags = TransferSpec.merged(furtherTags, requiredTags)
      } else {
        issued.fields[name] = value
      }
    }
    return TransferCredential(token: token, specification: issued)
  }

  /// A description that contains the issuer name and the folder ID.
  public var description: String { "NodeAccessTokenIssuer(\(source), file ID: \(fileID))" }
}

/// The generation of the most recent credential, and the sessions that hold this credential.
///
/// If the server rejects the credential of another session, that session gets the most recent one without a refresh.
private final class LatestGeneration: Sendable {
  private static let sessionLimit = 65_536

  private struct Holders {
    var generation: CredentialGeneration?
    var sessions: Set<String> = []
  }

  private let holders = Lock(Holders())

  func held(by session: String) -> CredentialGeneration? {
    holders.withLock { $0.sessions.contains(session) ? $0.generation : nil }
  }

  func record(_ generation: CredentialGeneration, heldBy session: String) {
    holders.withLock { holders in
      if holders.generation != generation || holders.sessions.count >= Self.sessionLimit {
        holders = Holders(generation: generation)
      }
      holders.sessions.insert(session)
    }
  }
}

extension TokenIssuer where Self == NodeAccessTokenIssuer {
  /// Creates a token issuer that uses the Node API's credential, with the parameters of ``NodeAccessTokenIssuer``.
  public static func access(
    _ access: some CredentialProvider<AsperaNodeAccess>, fileID: String
  ) -> NodeAccessTokenIssuer { NodeAccessTokenIssuer(access: access, fileID: fileID) }
}
