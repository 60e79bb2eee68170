// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The issuer of temporary credentials for the token services, the app server and the instance metadata service.
struct Issuer: Sendable {
  let context: CloudContext
  private let roles: [LocalCloud.Role]
  /// The lifetime of all credentials, or `nil` for the requested ones.
  let fixedLifetime: Duration?
  /// The OIDC identity tokens that callers can exchange for temporary credentials.
  private let identityTokens: [Secret]

  init(_ services: LocalCloud.Services, _ context: CloudContext) {
    self.context = context
    roles = services.roles
    fixedLifetime = services.tokenLifetime
    identityTokens = services.identityTokens
  }

  func trusts(_ identityToken: String) -> Bool { identityTokens.contains(Secret(identityToken)) }
  /// Returns the first role for a storage service, which its app server and its metadata service use.
  func firstRole(of provider: LocalCloud.Provider) -> LocalCloud.Role? { roles.first { $0.provider == provider } }

  /// Issues a temporary credential of a service's first role, or returns `nil` if there is no role.
  ///
  /// - Parameter defaultLifetime: The lifetime in seconds, unless the role allows only a shorter one.
  func issueForFirstRole(
    of provider: LocalCloud.Provider, session: String, lifetime defaultLifetime: Int64,
    by endpoint: LocalCloud.Endpoint, at date: Timestamp
  ) -> RevealedKey? {
    guard let role = firstRole(of: provider) else { return nil }
    let grantedLifetime = fixedLifetime ?? .seconds(min(defaultLifetime, role.maximumDuration.components.seconds))
    let request = TokenTable.Request(provider: provider, role: role, session: session, lifetime: grantedLifetime)
    return issue(request, by: endpoint, at: date)
  }

  func role(_ arn: String) -> LocalCloud.Role? { roles.first { $0.arn == arn } }

  /// Returns the access key of a caller, or `nil` if it is unknown or belongs to another account, which has no roles.
  func key(_ id: AccessKeyID, of provider: LocalCloud.Provider, at date: Timestamp) -> AccessKey? {
    guard context.keys.accountNumber(of: id) == SimulatedService.account else { return nil }
    return context.keys.key(id, of: provider, at: date)
  }

  /// Returns whether a role trusts the caller, and the caller's permissions allow it to assume the role.
  ///
  /// Without this check, a temporary credential could obtain permissions beyond its session policy.
  func allows(_ callerID: AccessKeyID, toAssume role: LocalCloud.Role?, at date: Timestamp) -> Bool {
    guard let role, role.trustedKeys?.contains(callerID) ?? true, let provider = role.provider,
      let authority = context.keys.authority(of: callerID),
      let resource = provider.service.behavior.roleResource(role.arn)
    else { return false }
    let facts = provider.service.policies.language.conditions.facts(at: date)
    return authority.allows(PolicyInput(action: "sts:AssumeRole", resource: resource, facts: facts))
  }

  func issue(_ request: TokenTable.Request, by endpoint: LocalCloud.Endpoint, at date: Timestamp) -> RevealedKey {
    let key = context.keys.tokens.issue(request, by: endpoint, at: date)
    context.counters.count(endpoint) { $0.issued += 1 }
    return RevealedKey(
      id: key.id.string, secret: key.secret.reveal(), token: key.sessionToken?.reveal() ?? "",
      start: date.wholeSeconds, expiration: date.wholeSeconds.advanced(by: request.lifetime))
  }
}

/// An issued temporary credential with its secret in plain text, for the response to the client.
struct RevealedKey: Sendable {
  let id, secret, token: String
  let start, expiration: Timestamp
}

enum RandomText {
  /// The letters and digits without those that look alike.
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")

  static func alphanumerics(_ count: Int) -> String {
    String((0..<count).map { _ in alphabet[Int.random(in: alphabet.indices)] })
  }

  static func base64(byteCount: Int) -> String { (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) }.base64 }
}
