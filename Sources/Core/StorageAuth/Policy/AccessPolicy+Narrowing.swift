// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension AccessPolicy {
  /// Returns a Boolean value that indicates whether the policy allows everything that a rule allows.
  ///
  /// For each action of the given rule, a single rule of the policy must allow this action with at least the same
  /// objects, addresses, times, sizes and media types. Servers whose clients may request fewer permissions than they
  /// have use this method to check the requested rules.
  ///
  /// - Parameter rule: The requested rule.
  /// - Returns: The result of the comparison, which is `false` for a rule without actions.
  public func allows(_ rule: AccessRule) -> Bool {
    !rule.actions.isEmpty && rule.actions.allSatisfy { action in rules.contains { $0.allows(action, of: rule) } }
  }
}

extension AccessRule {
  /// Returns whether this rule allows everything that another rule allows for an action.
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
  /// Returns a Boolean value that indicates whether every key in another scope belongs to this scope.
  ///
  /// - Parameter other: The scope whose keys are compared.
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
  /// Returns whether this media type of a rule, such as `image/*`, includes all media types that another media type
  /// includes.
  fileprivate func covers(_ other: String) -> Bool {
    let (own, other) = (lowercased(), other.asciiLowercased)
    return own == other || own.hasByteSuffix("/*") && other.hasBytePrefix(own.dropLast())
  }
}
