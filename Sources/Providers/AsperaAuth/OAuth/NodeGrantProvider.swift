// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A credential provider that requests the bearer tokens of a node from Aspera on Cloud.
///
/// Aspera on Cloud signs a node bearer token for the user, which contains the user's groups in the node's organization.
/// Requests to the Node API and transfers use the token together with the identifier of the access key.
///
/// ```swift
/// let access = CredentialCache(NodeGrantProvider(grants, accessKey: "my_key"))
/// ```
public struct NodeGrantProvider: CredentialProvider, Redacted {
  /// The provider name that errors and events show.
  public var source: String { "\(grants.source) for the access key \(scope.accessKey)" }

  private let grants: JWTGrantProvider
  private let scope: NodeScope

  /// Creates a provider of a node's bearer tokens.
  ///
  /// - Parameters:
  ///   - grants: A provider of access tokens from Aspera on Cloud, whose scope is replaced.
  ///   - accessKey: The identifier of the node's access key, as Aspera on Cloud reports it.
  ///   - role: The role in the token's scope: ``NodeScope/user`` or ``NodeScope/admin``.
  public init(_ grants: JWTGrantProvider, accessKey: String, role: String = NodeScope.user) {
    scope = NodeScope(accessKey: accessKey, role: role)
    self.grants = grants.requesting(scope: scope.description)
  }

  /// Requests a bearer token of the node, and returns it with the server's time.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`; see ``JWTGrantProvider/issue(in:)``. A token of another key is `malformedResponse`.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let issued = try await grants.issue(in: context)
    let token = issued.credential.token
    if let issuedScope = (try? NodeBearerToken(token))?.claims.scope, issuedScope != scope {
      throw CredentialError(
        .malformedResponse, source: source, "The token has another scope than the requested one.",
        remedy: "Check the access key of the node.")
    }
    return IssuedCredential(
      AsperaNodeAccess(.bearer(token: token, accessKey: scope.accessKey), expiration: issued.credential.expiration),
      issuerTime: issued.issuerTime, source: source)
  }

  /// A description that contains the provider name.
  public var description: String { "NodeGrantProvider(\(source))" }
}
