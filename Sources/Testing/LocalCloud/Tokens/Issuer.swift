// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// An issuer of temporary credentials for the simulated services.
struct Issuer: Sendable {
  let context: CloudContext
  private let roles: [LocalCloud.Role]
  private let fixedLifetime: Duration?

  init(_ services: LocalCloud.Services, _ context: CloudContext) {
    self.context = context
    roles = services.roles
    fixedLifetime = services.tokenLifetime
  }

  /// Returns the first configured role for a storage service, or `nil` if the service has no roles.
  ///
  /// The service's app server and instance metadata service use this role.
  func firstRole(of provider: LocalCloud.Provider) -> LocalCloud.Role? {
    roles.first { $0.provider == provider }
  }

  /// Returns the role with an ARN, or `nil` if no such role is configured.
  func role(_ arn: String) -> LocalCloud.Role? { roles.first { $0.arn == arn } }

  /// Returns whether the caller's permissions allow the caller to assume a role.
  ///
  /// Without this check, a temporary credential could obtain permissions beyond its session policy.
  func lets(_ callerID: AccessKeyID, take role: LocalCloud.Role, at date: Timestamp) -> Bool {
    guard let provider = role.provider, let authority = context.keys.authority(of: callerID),
      let resource = provider.service.behavior.roleResource(role.arn)
    else { return false }
    let facts = provider.service.policies.language.conditions.facts(at: date)
    let question = PolicyInput(action: "sts:AssumeRole", resource: resource, facts: facts)
    return authority.allows(question)
  }

  /// Returns the lifetime of a new temporary credential.
  ///
  /// - Parameters:
  ///   - text: The requested lifetime in seconds, or `nil` for the default lifetime.
  ///   - fallback: The default lifetime in seconds.
  ///   - limits: The allowed lifetimes in seconds; a configured fixed lifetime overrides them.
  /// - Returns: The lifetime, or `nil` if the requested lifetime is not an integer or not within the limits.
  func lifetime(_ text: String?, default fallback: Int64, in limits: ClosedRange<Int64>) -> Duration? {
    guard let seconds = text.map({ Int64(digits: $0) }) ?? fallback else { return nil }
    if let fixedLifetime { return seconds > 0 ? fixedLifetime : nil }
    return limits.contains(seconds) ? .seconds(seconds) : nil
  }

  /// Issues a temporary credential, and counts it in the statistics of an endpoint.
  ///
  /// - Parameters:
  ///   - provider: The storage service that accepts the credential.
  ///   - role: The assumed role, or `nil` if the credential has no role.
  ///   - session: The session name that the caller chose.
  ///   - policy: The session policy, or `nil` if the credential has all permissions.
  ///   - lifetime: The lifetime of the credential.
  ///   - endpoint: The endpoint that issues the credential.
  ///   - date: The current time.
  func issue(
    for provider: LocalCloud.Provider, role: LocalCloud.Role?, session: String, policy: SessionPolicy? = nil,
    lasting lifetime: Duration, by endpoint: LocalCloud.Endpoint, at date: Timestamp
  ) -> IssuedKey {
    let request = TokenTable.Order(
      provider: provider, role: role?.arn, sessionName: session, policy: policy, lifetime: lifetime)
    let key = context.keys.tokens.issue(request, at: date)
    context.counters.count(endpoint) { $0.issued += 1 }
    return IssuedKey(key, from: date.wholeSeconds, until: date.wholeSeconds.advanced(by: lifetime))
  }
}

/// An issued temporary credential with its secret in plain text, for the response to the client.
struct IssuedKey: Sendable {
  let id: String
  let secret: String
  let token: String
  let start: Timestamp
  let end: Timestamp

  init(_ key: AccessKey, from start: Timestamp, until end: Timestamp) {
    id = key.id.string
    secret = key.secret.reveal()
    token = key.sessionToken?.reveal() ?? ""
    self.start = start
    self.end = end
  }
}
