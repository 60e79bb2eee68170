// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A dictionary whose entries are ordered by key, with lookups in logarithmic time.
///
/// Insertion and removal move all subsequent entries, which takes less time than a file operation even with tens of
/// thousands of keys.
struct SortedTable<Key: Comparable & Sendable, Value: Sendable>: Sendable {
  private(set) var keys: [Key] = []
  private(set) var values: [Value] = []

  var count: Int { keys.count }
  var isEmpty: Bool { keys.isEmpty }

  subscript(_ key: Key) -> Value? {
    get { values[range(of: key)].first }
    set {
      let range = range(of: key)
      keys.replaceSubrange(range, with: newValue == nil ? [] : [key])
      values.replaceSubrange(range, with: newValue.map { [$0] } ?? [])
    }
  }

  /// Returns a range with the index of a key, or an empty range at the index where a new key belongs.
  private func range(of key: Key) -> Range<Int> {
    let index = keys.firstSortedIndex { $0 >= key }
    return index..<(index < keys.count && keys[index] == key ? index + 1 : index)
  }
}

extension Array {
  /// Returns the first index from `start` whose element satisfies a predicate, or the number of elements.
  ///
  /// The predicate must be false for all elements before that index and true for all elements after it.
  func firstSortedIndex(from start: Int = 0, where predicate: (Element) -> Bool) -> Int {
    var (low, high) = (start, count)
    while low < high {
      let middle = low + (high - low) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
