internal import Synchronization

/// What a store keeps as long as its client and the copies of it live: one value of each type.
final class StoreMemory: Sendable {
  private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])

  /// The value that is kept, or a new one that is kept from now on.
  func value<Value: Sendable>(_ make: () throws -> Value) rethrows -> Value {
    let type = ObjectIdentifier(Value.self)
    if let kept = values.withLock({ $0[type] }) as? Value { return kept }
    // Two at once may make one each; the first one stays.
    let made = try make()
    return values.withLock { values in
      if let kept = values[type] as? Value { return kept }
      values[type] = made
      return made
    }
  }
}
