// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageClient

/// Records the events of a client.
package final class EventLog: Sendable {
  package let events: EventHub
  private let collected = Collected<AuthEvent>()
  private let observation: EventHub.Observation

  package init() {
    SecretWatch.install()
    events = EventHub()
    observation = events.observe { [collected] in collected.append($0) }
  }

  package var all: [AuthEvent] { collected.values }

  package var signatures: [AuthEvent.Signature] {
    all.compactMap { if case .signed(let signature) = $0 { signature } else { nil } }
  }

  package var retries: [AuthEvent.Retry] {
    all.compactMap { if case .retry(let retry) = $0 { retry } else { nil } }
  }

  package var skews: [AuthEvent.Skew] {
    all.compactMap { if case .skew(let skew) = $0 { skew } else { nil } }
  }

  package var transfers: [AuthEvent.Transfer] {
    all.compactMap { if case .transfer(let transfer) = $0 { transfer } else { nil } }
  }

  package var refreshes: [AuthEvent.Refresh.Outcome] {
    all.compactMap { if case .refresh(let refresh) = $0 { refresh.outcome } else { nil } }
  }
}
