// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The selection of the injected faults for each request and each Aspera transfer.
final class FaultInjector: Sendable {
  private struct State {
    var faults: LocalCloud.Faults
    var requestCounts: [LocalCloud.Endpoint: Int] = [:]
    var connectionCount = 0
    var generator: SeededGenerator
  }

  private let state: Lock<State>

  init(_ faults: LocalCloud.Faults) { state = Lock(State(faults: faults, generator: SeededGenerator(faults.seed))) }

  /// The configured faults.
  ///
  /// New faults of an endpoint restart its count of requests, new transfer faults the count of connections, and a new
  /// seed the random numbers.
  var faults: LocalCloud.Faults {
    get { state.withLock { $0.faults } }
    set {
      state.withLock { state in
        for endpoint in LocalCloud.Endpoint.allCases where state.faults[endpoint] != newValue[endpoint] {
          state.requestCounts[endpoint] = nil
        }
        if state.faults.transfers != newValue.transfers { state.connectionCount = 0 }
        if state.faults.seed != newValue.seed { state.generator = SeededGenerator(newValue.seed) }
        state.faults = newValue
      }
    }
  }

  /// Counts a request to an endpoint, and returns the faults that apply to it.
  func plan(for endpoint: LocalCloud.Endpoint) -> FaultPlan {
    state.withLock { state in
      let count = state.requestCounts[endpoint, default: 0] + 1
      state.requestCounts[endpoint] = count
      var plan = FaultPlan()
      for fault in state.faults[endpoint] where fault.frequency.includes(count, &state.generator) { plan.add(fault) }
      return plan
    }
  }

  /// Counts a connection of a transfer, and returns the fault that applies to it, or `nil`.
  func transferFault() -> LocalCloud.TransferFault? {
    state.withLock { state in
      state.connectionCount += 1
      let count = state.connectionCount
      // All faults are evaluated, so that each `chance` fault draws one random number for every connection.
      return state.faults.transfers.filter { $0.frequency.includes(count, &state.generator) }.first
    }
  }
}

struct FaultPlan: Sendable {
  private(set) var isEmpty = true
  private(set) var delayBefore = Duration.zero
  private(set) var delayAfter = Duration.zero
  /// The first planned fault that is not a delay, or `nil` if only delays are planned.
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
  /// Returns whether a fault applies to the request with a number from 1 on; a `chance` draws a random number.
  fileprivate func includes(_ requestNumber: Int, _ generator: inout SeededGenerator) -> Bool {
    switch self {
    case .always: true
    case .every(let period): period > 0 && requestNumber.isMultiple(of: period)
    case .chance(let probability): Double.random(in: 0..<1, using: &generator) < probability
    case .first(let count): requestNumber <= count
    }
  }
}

/// A generator of pseudorandom numbers (SplitMix64) that returns the same sequence for the same seed.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
