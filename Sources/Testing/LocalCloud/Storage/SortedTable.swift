// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A dictionary whose entries are ordered by key.
///
/// A lookup takes logarithmic time. Insertion and removal move all subsequent entries; with tens of thousands of keys,
/// this takes less time than the file operation that accompanies each change.
struct SortedTable<Key: Comparable & Sendable, Value: Sendable>: Sendable {
  private(set) var keys: [Key] = []
  private(set) var values: [Value] = []

  var count: Int { keys.count }

  var isEmpty: Bool { keys.isEmpty }

  subscript(_ key: Key) -> Value? {
    get {
      let index = firstIndex { $0 >= key }
      return index < keys.count && keys[index] == key ? values[index] : nil
    }
    set {
      let index = firstIndex { $0 >= key }
      let exists = index < keys.count && keys[index] == key
      switch (newValue, exists) {
      case (let value?, true):
        values[index] = value
      case (let value?, false):
        keys.insert(key, at: index)
        values.insert(value, at: index)
      case (nil, true):
        keys.remove(at: index)
        values.remove(at: index)
      case (nil, false):
        break
      }
    }
  }

  /// Returns the first index from `start` whose key satisfies a predicate, or the number of entries.
  ///
  /// The predicate must be false for all keys before that index and true for all keys after it.
  func firstIndex(from start: Int = 0, where predicate: (Key) -> Bool) -> Int {
    var low = start
    var high = keys.count
    while low < high {
      let middle = low + (high - low) / 2
      if predicate(keys[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
