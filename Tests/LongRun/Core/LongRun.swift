internal import LocalCloud
public import StorageClient

/// A cloud where much goes wrong, clients whose clock is wrong too, and many transfers, each of which has to succeed.
///
/// Tokens live for five seconds and some of them not even that, one answer in ten is an error or does not arrive, also of
/// the token services, and the clock of the clients is 20 minutes fast in the first half and 20 minutes slow in the second.
/// In the end the cloud is asked what it has.
public struct LongRun: Sendable {
  /// How much is done, and how fast time passes.
  public struct Plan: Sendable {
    /// The number of objects that are uploaded and downloaded again.
    public var transfers: Int
    /// How many at once at each store.
    public var tasks: Int
    /// The right clock.
    public var time: any SigningClock
    /// Called after each transfer; steps the clock in a test.
    public var tick: @Sendable () -> Void
    /// How long the clients wait before they try again.
    public var retryDelay: Duration
    /// Whether the token services fail as well; then clients wait, which a clock that is only stepped does not let them.
    public var hasFailingTokenServices: Bool

    /// Plans a run.
    public init(
      transfers: Int, tasks: Int, time: any SigningClock = .system, retryDelay: Duration = .milliseconds(20),
      hasFailingTokenServices: Bool = true, tick: @escaping @Sendable () -> Void = {}
    ) {
      self.transfers = transfers
      self.tasks = tasks
      self.time = time
      self.retryDelay = retryDelay
      self.hasFailingTokenServices = hasFailingTokenServices
      self.tick = tick
    }
  }

  /// The storage services, which fail and are counted.
  static let services: [LocalCloud.Endpoint] = [.oss, .cos, .s3]

  private let plan: Plan

  /// Plans a run.
  public init(_ plan: Plan) {
    self.plan = plan
  }

  /// Runs.
  ///
  /// - Returns: What happened, and what should not have.
  public func run() async throws -> Report {
    let cloud = try await LocalCloud.start(configuration)
    do {
      let report = try await run(on: cloud)
      await cloud.stop()
      return report
    } catch {
      await cloud.stop()
      throw error
    }
  }

  private func run(on cloud: LocalCloud) async throws -> Report {
    let clock = WrongClock(plan.time)
    let stores = try Store.all(on: cloud, time: clock, retryDelay: plan.retryDelay)
    let tally = Tally(stores)
    let start = plan.time.uptime
    for (phase, offset) in [Duration.seconds(1200), .seconds(-1200)].enumerated() {
      clock.offset = offset
      await withTaskGroup(of: Void.self) { group in
        for (number, store) in stores.enumerated() {
          for task in 0..<plan.tasks {
            let worker = Worker(
              name: "\(phase)/\(store.name)/\(task)", store: store, seed: UInt64(phase * 1000 + number * 100 + task),
              tick: plan.tick)
            group.addTask { [share] in await worker.move(share, tally) }
          }
        }
      }
    }
    cloud.faults = LocalCloud.Faults()
    var report = Report(duration: plan.time.uptime - start)
    report.count(tally, cloud, stores)
    try await report.check(tally, cloud, stores, time: plan.time)
    return report
  }

  /// How many objects one task moves in one phase.
  private var share: Int {
    let workers = 2 * Store.count * plan.tasks
    return (plan.transfers + workers - 1) / workers
  }

  private var configuration: LocalCloud.Configuration {
    var faults = LocalCloud.Faults(requestsPerToken: 25, seed: 3)
    for endpoint in Self.services {
      faults[endpoint] = [
        .serverError(status: 500, .chance(0.04), .before),
        .serverError(status: Store.lossStatus, .chance(0.03), .after),
        .disconnect(.chance(0.01), .after), .cut(afterBytes: 5000, .chance(0.02)),
      ]
    }
    for endpoint in [LocalCloud.Endpoint.sts, .appServer] where plan.hasFailingTokenServices {
      faults[endpoint] = [
        .serverError(status: 500, .chance(0.05), .before), .disconnect(.chance(0.02), .before),
        .cut(afterBytes: 40, .chance(0.02)), .malformed(.chance(0.01)),
      ]
    }
    return LocalCloud.Configuration(
      accounts: [.init(Store.permanent)], buckets: [Store.bucket], isStrict: true,
      services: .init(tokenLifetime: .seconds(5)), faults: faults, clock: { [time = plan.time] in time.now })
  }
}
