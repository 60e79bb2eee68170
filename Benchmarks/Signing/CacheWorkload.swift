// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

/// A way to read a cache that holds a valid credential, or a mutex for comparison.
struct CacheWorkload {
  let name: String
  let about: String
  /// Whether the way is compared with others instead of having a goal.
  var isComparison = false
  /// The greatest number of instructions of one call.
  let instructionBudget: Int
  /// A function that calls the given number of times, in one task.
  let calls: @Sendable (Int) async -> Void

  /// The number of concurrent tasks in the contended measurement.
  static let tasks = 64

  /// The duration of a batch in nanoseconds; the cost of starting its tasks is small in comparison.
  static let batch = 2_000_000

  /// Calls the given number of times, and waits.
  func act(_ count: Int) {
    Self.wait { [calls] in await calls(count) }
  }

  /// Calls the given number of times from many concurrent tasks, and waits.
  func crowd(_ count: Int) {
    Self.wait { [calls] in
      await withTaskGroup { group in
        for _ in 0..<Self.tasks { group.addTask { await calls(count / Self.tasks) } }
      }
    }
  }

  /// Returns the allocations of one call, or `nil` if they cannot be counted.
  func allocations() -> Double? {
    guard let many = Measurement.allocations(of: { act(1000) }), let none = Measurement.allocations(of: { act(0) })
    else { return nil }
    return many > none ? ((many - none) / 10).rounded() / 100 : 0
  }

  private static func wait(_ work: @escaping @Sendable () async -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      await work()
      isDone.signal()
    }
    isDone.wait()
  }
}

extension CacheWorkload {
  static func all(_ input: Inputs) -> [CacheWorkload] {
    let end = Timestamp.now.advanced(by: .seconds(30 * 86_400))
    let cache = CredentialCache(
      AccessKey(id: input.ossID, secret: input.ossSecret, sessionToken: input.token, expiration: end))
    let byHand = KeyByHand(AccessKey(id: input.ossID, secret: input.ossSecret, sessionToken: input.token))
    let counter = Counter()
    return [
      CacheWorkload(name: "C1", about: "current()", instructionBudget: 600) { count in
        for _ in 0..<count { take(cache.current()) }
      },
      CacheWorkload(name: "C2", about: "credential()", instructionBudget: 900) { count in
        for _ in 0..<count { take(try? await cache.credential()) }
      },
      CacheWorkload(name: "C3", about: "clock and lock", isComparison: true, instructionBudget: .max) { count in
        for _ in 0..<count { take(byHand.key()) }
      },
      CacheWorkload(name: "C4", about: "lock", isComparison: true, instructionBudget: .max) { count in
        for _ in 0..<count { take(counter.next()) }
      },
    ]
  }

  /// A key and its expiration behind a mutex: the minimum that a cache must do.
  private final class KeyByHand: Sendable {
    private let held: Lock<(key: AccessKey, end: ContinuousClock.Instant)>

    init(_ key: AccessKey) { held = Lock((key, .now + .seconds(86_400))) }

    func key() -> AccessKey? {
      let now = ContinuousClock.now
      return held.withLock { $0.end > now ? $0.key : nil }
    }
  }

  /// A number behind a mutex.
  private final class Counter: Sendable {
    private let number = Lock(0)

    func next() -> Int {
      number.withLock { number in
        number &+= 1
        return number
      }
    }
  }
}

/// A measurement of all ways to read the cache next to a bare mutex, in one run.
struct CacheMeasurement {
  private static let repetitions = 150

  /// The greatest ratios of a call's time to that of a manually stored key behind a mutex, which also reads the clock.
  ///
  /// A lone call is compared by the first percentiles, and a contended one by the medians: in its fastest batches, only one
  /// thread ran.
  private static let goal = (alone: 1.8, crowded: 2.0)

  private let workloads: [CacheWorkload]
  private let alone: [Measurement]
  private let crowded: [Measurement]

  init(_ inputs: Inputs) throws {
    workloads = CacheWorkload.all(inputs)
    let measured = try Measurement.interleaved(
      repetitions: Self.repetitions, lasting: CacheWorkload.batch,
      workloads.flatMap { workload in [workload.act, workload.crowd] })
    alone = workloads.indices.map { measured[2 * $0] }
    crowded = workloads.indices.map { measured[2 * $0 + 1] }
  }

  /// Prints a line for each way.
  ///
  /// - Returns: The goals that were missed, without or with contention.
  func report() -> [String] {
    StandardStream.print(
      """

      Nanoseconds of processor time for one call of a warm cache: the first percentile of \(Self.repetitions) batches, and the \
      median; alone, and from \(CacheWorkload.tasks) tasks on \(ProcessInfo.processInfo.activeProcessorCount) cores.
      call                alone   median   by C3   goal   many: median   by C3   goal  allocations   many by C4
      """)
    let byHand = (alone: alone[alone.count - 2], crowded: crowded[crowded.count - 2])
    let bare = crowded[crowded.count - 1]
    var problems: [String] = []
    for (index, workload) in workloads.enumerated() {
      let aloneRatio = alone[index].firstPercentile / byHand.alone.firstPercentile
      let crowdedRatio = crowded[index].median / byHand.crowded.median
      let isSlow = !workload.isComparison && (aloneRatio > Self.goal.alone || crowdedRatio > Self.goal.crowded)
      if isSlow {
        problems.append(
          """
          \(workload.name): \(aloneRatio.text(2)) times a key behind a mutex, and \(crowdedRatio.text(2)) times from many \
          tasks; the goals are \(Self.goal.alone) and \(Self.goal.crowded).
          """)
      }
      let goal = workload.isComparison ? nil : Self.goal
      StandardStream.print(
        "\(workload.name) \(workload.about)".padded(to: 18), alone[index].firstPercentile.column(0, width: 6),
        alone[index].median.column(0, width: 8), aloneRatio.column(2, width: 7),
        goal?.alone.column(1, width: 6) ?? "      ", crowded[index].median.column(0, width: 14),
        crowdedRatio.column(2, width: 7), goal?.crowded.column(1, width: 6) ?? "      ",
        workload.allocations()?.column(1, width: 12) ?? " not counted",
        (crowded[index].median / bare.median).column(1, width: 12), isSlow ? "  ABOVE ITS GOAL" : "")
    }
    return problems
  }

  /// Checks only the allocations.
  static func check(_ inputs: Inputs) throws {
    StandardStream.print("warm cache:")
    for workload in CacheWorkload.all(inputs) {
      guard let allocations = workload.allocations() else {
        StandardStream.print("\(workload.name) \(workload.about): allocations cannot be counted on this system")
        continue
      }
      guard allocations == 0 else {
        throw BenchmarkError("\(workload.name): \(allocations) allocations for one call, budget 0.")
      }
      StandardStream.print("\(workload.name) \(workload.about): \(allocations) allocations of 0")
    }
  }
}
