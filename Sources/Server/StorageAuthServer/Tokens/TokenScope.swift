// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The scope of a temporary key: its session name, its policy and its lifetime.
///
/// Callers with equal scopes receive the same key. A policy with an expiration relative to the current time differs in
/// every request, so that each request costs a call to the token service. Limit the time with ``lifetime`` instead.
public struct TokenScope: Sendable, Hashable {
  /// The session name in the cloud's logs; all services accept letters, digits and `-_.@`.
  public var name: String
  /// The policy that limits the permissions of the key.
  public var policy: AccessPolicy
  /// The lifetime of the key in whole seconds, within the limits of the cloud.
  public var lifetime: Duration

  /// Creates a scope; the parameters are the properties.
  public init(_ name: String, _ policy: AccessPolicy, lifetime: Duration = .seconds(1800)) {
    self.name = name
    self.policy = policy
    self.lifetime = lifetime
  }

  /// Returns whether two scopes are equal, comparing their names byte by byte.
  public static func == (first: TokenScope, second: TokenScope) -> Bool {
    first.name.isIdentical(to: second.name) && first.policy == second.policy && first.lifetime == second.lifetime
  }

  /// The SHA-256 of every part of the scope in hexadecimal, with which a store names the scope in all instances.
  public var digest: String {
    SHA256.hash(writing: { writer in
      writer.append(part: name)
      writer.append(parts: lifetime.exactParts)
      for rule in policy.rules { writer.append(rule) }
    }).hex
  }
}

/// A request for a temporary key, with its caller and the scope that the app grants.
public struct KeyRequest: Sendable, Hashable {
  /// The user ID of the caller, not a name or an address, for rate limits and the audit log.
  public var caller: String
  /// The scope that the app grants to the caller.
  public var scope: TokenScope

  /// Creates a request for a temporary key; the parameters are the properties.
  public init(caller: String, scope: TokenScope) {
    self.caller = caller
    self.scope = scope
  }
}

extension ByteWriter {
  /// Appends a string after its length, so that different lists of strings never have the same bytes.
  mutating func append(part text: String) {
    append(Int64(text.utf8.count))
    append("\n")
    append(text)
  }

  /// Appends a list of strings after its length, or the length -1 for `nil`.
  fileprivate mutating func append(parts texts: [String]?) {
    append(part: "\(texts?.count ?? -1)")
    for text in texts ?? [] { append(part: text) }
  }

  fileprivate mutating func append(_ rule: AccessRule) {
    append(parts: rule.actions.map(\.rawValue).sorted())
    switch rule.objects {
    case .all: append(parts: ["all"])
    case .prefix(let prefix): append(parts: ["prefix", prefix])
    case .key(let key): append(parts: ["key", key])
    }
    append(part: rule.bucket)
    append(parts: rule.maximumSize.map { ["\($0)"] })
    append(parts: rule.contentTypes)
    append(parts: rule.addresses.map { $0.map(\.description) })
    append(parts: rule.end.map { Timestamp(unixSeconds: 0).duration(to: $0).exactParts })
  }
}

extension Duration {
  /// The seconds and the attoseconds; the description of a duration is rounded, and can be equal for two durations.
  fileprivate var exactParts: [String] {
    let (seconds, attoseconds) = components
    return ["\(seconds)", "\(attoseconds)"]
  }
}
