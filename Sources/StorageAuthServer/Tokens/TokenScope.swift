/// What a temporary key is for: whose it is, what it may do, how long it lives.
///
/// Callers with equal scopes get the same key. A policy that ends at a time counted from now is another one in every
/// request, so that each costs a call of the token service: let ``lifetime`` end it.
public struct TokenScope: Sendable, Hashable {
  /// Who acts, for the logs of the cloud; letters, digits and `-_.@` are taken everywhere.
  public var name: String

  /// What the key may do.
  public var policy: AccessPolicy

  /// How long the key lives, in whole seconds; the cloud has its own limits.
  public var lifetime: Duration

  /// Describes a scope.
  ///
  /// - Parameters:
  ///   - name: Who acts, for the logs of the cloud.
  ///   - policy: What the key may do.
  ///   - lifetime: How long the key lives, in whole seconds.
  public init(_ name: String, _ policy: AccessPolicy, lifetime: Duration = .seconds(1800)) {
    self.name = name
    self.policy = policy
    self.lifetime = lifetime
  }

  /// Whether two are the same; names are compared byte for byte.
  public static func == (first: TokenScope, second: TokenScope) -> Bool {
    first.name.isIdentical(to: second.name) && first.policy == second.policy && first.lifetime == second.lifetime
  }
}

/// A request for a key: who asks, and what the app lets them have.
public struct KeyRequest: Sendable, Hashable {
  /// Who asks, for rates and the audit log: the user's id, not a name or an address.
  public var caller: String

  /// What they get.
  public var scope: TokenScope

  /// Puts a decision together.
  ///
  /// - Parameters:
  ///   - caller: Who asks, for rates and the audit log.
  ///   - scope: What they get.
  public init(caller: String, scope: TokenScope) {
    self.caller = caller
    self.scope = scope
  }
}
