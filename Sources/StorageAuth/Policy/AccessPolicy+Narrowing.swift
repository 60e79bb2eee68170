// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension AccessPolicy {
  /// Returns a Boolean value that indicates whether the policy allows all that a rule allows.
  ///
  /// For each action of the rule, a single rule of the policy must allow it with at least the same objects, addresses,
  /// times, sizes and media types. Servers that let a client request fewer permissions than it has use it to check the
  /// requested rules.
  ///
  /// - Parameter rule: The requested rule.
  /// - Returns: `false` also for a rule without actions.
  public func allows(_ rule: AccessRule) -> Bool {
    !rule.actions.isEmpty && rule.actions.allSatisfy { action in rules.contains { $0.allows(action, of: rule) } }
  }
}

extension AccessRule {
  /// Returns whether this rule allows all that another rule allows of one action.
  fileprivate func allows(_ action: AccessAction, of other: AccessRule) -> Bool {
    guard other.bucket == bucket, actions.contains(action), objects.contains(other.objects) else { return false }
    if let end { guard let otherEnd = other.end, otherEnd <= end else { return false } }
    if let addresses {
      guard let others = other.addresses, others.allSatisfy({ one in addresses.contains { $0.contains(one) } }) else {
        return false
      }
    }
    guard action == .write else { return true }
    if let maximumSize { guard let size = other.maximumSize, size <= maximumSize else { return false } }
    if let contentTypes {
      guard let types = other.contentTypes, types.allSatisfy({ one in contentTypes.contains { $0.covers(one) } }) else {
        return false
      }
    }
    return true
  }
}

extension ObjectScope {
  /// Returns a Boolean value that indicates whether every key of another scope belongs to this scope.
  ///
  /// - Parameter other: The other scope.
  public func contains(_ other: ObjectScope) -> Bool {
    switch (self, other) {
    case (.all, _): true
    case (_, .all): self == .prefix("")
    case (_, .key(let key)): contains(key)
    case (.prefix(let prefix), .prefix(let longer)): longer.utf8.starts(with: prefix.utf8)
    case (.key, .prefix): false
    }
  }
}

extension String {
  /// Returns whether this media type of a rule includes all media types that another one includes.
  fileprivate func covers(_ other: String) -> Bool {
    let (own, other) = (lowercased(), other.asciiLowercased)
    return own == other || own.hasByteSuffix("/*") && other.hasBytePrefix(own.dropLast())
  }
}
