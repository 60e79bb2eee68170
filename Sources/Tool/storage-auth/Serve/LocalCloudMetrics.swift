// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CoreMetrics
internal import LocalCloud
internal import StorageAuth

/// The statistics of a local server as metrics, which are brought up to date when they are read.
final class LocalCloudMetrics: Sendable {
  private let factory: any MetricsFactory
  private let counted = Lock<LocalCloud.Statistics?>(nil)

  init(factory: any MetricsFactory) {
    self.factory = factory
  }

  /// Adds what has happened since the last update to the counters.
  func update(with now: LocalCloud.Statistics) {
    let before = counted.withLock { counted in
      defer { counted = now }
      return counted
    }
    for (kind, count) in now.verified {
      add("verified_total", [("scheme", kind.rawValue)], count - (before?.verified[kind] ?? 0))
    }
    add("anonymous_total", [], now.anonymous - (before?.anonymous ?? 0))
    for (endpoint, statistics) in now.endpoints {
      let old = before?.endpoints[endpoint]
      let label = ("endpoint", endpoint.rawValue)
      add("requests_total", [label], statistics.requests - (old?.requests ?? 0))
      add("faults_total", [label], statistics.faults - (old?.faults ?? 0))
      add("issued_total", [label], statistics.issued - (old?.issued ?? 0))
      for (code, count) in statistics.refused {
        add("refused_total", [label, ("code", code)], count - (old?.refused[code] ?? 0))
      }
    }
  }

  private func add(_ name: String, _ labels: [(String, String)], _ count: Int) {
    Counter(label: "local_cloud_\(name)", dimensions: labels, factory: factory).increment(by: count)
  }
}
