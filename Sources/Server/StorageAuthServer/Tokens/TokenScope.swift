// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The scope of a temporary key: its session name, its policy and its lifetime.
///
/// Callers with equal scopes receive the same key. If a policy has an expiration relative to the current time, it
/// differs in every request, so that each request costs a call to the token service. Limit the time with ``lifetime``
/// instead.
public struct TokenScope: Sendable, Hashable {
  /// The session name in the cloud's logs; all services accept letters, digits and `-_.@`.
  public var name: String

  /// The policy that limits the permissions of the key.
  public var policy: AccessPolicy

  /// The lifetime of the key in whole seconds, within the limits of the cloud.
  public var lifetime: Duration

  /// Creates a scope for temporary keys.
  ///
  /// - Parameters:
  ///   - name: The session name in the cloud's logs.
  ///   - policy: The policy that limits the permissions of the key.
  ///   - lifetime: The lifetime of the key in whole seconds.
  public init(_ name: String, _ policy: AccessPolicy, lifetime: Duration = .seconds(1800)) {
    self.name = name
    self.policy = policy
    self.lifetime = lifetime
  }

  /// Returns a Boolean value that indicates whether two scopes are equal, comparing their names byte by byte.
  public static func == (first: TokenScope, second: TokenScope) -> Bool {
    first.name.isIdentical(to: second.name) && first.policy == second.policy && first.lifetime == second.lifetime
  }
}

/// A request for a temporary key, with its caller and the scope that the app grants.
public struct KeyRequest: Sendable, Hashable {
  /// The user ID of the caller, for rate limits and the audit log.
  ///
  /// Do not use a user's name or address.
  public var caller: String

  /// The scope that the app grants to the caller.
  public var scope: TokenScope

  /// Creates a request for a temporary key.
  ///
  /// - Parameters:
  ///   - caller: The user ID of the caller, for rate limits and the audit log.
  ///   - scope: The scope that the app grants to the caller.
  public init(caller: String, scope: TokenScope) {
    self.caller = caller
    self.scope = scope
  }
}
