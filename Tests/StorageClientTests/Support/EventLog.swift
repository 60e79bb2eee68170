// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageClient

/// Records the events of a client.
final class EventLog: Sendable {
  let events: EventHub
  private let collected = Collected<AuthEvent>()
  private let observation: EventHub.Observation

  init() {
    SecretWatch.install()
    events = EventHub()
    observation = events.observe { [collected] in collected.append($0) }
  }

  var all: [AuthEvent] { collected.values }

  var signatures: [AuthEvent.Signature] {
    all.compactMap { if case .signed(let signature) = $0 { signature } else { nil } }
  }

  var retries: [AuthEvent.Retry] {
    all.compactMap { if case .retry(let retry) = $0 { retry } else { nil } }
  }

  var skews: [AuthEvent.Skew] {
    all.compactMap { if case .skew(let skew) = $0 { skew } else { nil } }
  }

  var transfers: [AuthEvent.Transfer] {
    all.compactMap { if case .transfer(let transfer) = $0 { transfer } else { nil } }
  }

  var refreshes: [AuthEvent.Refresh.Outcome] {
    all.compactMap { if case .refresh(let refresh) = $0 { refresh.outcome } else { nil } }
  }
}
