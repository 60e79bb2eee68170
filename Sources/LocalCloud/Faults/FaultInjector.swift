internal import StorageAuth
internal import Synchronization

/// Decides which requests faults fall on.
final class FaultInjector: Sendable {
  private struct State {
    var faults: LocalCloud.Faults
    var counts: [LocalCloud.Endpoint: Int] = [:]
    var connections = 0
    var generator: SeededGenerator
  }

  private let state: Mutex<State>

  init(_ faults: LocalCloud.Faults) {
    state = Mutex(State(faults: faults, generator: SeededGenerator(faults.seed)))
  }

  /// The faults; the counts of an endpoint begin anew where its faults change, and the chances with the seed.
  var faults: LocalCloud.Faults {
    get { state.withLock { $0.faults } }
    set {
      state.withLock { state in
        for endpoint in LocalCloud.Endpoint.allCases where state.faults[endpoint] != newValue[endpoint] {
          state.counts[endpoint] = nil
        }
        if state.faults.transfers != newValue.transfers { state.connections = 0 }
        if state.faults.seed != newValue.seed { state.generator = SeededGenerator(newValue.seed) }
        state.faults = newValue
      }
    }
  }

  /// What is to happen to the next request of an endpoint.
  func plan(for endpoint: LocalCloud.Endpoint) -> FaultPlan {
    state.withLock { state in
      let count = state.counts[endpoint, default: 0] + 1
      state.counts[endpoint] = count
      var plan = FaultPlan()
      for fault in state.faults[endpoint] where fault.frequency.includes(count, &state.generator) { plan.add(fault) }
      return plan
    }
  }

  /// What is to happen to the next transfer; nothing if it may go well.
  func transferFault() -> LocalCloud.TransferFault? {
    state.withLock { state in
      state.connections += 1
      let count = state.connections
      // Every fault draws its chance, so that the order of the transfers alone decides.
      return state.faults.transfers.filter { $0.frequency.includes(count, &state.generator) }.first
    }
  }
}

/// What is to happen to one request.
struct FaultPlan: Sendable {
  private(set) var isEmpty = true
  private(set) var delayBefore = Duration.zero
  private(set) var delayAfter = Duration.zero

  /// The one fault that is not a delay.
  private(set) var main: LocalCloud.Fault?

  mutating func add(_ fault: LocalCloud.Fault) {
    isEmpty = false
    switch (fault.kind, fault.phase) {
    case (.delay(let duration), .before): delayBefore += duration
    case (.delay(let duration), .after): delayAfter += duration
    default: main = main ?? fault
    }
  }
}

extension LocalCloud.Fault.Frequency {
  /// Whether a fault falls on a request.
  ///
  /// - Parameters:
  ///   - count: The number of the request, from 1.
  ///   - generator: What chances are drawn from; a draw is made for every request, so that the order alone decides.
  fileprivate func includes(_ count: Int, _ generator: inout SeededGenerator) -> Bool {
    switch self {
    case .always: true
    case .every(let number): number > 0 && count.isMultiple(of: number)
    case .chance(let probability): Double.random(in: 0..<1, using: &generator) < probability
    case .first(let number): count <= number
    }
  }
}

/// Numbers that look like chance and are the same for the same seed (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
