// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import Synchronization

/// A replay store in memory, which stores a bounded number of used signatures until they expire.
///
/// The store never evicts signatures that are still valid. Instead, it limits each owner to as many signatures as there
/// is free space: a single owner can fill half of the store, two owners can fill a third each, and there is always
/// space for another owner. A store that is full for one owner remains usable for others.
public final class MemoryReplayStore: ReplayStore {
  /// The type of an owner's ID: its UTF-8 bytes.
  ///
  /// Canonically equivalent strings are therefore different owners.
  private typealias Owner = [UInt8]

  private struct State {
    var marks: Set<String> = []
    var counts: [Owner: Int] = [:]
    var ends = ExpiryQueue<Timestamp, (mark: String, owner: Owner)>()
    /// The latest expiration among the removed marks, or `nil` if no mark has been removed.
    var horizon: Timestamp?

    /// Removes the marks that expired before a time.
    ///
    /// The cost of a removal is incurred once per mark.
    mutating func forget(before date: Timestamp) {
      while let (end, (mark, owner)) = ends.removeFirst(before: date) {
        horizon = max(horizon ?? end, end)
        marks.remove(mark)
        let count = (counts[owner] ?? 1) - 1
        counts[owner] = count == 0 ? nil : count
      }
    }

    /// Returns whether a mark may have been removed before.
    ///
    /// Such a mark is valid again only if the clock was set back.
    func mayHaveForgotten(markEndingAt end: Timestamp) -> Bool { horizon.map { end <= $0 } ?? false }
  }

  private let limit: Int
  private let limitPerOwner: Int
  private let state = Mutex(State())

  /// Creates an empty replay store.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of signatures in the store.
  ///   - limitPerOwner: An additional maximum number of signatures per owner, or `nil` for no additional limit.
  public init(limit: Int = 100_000, limitPerOwner: Int? = nil) {
    self.limit = max(1, limit)
    self.limitPerOwner = limitPerOwner ?? .max
  }

  /// The number of stored signatures.
  public var count: Int { state.withLock { $0.marks.count } }

  /// Records that a signature was used.
  ///
  /// - Parameters:
  ///   - mark: The hash of the signature.
  ///   - owner: The owner whose quota the mark counts against.
  ///   - start: The first time at which the signature may have been accepted; the store has no use for it.
  ///   - end: The last time at which the signature is accepted.
  ///   - date: The current time.
  /// - Returns: A verdict that tells whether the signature is new, was used before, or exceeds the owner's quota.
  public func insert(
    _ mark: String, of owner: String, from start: Timestamp? = nil, until end: Timestamp, at date: Timestamp
  ) -> ReplayVerdict {
    let owner = Owner(owner.utf8)
    return state.withLock { state in
      state.forget(before: date)
      guard !state.marks.contains(mark), !state.mayHaveForgotten(markEndingAt: end) else { return .used }
      let count = state.counts[owner] ?? 0
      guard count < min(limitPerOwner, limit - state.marks.count) else { return .full }
      state.marks.insert(mark)
      state.counts[owner] = count + 1
      state.ends.insert((mark, owner), expiringAt: end)
      return .new
    }
  }
}

/// A priority queue of elements that is sorted by expiration, with the earliest first.
///
/// Inserting an element and removing the first element take logarithmic time in the number of elements, for any input.
struct ExpiryQueue<Instant: Comparable, Element> {
  typealias Entry = (instant: Instant, element: Element)

  /// A binary heap, in which each entry expires no later than its two children.
  private var heap: [Entry] = []

  var count: Int { heap.count }

  /// Adds an element with its expiration.
  mutating func insert(_ element: Element, expiringAt instant: Instant) {
    var index = heap.count
    heap.append((instant, element))
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[index].instant < heap[parent].instant else { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  /// Removes and returns the element that expires first.
  ///
  /// - Returns: The element with its expiration, or `nil` if no element expires before `date`.
  mutating func removeFirst(before date: Instant) -> Entry? {
    guard let first = heap.first, first.instant < date else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while true {
      var least = index
      for child in (2 * index + 1)...(2 * index + 2) where child < heap.count {
        if heap[child].instant < heap[least].instant { least = child }
      }
      guard least != index else { return first }
      heap.swapAt(index, least)
      index = least
    }
  }
}
