// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The state that all simulated services of one server share: keys, counters and faults.
struct CloudContext: Sendable {
  let keys: KeyRing
  let counters: Counters
  let injector: FaultInjector
  let feed = RequestFeed()
  /// The sender of callbacks, or `nil` if the server sends none.
  var callbacks: CallbackSender?
  private let machineClock: @Sendable () -> Timestamp
  private let sleep: @Sendable @concurrent (Duration) async throws -> Void

  init(_ configuration: LocalCloud.Configuration) {
    keys = KeyRing(configuration.accounts, TokenTable())
    counters = Counters()
    injector = FaultInjector(configuration.faults)
    machineClock = configuration.clock
    sleep = configuration.sleep
  }

  /// The current time according to the server's clock, which includes the injected clock offset.
  var now: Timestamp { machineClock().advanced(by: injector.faults.clockOffset) }

  /// Counts a request to an endpoint and returns the faults that are planned for the request.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint that received the request.
  ///   - record: The record of the request, or `nil` if the server is not observed.
  func open(_ endpoint: LocalCloud.Endpoint, _ record: RequestRecord?) -> Exchange {
    record?.arrived(at: endpoint)
    let plan = injector.plan(for: endpoint)
    counters.count(endpoint) { statistics in
      statistics.requests += 1
      if !plan.isEmpty { statistics.faults += 1 }
    }
    return Exchange(plan: plan, record: record, sleep: sleep)
  }
}
