// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A table of limited size, which loses its oldest entry if there are too many.
final class LimitedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    var values: [Key: Value] = [:]
    var order: [Key] = []
  }

  private let capacity: Int
  private let state = Lock(State())

  init(capacity: Int) { self.capacity = capacity }

  subscript(key: Key) -> Value? { state.withLock { $0.values[key] } }

  /// Inserts a value, which replaces an earlier one of its key.
  func insert(_ value: Value, for key: Key) {
    state.withLock { state in
      if state.values.updateValue(value, forKey: key) == nil { state.order.append(key) }
      if state.order.count > capacity { state.values[state.order.removeFirst()] = nil }
    }
  }

  /// Removes and returns the value of a key, or returns `nil` if there is none.
  @discardableResult
  func remove(_ key: Key) -> Value? {
    state.withLock { state in
      state.order.removeAll { $0 == key }
      return state.values.removeValue(forKey: key)
    }
  }
}
