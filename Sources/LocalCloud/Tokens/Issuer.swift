internal import StorageAuth

/// Issues temporary keys for roles, and counts them.
struct Issuer: Sendable {
  let context: CloudContext
  private let roles: [LocalCloud.Role]
  private let fixedLifetime: Duration?

  init(_ services: LocalCloud.Services, _ context: CloudContext) {
    self.context = context
    roles = services.roles
    fixedLifetime = services.tokenLifetime
  }

  /// The first role of a cloud, which its app server and its instance have.
  func firstRole(of provider: LocalCloud.Provider) -> LocalCloud.Role? {
    roles.first { $0.provider == provider }
  }

  /// The role with a name.
  func role(_ arn: String) -> LocalCloud.Role? { roles.first { $0.arn == arn } }

  /// Whether the policy that a temporary key was asked for with lets its holder take a role; without that, a call of the
  /// token service would lead out of the policy.
  func lets(_ callerID: AccessKeyID, take role: LocalCloud.Role, at date: Timestamp) -> Bool {
    guard let provider = role.provider, let authority = context.keys.authority(of: callerID),
      let resource = provider.dialect.roleResource(role.arn)
    else { return false }
    let question = PolicyQuestion(
      action: "sts:AssumeRole", resource: resource, facts: provider.dialect.facts(at: date))
    return authority.allows(question)
  }

  /// The life of a key.
  ///
  /// - Parameters:
  ///   - text: What is asked for, in seconds; nothing if nobody asks.
  ///   - fallback: The life if nobody asks.
  ///   - limits: What may be asked for; a life that is set for all keys lifts them.
  /// - Returns: Nothing for what is no number or outside the limits.
  func lifetime(_ text: String?, default fallback: Int64, in limits: ClosedRange<Int64>) -> Duration? {
    guard let seconds = text.map({ Int64($0) }) ?? fallback else { return nil }
    if let fixedLifetime { return seconds > 0 ? fixedLifetime : nil }
    return limits.contains(seconds) ? .seconds(seconds) : nil
  }

  /// Issues a key.
  func issue(
    for provider: LocalCloud.Provider, role: LocalCloud.Role?, session: String, policy: SessionPolicy? = nil,
    lasting lifetime: Duration, by endpoint: LocalCloud.Endpoint, at date: Timestamp
  ) -> IssuedKey {
    let order = TokenTable.Order(
      provider: provider, role: role?.arn, sessionName: session, policy: policy, lifetime: lifetime)
    let key = context.keys.tokens.issue(order, at: date)
    context.counters.count(endpoint) { $0.issued += 1 }
    return IssuedKey(key, from: date.wholeSeconds, until: date.wholeSeconds.advanced(by: lifetime))
  }
}

/// A temporary key in clear, for the one answer that it goes out with.
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
