// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import LocalCloud
internal import StorageAuth
internal import StorageClient

/// Records the workers' transfers and the clients' events.
final class Tally: Sendable {
  /// An object that the service confirmed.
  struct Stored: Sendable {
    let object: MovedObject
    let checksum: ObjectChecksum
  }

  struct Counts: Sendable {
    var stored: [LocalCloud.Provider: [String: Stored]] = [:]
    var uploads = 0
    var downloads = 0
    var bytes: Int64 = 0
    var failures: [String] = []
    var signatures = 0
    var retries: [String: Int] = [:]
    var skews = 0
    var refreshes = 0
    var failedRefreshes = 0
  }

  private let state = Lock(Counts())
  private let observations = Lock<[EventHub.Observation]>([])

  init(_ stores: [Store]) {
    observations.withLock { $0 = stores.map { $0.events.observe { [weak self] in self?.take($0) } } }
  }

  var counts: Counts { state.withLock { $0 } }

  func uploaded(_ object: MovedObject, _ checksum: ObjectChecksum, by store: Store) {
    state.withLock { state in
      state.uploads += 1
      state.bytes += Int64(object.size)
      state.stored[store.provider, default: [:]][object.key] = Stored(object: object, checksum: checksum)
    }
  }

  func downloaded(_ count: Int) {
    state.withLock { state in
      state.downloads += 1
      state.bytes += Int64(count)
    }
  }

  func failed(_ what: String) {
    state.withLock { $0.failures.append(what) }
  }

  private func take(_ event: AuthEvent) {
    state.withLock { state in
      switch event {
      case .signed: state.signatures += 1
      case .retry(let retry): state.retries[String(retry.reason.prefix { $0 != ":" }), default: 0] += 1
      case .skew: state.skews += 1
      case .refresh(let refresh):
        switch refresh.outcome {
        case .succeeded: state.refreshes += 1
        case .failed: state.failedRefreshes += 1
        default: break
        }
      default: break
      }
    }
  }
}
