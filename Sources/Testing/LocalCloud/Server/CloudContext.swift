// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The objects that all simulated services of one server share.
struct CloudContext: Sendable {
  let configuration: LocalCloud.Configuration
  let keys: KeyRing
  let counters = Counters()
  let injector: FaultInjector
  let feed = RequestFeed()
  let callbacks: CallbackSender?

  init(_ configuration: LocalCloud.Configuration, _ callbacks: CallbackSender? = nil) {
    (self.configuration, self.callbacks) = (configuration, callbacks)
    keys = KeyRing(configuration.accounts)
    injector = FaultInjector(configuration.faults)
  }

  /// The current time according to the server's clock, which includes the injected clock offset.
  var now: Timestamp { configuration.clock().advanced(by: injector.faults.clockOffset) }

  /// Counts a request to an endpoint, and plans its faults; `record` is `nil` if the server is not observed.
  func beginExchange(at endpoint: LocalCloud.Endpoint, _ record: RequestRecord?) -> Exchange {
    record?.note { $0.endpoint = endpoint }
    let plan = injector.plan(for: endpoint)
    counters.count(endpoint) { statistics in
      statistics.requests += 1
      if !plan.isEmpty { statistics.faults += 1 }
    }
    return Exchange(plan: plan, record: record, sleep: configuration.sleep)
  }
}

/// The access keys of all accounts and all issued temporary credentials.
struct KeyRing: Sendable {
  private let accounts: [AccessKeyID: LocalCloud.Account]
  let accountNumbers: Set<String>
  let tokens = TokenTable()

  init(_ accounts: [LocalCloud.Account]) {
    self.accounts = Dictionary(accounts.map { ($0.key.id, $0) }) { first, _ in first }
    accountNumbers = Set(self.accounts.values.compactMap(\.number) + [SimulatedService.account])
  }

  /// Returns an access key, or `nil` if it is unknown, disabled, or of another service; a lookup with a limit is a use.
  func key(
    _ id: AccessKeyID, of provider: LocalCloud.Provider, at date: Timestamp, counting limit: TokenTable.UseLimit? = nil
  ) -> AccessKey? {
    if let account = accounts[id] { return account.isDisabled ? nil : account.key }
    return tokens.key(id, of: provider, at: date, counting: limit)
  }

  func authority(of id: AccessKeyID) -> Authority? {
    if let account = accounts[id] { return account.isDisabled ? nil : .everything }
    return tokens.authority(of: id)
  }

  /// Returns the number of the account to which a key belongs; issued keys belong to the server's own account.
  func accountNumber(of id: AccessKeyID) -> String { accounts[id]?.number ?? SimulatedService.account }

  /// The access keys of all accounts, including disabled ones.
  var accountKeys: [AccessKey] { accounts.values.map(\.key) }

  func isDisabled(_ id: AccessKeyID) -> Bool { accounts[id]?.isDisabled == true }
}
