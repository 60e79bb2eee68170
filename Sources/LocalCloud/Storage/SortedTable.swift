/// Values in the order of their keys.
///
/// Looking up costs the logarithm of the count; adding and removing move the entries behind, which for some ten thousand
/// keys is less than the file that goes with each of them.
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
      let isThere = index < keys.count && keys[index] == key
      switch (newValue, isThere) {
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

  /// The first index whose key satisfies a predicate that no key before it and every key after it satisfies as well.
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
