public import StorageAuth
internal import Synchronization

/// Remembers used signatures in memory, up to a number, each until it ends.
///
/// Nothing that is still valid is forgotten to make room. Instead, an owner may hold as many signatures as there is room
/// left for everybody: one owner alone can take up half of the store, two a third each, and there is always room for the
/// next one. What is full for one owner is open to the others.
public final class MemoryReplayStore: ReplayStore {
  /// The bytes of an owner's name: two spellings are two owners.
  private typealias Owner = [UInt8]

  private struct State {
    var marks: Set<String> = []
    var counts: [Owner: Int] = [:]
    var ends = ExpiryQueue<Timestamp, (mark: String, owner: Owner)>()
    /// The latest end among the marks that were forgotten.
    var horizon: Timestamp?

    /// Forgets what has ended before an instant: each mark costs this once.
    mutating func forget(before date: Timestamp) {
      while let (end, (mark, owner)) = ends.removeFirst(before: date) {
        horizon = max(horizon ?? end, end)
        marks.remove(mark)
        let count = (counts[owner] ?? 1) - 1
        counts[owner] = count == 0 ? nil : count
      }
    }

    /// Whether a mark may be one that was forgotten: a clock that was set back makes it valid again.
    func mayHaveForgotten(markEndingAt end: Timestamp) -> Bool { horizon.map { end <= $0 } ?? false }
  }

  private let limit: Int
  private let limitPerOwner: Int
  private let state = Mutex(State())

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - limit: The most signatures that are remembered.
  ///   - limitPerOwner: The most signatures of one owner, below what the room that is left allows; `nil` for no other
  ///     limit.
  public init(limit: Int = 100_000, limitPerOwner: Int? = nil) {
    self.limit = max(1, limit)
    self.limitPerOwner = limitPerOwner ?? .max
  }

  /// The number of signatures that are remembered.
  public var count: Int { state.withLock { $0.marks.count } }

  /// Records that a signature was used.
  public func insert(
    _ mark: String, of owner: String, until end: Timestamp, at date: Timestamp
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
