// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// Values by the bytes of a text, which are remembered until they expire.
///
/// The number of values is limited; those that expire first are removed first.
final class ExpiringTable<Value: Sendable>: Sendable {
  private struct Entry {
    let value: Value
    let end: Timestamp
  }

  private let capacity: Int
  private let entries = Lock<[[UInt8]: Entry]>([:])

  init(capacity: Int) { self.capacity = capacity }

  /// Inserts a value, or returns `false` if the table already contains the text.
  @discardableResult
  func insert(_ value: Value, for text: String, until end: Timestamp, at date: Timestamp) -> Bool {
    let text = Array(text.utf8)
    return entries.withLock { entries in
      if let known = entries[text], known.end > date { return false }
      if entries.count >= capacity {
        entries = entries.filter { $0.value.end > date }
        if entries.count >= capacity {
          let rest = entries.sorted { $0.value.end > $1.value.end }.prefix(capacity / 2)
          entries = Dictionary(rest.map { ($0.key, $0.value) }) { first, _ in first }
        }
      }
      entries[text] = Entry(value: value, end: end)
      return true
    }
  }

  /// Returns the value of a text, also if it has expired, or `nil` if the table does not contain the text.
  func value(of text: String) -> Value? { entries.withLock { $0[Array(text.utf8)]?.value } }

  /// Returns whether the table contains a text that hasn't expired.
  func contains(_ text: String, at date: Timestamp) -> Bool {
    entries.withLock { $0[Array(text.utf8)].map { $0.end > date } ?? false }
  }
}

/// A set of strings that are remembered until they expire.
typealias ExpiringSet = ExpiringTable<Void>

extension ExpiringSet {
  func insert(_ text: String, until end: Timestamp, at date: Timestamp) -> Bool {
    insert((), for: text, until: end, at: date)
  }
}
