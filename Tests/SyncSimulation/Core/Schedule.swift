// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageClient
import SystemPackage

/// Some synchronizations of one world, after which no file may be lost, exchanged or touched outside.
public struct Schedule {
  /// A broken promise, with the seed that repeats it.
  public struct Violation: CustomStringConvertible {
    /// The seed of the schedule.
    public let seed: UInt64

    /// The description of the broken promise.
    public let text: String

    /// The seed and what went wrong.
    public var description: String { "seed \(seed): \(text)" }
  }

  private let seed: UInt64
  let world: World
  private var found: [String] = []
  private let log: Bool

  /// The faults and the other programs of a run.
  struct Circumstances {
    var faults = 0
    var disturbances = 0
    var killAfter: Int?
    var runsTwice = false
    var lie: Service.Lie?
    var liesAboutSource = true
    var sourceIndex = 0

    /// Whether the run has no faults and is alone.
    var isCalm: Bool { isQuiet && !runsTwice }

    /// Whether two runs at once are all that can go wrong.
    var areTwoCalmRuns: Bool { isQuiet && runsTwice }

    private var isQuiet: Bool { faults == 0 && disturbances == 0 && killAfter == nil && lie == nil }
  }

  enum Outcome: Sendable {
    case report(SyncReport)
    case failure(any Error)
  }

  /// Prepares the process for schedules: all tasks run on the calling thread from now on.
  public static func prepare() { Scheduler.install() }

  /// Runs the schedule of a seed, and returns its violations.
  public static func run(seed: UInt64, log: Bool = false) -> [Violation] {
    var schedule = Schedule(seed: seed, log: log)
    schedule.run()
    return schedule.found.map { Violation(seed: seed, text: $0) }
  }

  private init(seed: UInt64, log: Bool) {
    self.seed = seed
    self.log = log
    world = World(seed: seed)
  }

  private mutating func run() {
    let count = world.roll(1...3)
    var index = 0
    for _ in 0..<count {
      var circumstances = Circumstances()
      index = world.roll(0...1)
      circumstances.sourceIndex = index
      world.targetIndex = world.roll(0...1)
      if world.roll(300) { circumstances.faults = 60 }
      if world.roll(350) { circumstances.disturbances = 60 }
      if world.roll(350) { circumstances.killAfter = world.roll(1...160) }
      if world.roll(150) { circumstances.runsTwice = true }
      if world.roll(150) {
        circumstances.lie = world.lie()
        circumstances.liesAboutSource = world.roll(500)
      }
      step(circumstances)
      world.disk.now += Int64(world.roll(0...3))
    }
    finish(index)
  }

  /// Synchronizes without faults, after which both sides must be equal, and a second time, which must be idle.
  private mutating func finish(_ index: Int) {
    world.disk.now += 2
    var circumstances = Circumstances()
    circumstances.sourceIndex = index
    guard case .report(let first)? = step(circumstances) else { return }
    guard first.isComplete else { return }
    world.disk.now += 2
    guard case .report(let second)? = step(circumstances) else {
      return report("the second run failed after a complete one")
    }
    let changes = second.created + second.updated + second.deleted
    let isComparable =
      world.options.comparison == .sizeAndTime || world.options.comparison == .checksum && world.target.hasChecksums
    if isComparable, changes > 0 { report("the second run changed \(changes) entries") }
  }

  mutating func report(_ text: String) { found.append(text) }

  // MARK: A run

  @discardableResult
  private mutating func step(_ circumstances: Circumstances) -> Outcome? {
    let index = circumstances.sourceIndex
    world.sourceHistory = [:]
    world.targetWrites = [:]
    world.disturbedSource = []
    world.disturbedTarget = []
    world.record(index)
    let before = (source: world.source(index), target: world.targetSnapshot, outside: world.outside)
    for service in world.services + world.targets { service.begin(nil) }
    if let lie = circumstances.lie {
      (circumstances.liesAboutSource ? world.services[index] : world.target).begin(lie)
    }
    let processes = (0..<(circumstances.runsTwice ? 2 : 1)).map { _ in SimulatedFiles(world.disk) }
    for process in processes {
      process.callsToLive = circumstances.killAfter
      process.disturb = disturbance(circumstances)
    }
    let runs = processes.map { synchronization($0, circumstances) }
    var dice = Dice(seed: UInt64(world.roll(0...Int.max - 1)))
    let outcomes = Scheduler.run(&dice, limit: 60_000) {
      await withTaskGroup(of: Outcome.self) { group in
        for run in runs {
          group.addTask {
            do { return .report(try await run.run()) } catch { return .failure(error) }
          }
        }
        return await group.reduce(into: [Outcome]()) { $0.append($1) }
      }
    }
    let isKilled = processes.contains(where: \.isKilled)
    for process in processes { process.kill() }
    guard let outcomes else {
      report("a run does not end: \(circumstances)")
      return nil
    }
    if log { print("\(circumstances)\n  \(world.direction) \(world.options)\n  \(outcomes)") }
    check(outcomes, of: processes, before, circumstances, isKilled: isKilled)
    return outcomes.first
  }

  private func disturbance(_ circumstances: Circumstances) -> () throws(Errno) -> Void {
    let world = world
    return { () throws(Errno) in
      if world.roll(circumstances.disturbances / 4) { world.disturb(circumstances.sourceIndex) }
      if world.roll(circumstances.faults / 4) { throw world.roll(500) ? .ioError : .noSpace }
    }
  }

  private func synchronization(_ process: SimulatedFiles, _ circumstances: Circumstances) -> FolderSync {
    let world = world
    func store(_ service: Service, _ port: Int) -> any ObjectStore {
      let connection = Connection(service, process)
      connection.fault = { world.roll(circumstances.faults) ? world.fault() : nil }
      let configuration = StorageClientConfiguration(
        partsInFlight: 2, multipartThreshold: 100_000, partSize: 100 * 1024, keysPerPage: 3, attempts: 2,
        retryDelay: .zero)
      let endpoint = "http://127.0.0.1:\(port)"
      if world.isCOS {
        return StorageClient(
          .cos(bucket: service.bucket, region: "ap-guangzhou", endpoint: endpoint), credentials: .anonymous,
          configuration: configuration, transport: connection, time: world.clock)
      }
      return StorageClient(
        .oss(bucket: service.bucket, region: "cn-hangzhou", endpoint: endpoint), credentials: .anonymous,
        configuration: configuration, transport: connection, time: world.clock)
    }
    let folder = SyncLocation.folder(World.rootPath, in: process)
    let sourceStore = store(world.services[circumstances.sourceIndex], 9001 + circumstances.sourceIndex)
    let source = SyncLocation.objects(in: sourceStore, below: world.prefix.text)
    let target = SyncLocation.objects(
      in: world.isNested ? sourceStore : store(world.target, 9011 + world.targetIndex),
      below: world.targetPrefix.text)
    var options = world.options
    if world.direction == .down { options.stateFolder = nil }
    switch world.direction {
    case .up: return FolderSync(from: folder, to: target, options: options, in: process)
    case .down: return FolderSync(from: source, to: folder, options: options, in: process)
    case .between: return FolderSync(from: source, to: target, options: options, in: process)
    }
  }
}
