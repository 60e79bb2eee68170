// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A limited number of values by keys, of which those that expire first are removed first.
final class ExpiringTable<Value: Sendable>: Sendable {
  private struct Entry {
    let value: Value
    let expiration: Timestamp
  }

  private let capacity: Int
  private let entries = Lock<[ByteExactString: Entry]>([:])

  init(capacity: Int) { self.capacity = capacity }

  /// Inserts a value, or returns `false` if the table already contains the key and it has not expired.
  @discardableResult
  func insert(_ value: Value, for key: String, until expiration: Timestamp, at date: Timestamp) -> Bool {
    let key = ByteExactString(key)
    return entries.withLock { entries in
      if let existing = entries[key], existing.expiration > date { return false }
      if entries.count >= capacity {
        entries = entries.filter { $0.value.expiration > date }
        if entries.count >= capacity {
          // Half of the entries are removed at once, so that they are rarely sorted.
          let latest = entries.sorted { $0.value.expiration > $1.value.expiration }.prefix(capacity / 2)
          entries = Dictionary(latest.map { ($0.key, $0.value) }) { first, _ in first }
        }
      }
      entries[key] = Entry(value: value, expiration: expiration)
      return true
    }
  }

  /// Returns the value of a key, also if it has expired, or `nil` if the table does not contain the key.
  func value(of key: String) -> Value? { entries.withLock { $0[ByteExactString(key)]?.value } }

  func contains(_ key: String, at date: Timestamp) -> Bool {
    entries.withLock { $0[ByteExactString(key)].map { $0.expiration > date } ?? false }
  }
}

/// A set of strings that are remembered until they expire.
typealias ExpiringSet = ExpiringTable<Void>

extension ExpiringSet {
  func insert(_ key: String, until expiration: Timestamp, at date: Timestamp) -> Bool {
    insert((), for: key, until: expiration, at: date)
  }
}

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

  func insert(_ value: Value, for key: Key) {
    state.withLock { state in
      if state.values.updateValue(value, forKey: key) == nil { state.order.append(key) }
      if state.order.count > capacity { state.values[state.order.removeFirst()] = nil }
    }
  }

  func remove(_ key: Key) {
    state.withLock { state in
      state.order.removeAll { $0 == key }
      state.values[key] = nil
    }
  }
}
