// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A priority queue of elements that is sorted by expiration, with the earliest first.
///
/// Inserting an element and removing the first element take logarithmic time in the number of elements, for any input.
struct ExpiryQueue<Expiration: Comparable, Element> {
  typealias Entry = (expiration: Expiration, element: Element)

  /// A binary heap, in which each entry expires no later than its two children.
  private var heap: [Entry] = []

  mutating func insert(_ element: Element, expiringAt expiration: Expiration) {
    var index = heap.count
    heap.append((expiration, element))
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[index].expiration < heap[parent].expiration else { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  /// Removes and returns the element that expires first, or returns `nil` if no element expires before `date`.
  mutating func removeFirst(before date: Expiration) -> Entry? {
    guard let first = heap.first, first.expiration < date else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while true {
      var earliest = index
      for child in (2 * index + 1)...(2 * index + 2) where child < heap.count {
        if heap[child].expiration < heap[earliest].expiration { earliest = child }
      }
      guard earliest != index else { return first }
      heap.swapAt(index, earliest)
      index = earliest
    }
  }
}
