// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The state that all simulated services of one server share: keys, counters and faults.
struct CloudContext: Sendable {
  let configuration: LocalCloud.Configuration
  let keys: KeyRing
  let counters = Counters()
  let injector: FaultInjector
  let feed = RequestFeed()
  var callbacks: CallbackSender?
  private let machineClock: @Sendable () -> Timestamp
  let sleep: @Sendable @concurrent (Duration) async throws -> Void

  init(_ configuration: LocalCloud.Configuration) {
    self.configuration = configuration
    keys = KeyRing(configuration.accounts)
    injector = FaultInjector(configuration.faults)
    machineClock = configuration.clock
    sleep = configuration.sleep
  }

  /// The current time according to the server's clock, which includes the injected clock offset.
  var now: Timestamp { machineClock().advanced(by: injector.faults.clockOffset) }

  /// Counts a request to an endpoint, and plans its faults; `record` is `nil` if the server is not observed.
  func open(_ endpoint: LocalCloud.Endpoint, _ record: RequestRecord?) -> Exchange {
    record?.noteEndpoint(endpoint)
    let plan = injector.plan(for: endpoint)
    counters.count(endpoint) { statistics in
      statistics.requests += 1
      if !plan.isEmpty { statistics.faults += 1 }
    }
    return Exchange(plan: plan, record: record, sleep: sleep)
  }

  /// Performs a request to an API, with the faults that come after the operation, and counts its error.
  ///
  /// - Parameters:
  ///   - status: The status of an injected error that replaces the operation, or `nil` to carry out the operation.
  ///   - failureCode: The error code for an error that is not the client's.
  ///   - refusal: A closure that returns the API's response for an error.
  func answer(
    _ exchange: Exchange, _ status: Int?, by endpoint: LocalCloud.Endpoint, at date: Timestamp, failureCode: String,
    refusal: (ErrorResponse) -> Answer, _ perform: () async throws -> Answer
  ) async throws -> Answer {
    var response: Answer
    if let status {
      response = refusal(.injected(status))
    } else {
      do {
        response = try await perform()
      } catch {
        let error = ErrorResponse(of: error, failureCode: failureCode)
        counters.refused(error.code, by: endpoint)
        exchange.record?.noteRefusal(error.code, error.message)
        response = refusal(error)
      }
      if let status = try await exchange.end(&response) { response = refusal(.injected(status)) }
    }
    response.headers[.date] = date.httpDate
    response.headers[.server] = "localcloud"
    return response
  }
}
