// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The scope of a temporary key: its session name, its policy and its lifetime.
///
/// Callers with equal scopes receive the same key. A policy with an expiration relative to the current time differs in
/// every request, so that each request costs a call to the token service; limit the time with ``lifetime`` instead.
public struct TokenScope: Sendable, Hashable {
  /// The session name in the cloud's logs; letters, digits and `-_.@` are accepted by all services.
  public var name: String

  /// The policy of the key.
  public var policy: AccessPolicy

  /// The lifetime of the key in whole seconds; the cloud has its own limits.
  public var lifetime: Duration

  /// Creates a scope.
  ///
  /// - Parameters:
  ///   - name: The session name in the cloud's logs.
  ///   - policy: The policy of the key.
  ///   - lifetime: The lifetime of the key in whole seconds.
  public init(_ name: String, _ policy: AccessPolicy, lifetime: Duration = .seconds(1800)) {
    self.name = name
    self.policy = policy
    self.lifetime = lifetime
  }

  /// Returns whether two scopes are equal; names are compared byte for byte.
  public static func == (first: TokenScope, second: TokenScope) -> Bool {
    first.name.isIdentical(to: second.name) && first.policy == second.policy && first.lifetime == second.lifetime
  }
}

/// A request for a key, with its caller and the scope that the app grants.
public struct KeyRequest: Sendable, Hashable {
  /// The caller, for rate limits and the audit log: the user's ID, not a name or an address.
  public var caller: String

  /// The scope that the app grants.
  public var scope: TokenScope

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - caller: The caller, for rate limits and the audit log.
  ///   - scope: The scope that the app grants.
  public init(caller: String, scope: TokenScope) {
    self.caller = caller
    self.scope = scope
  }
}
