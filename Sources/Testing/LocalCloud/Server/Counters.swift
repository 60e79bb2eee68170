// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The counters from which the server's statistics are read.
final class Counters: Sendable {
  private let state = Lock(LocalCloud.Statistics())

  /// The number of writes of each object, by storage service, bucket name and object key.
  private let writes = Lock<[LocalCloud.Provider: [String: [String: Int]]]>([:])

  var statistics: LocalCloud.Statistics { state.withLock { $0 } }

  func writes(of provider: LocalCloud.Provider, in bucket: String) -> [String: Int] {
    writes.withLock { $0[provider]?[bucket] ?? [:] }
  }

  func verified(_ kind: LocalCloud.SignatureKind) { state.withLock { $0.verified[kind, default: 0] += 1 } }

  func anonymous() { state.withLock { $0.anonymous += 1 } }

  func count(_ endpoint: LocalCloud.Endpoint, _ change: (inout LocalCloud.EndpointStatistics) -> Void) {
    state.withLock { change(&$0[endpoint]) }
  }

  func countTransfers(_ change: (inout LocalCloud.TransferStatistics) -> Void) {
    state.withLock { change(&$0.transfers) }
  }

  func refused(_ code: String, by endpoint: LocalCloud.Endpoint) {
    count(endpoint) { $0.refused[code, default: 0] += 1 }
  }

  func wrote(_ key: String, in bucket: String, of provider: LocalCloud.Provider) {
    writes.withLock { $0[provider, default: [:]][bucket, default: [:]][key, default: 0] += 1 }
  }
}
