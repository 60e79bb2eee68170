// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A type that stores used signatures, so that no signature is accepted twice.
///
/// Instances of a service that do not share a store, such as those with a ``MemoryReplayStore``, accept a signature
/// once each. A store limits the space of each owner, because the holder of a key can sign any number of requests.
public protocol ReplayStore: Sendable {
  /// Records that a signature was used.
  ///
  /// - Parameters:
  ///   - mark: The hash of the signature, which gives no access.
  ///   - owner: The owner whose quota the mark counts against: the access key ID, unless the guard has another rule.
  ///   - start: The first time at which the signature may have been accepted, for a store that may have lost its marks;
  ///     `nil` if it is not known.
  ///   - expiration: The last time at which the signature is accepted, after which the mark may be removed.
  ///   - date: The current time.
  /// - Returns: A verdict that tells whether the signature is new, was used before, or exceeds the owner's quota.
  /// - Throws: A ``StoreError`` if the store is out of reach or may have lost the mark, which refuses the request.
  func insert(
    _ mark: String, of owner: String, from start: Timestamp?, until expiration: Timestamp, at date: Timestamp
  ) async throws(StoreError) -> ReplayVerdict
}

/// The result of recording a signature in a replay store.
public enum ReplayVerdict: Sendable, Hashable {
  /// The signature was not used before, and is now recorded.
  case new
  /// The signature was used before, or may have been.
  case used
  /// The signature was not recorded, because it exceeds the owner's quota.
  case full
}

/// A replay store in memory, which stores a bounded number of used signatures until they expire.
///
/// The store never evicts signatures that are still valid. Instead, it limits each owner to as many signatures as there
/// is free space: one owner can fill half of the store, two owners a third each, and there is always space for another.
public final class MemoryReplayStore: ReplayStore {
  private struct State {
    var marks: Set<String> = []
    var countsByOwner: [ByteExactString: Int] = [:]
    var expirations = ExpiryQueue<Timestamp, (mark: String, owner: ByteExactString)>()
    var latestRemovedExpiration: Timestamp?

    mutating func removeMarks(expiredBefore date: Timestamp) {
      while let (expiration, (mark, owner)) = expirations.removeFirst(before: date) {
        latestRemovedExpiration = max(latestRemovedExpiration ?? expiration, expiration)
        marks.remove(mark)
        let count = (countsByOwner[owner] ?? 1) - 1
        countsByOwner[owner] = count == 0 ? nil : count
      }
    }
  }

  private let limit: Int
  private let limitPerOwner: Int
  private let state = Lock(State())

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
  /// The parameters are those of ``ReplayStore/insert(_:of:from:until:at:)``; the store has no use for the start.
  ///
  /// - Returns: A verdict that tells whether the signature is new, was used before, or exceeds the owner's quota.
  public func insert(
    _ mark: String, of owner: String, from start: Timestamp? = nil, until expiration: Timestamp, at date: Timestamp
  ) -> ReplayVerdict {
    let owner = ByteExactString(owner)
    return state.withLock { state in
      state.removeMarks(expiredBefore: date)
      // A mark that may have been removed before is valid again only if the clock was set back.
      guard !state.marks.contains(mark), state.latestRemovedExpiration.map({ expiration > $0 }) ?? true else {
        return .used
      }
      let count = state.countsByOwner[owner] ?? 0
      // No owner may have more marks than there is free space.
      guard count < min(limitPerOwner, limit - state.marks.count) else { return .full }
      state.marks.insert(mark)
      state.countsByOwner[owner] = count + 1
      state.expirations.insert((mark, owner), expiringAt: expiration)
      return .new
    }
  }
}

/// A priority queue whose first element expires first; inserting and removing take logarithmic time.
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

  /// Removes and returns the element that expires first, or returns `nil` if none expires before `date`.
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
