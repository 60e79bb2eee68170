extension AccessPolicy {
  /// Whether all that a rule allows is allowed here already, by one rule for each of its actions.
  ///
  /// Servers that let a client ask for less than it may have check with it what the client asks for.
  public func allows(_ rule: AccessRule) -> Bool {
    !rule.actions.isEmpty && rule.actions.allSatisfy { action in rules.contains { $0.allows(action, of: rule) } }
  }
}

extension AccessRule {
  /// Whether what another rule allows of one action is allowed here too.
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
  /// Whether every key of another scope is one of these.
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
  /// Whether a media type of a rule stands for all that another one stands for.
  fileprivate func covers(_ other: String) -> Bool {
    let (own, other) = (lowercased(), other.asciiLowercased)
    return own == other || own.hasByteSuffix("/*") && other.hasBytePrefix(own.dropLast())
  }
}
