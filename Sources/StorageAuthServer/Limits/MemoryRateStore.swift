internal import Synchronization

/// Counts in memory, for a bounded number of callers.
///
/// For each caller one instant is kept: when all that it used is given back. Callers for whom that has passed are
/// forgotten; if there is room for no more, those go whose instant is nearest, which lets them ask sooner than they should.
public final class MemoryRateStore: RateStore {
  /// The bytes of an id: two spellings of a letter are two callers.
  private typealias Caller = [UInt8]

  private let limit: Int
  private let restored = Mutex<[Caller: Duration]>([:])

  /// Makes a store.
  ///
  /// - Parameter limit: For how many callers there is room.
  public init(limit: Int = 100_000) {
    self.limit = max(1, limit)
  }

  /// How many callers are remembered.
  public var count: Int { restored.withLock { $0.count } }

  /// Counts a request.
  public func take(_ caller: String, limit rate: RateLimit, at uptime: Duration) async -> Duration? {
    let caller = Caller(caller.utf8)
    return restored.withLock { restored in
      let free = max(restored[caller] ?? uptime, uptime) + rate.interval
      let excess = free - uptime - rate.interval * rate.burst
      guard excess <= .zero else { return excess }
      if restored[caller] == nil, restored.count >= limit { Self.makeRoom(&restored, at: uptime, limit) }
      restored[caller] = free
      return nil
    }
  }

  /// Makes room for an eighth of the callers, so that it is rare.
  private static func makeRoom(_ restored: inout [Caller: Duration], at uptime: Duration, _ limit: Int) {
    restored = restored.filter { $0.value > uptime }
    let excess = restored.count - (limit - max(1, limit / 8))
    guard excess > 0 else { return }
    for (caller, _) in restored.sorted(by: { $0.value < $1.value }).prefix(excess) { restored[caller] = nil }
  }
}
