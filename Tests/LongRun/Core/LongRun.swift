// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import LocalCloud
public import StorageClient

/// A long run of many transfers, each of which must succeed, against a cloud with many faults and with clients whose
/// clocks are wrong.
///
/// Tokens expire after five seconds or earlier. One response in ten is an error or lost, including those of the token
/// services. The clients' clocks are 20 minutes fast in the first half and 20 minutes slow in the second. At the end
/// the state of the cloud is checked.
public struct LongRun: Sendable {
  /// The amount of work and the passage of time.
  public struct Plan: Sendable {
    /// The number of objects that are uploaded and downloaded.
    public var transfers: Int
    /// The number of concurrent tasks per store.
    public var tasks: Int
    /// The correct clock.
    public var time: any SigningClock
    /// The transport of the clients and of the credential providers.
    public var transport: any HTTPTransport
    /// Called after each transfer; advances the clock in a test.
    public var tick: @Sendable () -> Void
    /// The clients' retry delay.
    public var retryDelay: Duration
    /// Whether the token services fail as well; clients then wait for a backoff, which a stepped clock does not
    /// support.
    public var hasFailingTokenServices: Bool

    /// Creates a plan.
    public init(
      transfers: Int, tasks: Int, time: any SigningClock = .system, retryDelay: Duration = .milliseconds(20),
      hasFailingTokenServices: Bool = true, transport: any HTTPTransport = .platformDefault,
      tick: @escaping @Sendable () -> Void = {}
    ) {
      self.transfers = transfers
      self.tasks = tasks
      self.time = time
      self.retryDelay = retryDelay
      self.hasFailingTokenServices = hasFailingTokenServices
      self.transport = transport
      self.tick = tick
    }
  }

  /// The storage services, which have faults and statistics.
  static let services: [LocalCloud.Endpoint] = [.oss, .cos, .s3]

  private let plan: Plan

  /// Creates a long run.
  public init(_ plan: Plan) {
    self.plan = plan
  }

  /// Runs all transfers and checks the result.
  ///
  /// - Returns: The counts and the violations.
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
    let stores = try Store.all(on: cloud, over: plan.transport, time: clock, retryDelay: plan.retryDelay)
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
    try await report.check(tally, cloud, stores, over: plan.transport, time: plan.time)
    return report
  }

  /// The number of objects that one task transfers in one phase.
  private var share: Int {
    let workers = 2 * Store.count * plan.tasks
    return (plan.transfers + workers - 1) / workers
  }

  private var configuration: LocalCloud.Configuration {
    var faults = LocalCloud.Faults(requestsPerCredential: 25, seed: 3)
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
    var configuration = LocalCloud.Configuration(
      accounts: [.init(Store.permanent)], buckets: [Store.bucket], isStrict: true,
      services: .init(tokenLifetime: .seconds(5)), faults: faults, clock: { [time = plan.time] in time.now })
    configuration.allowsSmallParts = true
    return configuration
  }
}
