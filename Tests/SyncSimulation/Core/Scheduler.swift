// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A generator of random numbers that a seed determines.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x632B_E59B_D9B4_E019
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns `true` in the given number of a thousand cases.
  mutating func permille(_ chance: Int) -> Bool { Int.random(in: 0..<1000, using: &self) < chance }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }
}

/// Runs all tasks of the process on one thread, in an order that a seed determines.
///
/// The runtime passes each job that has no executor of its own to a hook. No other code may run tasks meanwhile.
enum Scheduler {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// Something that can go on.
  private enum Step {
    case job(UnownedJob)
    case pause(UnsafeContinuation<Void, Never>)
  }

  private final class Queue: TaskExecutor, @unchecked Sendable {
    var steps: [Step] = []

    func enqueue(_ job: consuming ExecutorJob) { steps.append(.job(UnownedJob(job))) }
  }

  private final class Box<Result>: @unchecked Sendable {
    var result: Result?
  }

  private static let queue = Queue()

  /// Installs the hook.
  static func install() {
    guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
      fatalError("The runtime of Swift has no hook for jobs.")
    }
    symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in Scheduler.queue.steps.append(.job(job)) }
  }

  /// Lets other tasks go on first, possibly.
  ///
  /// `Task.yield()` bypasses the hook in a task without a preferred executor.
  static func pause() async {
    await withUnsafeContinuation { queue.steps.append(.pause($0)) }
  }

  /// Runs a closure and everything that it starts to the end.
  ///
  /// - Parameters:
  ///   - dice: The generator that selects the next job.
  ///   - limit: The number of jobs after which the closure counts as endless.
  ///   - body: The closure.
  /// - Returns: The result, or `nil` if the closure waits for ever or needs more jobs than the limit.
  static func run<Result: Sendable>(
    _ dice: inout Dice, limit: Int, _ body: @escaping @Sendable () async -> Result
  ) -> Result? {
    let box = Box<Result>()
    queue.steps.removeAll()
    Task(executorPreference: queue) { box.result = await body() }
    var count = 0
    while box.result == nil, !queue.steps.isEmpty, count < limit {
      switch queue.steps.remove(at: Int.random(in: 0..<queue.steps.count, using: &dice)) {
      case .job(let job): job.runSynchronously(on: queue.asUnownedTaskExecutor())
      case .pause(let continuation): continuation.resume()
      }
      count += 1
    }
    return box.result
  }
}
