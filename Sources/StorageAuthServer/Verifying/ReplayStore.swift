public import StorageAuth
internal import Synchronization

/// Remembers signatures that were used, so that none counts twice.
///
/// The default keeps them in memory. Instances of a service that share nothing each accept a signature once; put a store
/// behind this protocol that they share where that is too often.
public protocol ReplayStore: Sendable {
  /// Takes a mark in.
  ///
  /// - Parameters:
  ///   - mark: What stands for the signature: a hash, no secret.
  ///   - end: When the signature stops being valid, so that it may be forgotten.
  ///   - date: The present.
  /// - Returns: What was known of it.
  func insert(_ mark: String, until end: Timestamp, at date: Timestamp) async throws -> ReplayVerdict
}

/// What a store of used signatures says of one.
public enum ReplayVerdict: Sendable, Hashable {
  /// It was not used before.
  case new
  /// It was used before.
  case used
  /// The store is full of signatures that are still valid; nothing can be said.
  case full
}

/// Remembers used signatures in memory, up to a number; what has ended is forgotten.
///
/// When it is full it says so instead of forgetting what is still valid: only holders of a key can fill it.
public final class MemoryReplayStore: ReplayStore {
  private struct State {
    var ends: [String: Timestamp] = [:]
    /// The earliest instant at which one of them may be forgotten.
    var earliest: Timestamp?
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Makes a store.
  ///
  /// - Parameter limit: The most signatures that are remembered.
  public init(limit: Int = 100_000) {
    self.limit = max(1, limit)
  }

  /// How many signatures are remembered.
  public var count: Int { state.withLock { $0.ends.count } }

  /// Takes a mark in.
  public func insert(_ mark: String, until end: Timestamp, at date: Timestamp) -> ReplayVerdict {
    state.withLock { state in
      if let known = state.ends[mark], known >= date { return .used }
      if state.ends.count >= limit, let earliest = state.earliest, earliest < date {
        state.ends = state.ends.filter { $0.value >= date }
        state.earliest = state.ends.values.min()
      }
      guard state.ends.count < limit else { return .full }
      state.ends[mark] = end
      state.earliest = min(state.earliest ?? end, end)
      return .new
    }
  }
}
