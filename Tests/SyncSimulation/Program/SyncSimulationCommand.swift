// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import SyncSimulation

/// Runs synchronizations over a simulated disk and simulated services, and fails on the first violations.
@main
struct SyncSimulationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-simulation",
    abstract: "Synchronize folders and stores in simulated worlds with faults, kills, races and hostile names.")

  @Option(help: "The number of schedules.")
  var schedules = 10_000

  @Option(help: "The seed of the first schedule; the others follow. A violation names its seed.")
  var seed: UInt64 = 1

  @Option(help: "The number of violations after which the program ends.")
  var violations = 5

  @Flag(help: "Print each run.")
  var log = false

  func run() throws {
    Schedule.prepare()
    let start = ContinuousClock.now
    var found = 0
    for index in 0..<UInt64(max(0, schedules)) {
      for violation in Schedule.run(seed: seed &+ index, log: log) {
        print("Violation: \(violation)")
        found += 1
      }
      if found >= violations { break }
    }
    let duration = ContinuousClock.now - start
    print("\(schedules) schedules from seed \(seed): \(found) violations in \(duration)")
    if found > 0 {
      print("Repeat one with: make sync-simulation SCHEDULES=1 SEED=… ARGUMENTS=--log")
      throw ExitCode.failure
    }
  }
}
