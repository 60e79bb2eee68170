// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CoreMetrics
internal import Synchronization

/// The metrics of one metrics backend, by name and labels, each of which is created once.
final class MetricSeries: Sendable {
  private struct Name: Hashable {
    let name: String
    let values: [String]
  }

  private enum Series {
    case counter(Counter)
    case timer(Timer)
    case gauge(Gauge)
  }

  private let factory: any MetricsFactory
  private let limit: Int
  private let all = Mutex<[Name: Series]>([:])

  init(factory: any MetricsFactory, limit: Int) {
    self.factory = factory
    self.limit = limit
  }

  func increment(_ name: String, _ labels: [(String, String)], by amount: Int64 = 1) {
    use(name, labels) { [factory] in
      .counter(Counter(label: $0, dimensions: $1, factory: factory))
    } act: { series in
      if case .counter(let counter) = series { counter.increment(by: amount) }
    }
  }

  func time(_ name: String, _ labels: [(String, String)], _ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = max(0, seconds) &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    use(name, labels) { [factory] in
      .timer(Timer(label: $0, dimensions: $1, factory: factory))
    } act: { series in
      if case .timer(let timer) = series { timer.recordNanoseconds(nanoseconds) }
    }
  }

  func gauge(_ name: String, _ labels: [(String, String)], _ duration: Duration) {
    use(name, labels) { [factory] in
      .gauge(Gauge(label: $0, dimensions: $1, factory: factory))
    } act: { series in
      if case .gauge(let gauge) = series { gauge.record(duration / .seconds(1)) }
    }
  }

  /// Passes the series with a name and labels to a function, after creating the series if it does not exist.
  private func use(
    _ name: String, _ labels: [(String, String)], make: (String, [(String, String)]) -> Series, act: (Series) -> Void
  ) {
    let series = all.withLock { all -> Series in
      let id = Name(name: name, values: labels.map(\.1))
      if let series = all[id] { return series }
      let isNew = all.count < limit
      let labels = isNew ? labels : labels.map { ($0.0, "other") }
      let kept = isNew ? id : Name(name: name, values: labels.map(\.1))
      if let series = all[kept] { return series }
      let series = make("storage_auth_\(name)", labels)
      all[kept] = series
      return series
    }
    act(series)
  }
}
