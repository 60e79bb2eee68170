// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import StorageAuth

/// An observer that counts the events of a storage client with swift-metrics, as long as the observer is retained.
///
/// | name | kind | labels |
/// |---|---|---|
/// | `storage_auth_signatures_total` | counter | `provider` |
/// | `storage_auth_requests_total` | counter | `provider`, `operation`, `status` |
/// | `storage_auth_request_duration_seconds` | timer | `provider`, `operation` |
/// | `storage_auth_refusals_total` | counter | `provider`, `reason` |
/// | `storage_auth_retries_total` | counter | `provider` |
/// | `storage_auth_refreshes_total` | counter | `source`, `outcome` |
/// | `storage_auth_refresh_duration_seconds` | timer | `source` |
/// | `storage_auth_transfers_total` | counter | `provider`, `operation`, `outcome` |
/// | `storage_auth_transferred_bytes_total` | counter | `provider`, `operation` |
/// | `storage_auth_transfer_duration_seconds` | timer | `provider`, `operation` |
/// | `storage_auth_clock_skew_seconds` | gauge | `host` |
///
/// A refusal is an attempt that ended without success; its reason is the kind of the error, such as `accessDenied` or
/// `connectionLost`. The status of an attempt without a response is `none`. No label contains a key of an object, a
/// secret or a token, and there are at most ``seriesLimit`` combinations of names and labels.
///
/// ```swift
/// let metrics = StorageMetrics(client.events)
/// ```
public final class StorageMetrics: Sendable {
  /// The maximum number of combinations of names and labels; further values are counted with the label `other`.
  public static let seriesLimit = 1_000

  private let observation: EventHub.Observation

  /// Creates an observer, and starts counting the events of a hub.
  ///
  /// `factory` is the metrics backend; by default, the one that the process has bootstrapped.
  public init(_ events: EventHub, factory: any MetricsFactory = MetricsSystem.factory) {
    let series = MetricSeries(factory: factory, seriesLimit: Self.seriesLimit)
    observation = events.observe { series.count($0) }
  }

  /// Stops counting events.
  public func stop() { observation.cancel() }
}

extension MetricSeries {
  fileprivate func count(_ event: AuthEvent) {
    switch event {
    case .signed(let signature): increment("signatures_total", provider: EventSubject(signature.subject).provider)
    case .request(let request): count(request)
    case .retry(let retry): increment("retries_total", provider: EventSubject(retry.subject).provider)
    case .refresh(let refresh): count(refresh)
    case .transfer(let transfer): count(transfer)
    case .skew(let skew): setGauge("clock_skew_seconds", [("host", skew.host)], skew.offset)
    }
  }

  private func increment(_ name: String, provider: String?) { increment(name, [("provider", provider ?? "none")]) }

  private func count(_ request: AuthEvent.Request) {
    let subject = EventSubject(request.subject)
    let provider = ("provider", subject.provider ?? "none")
    let labels = [provider, ("operation", subject.operation)]
    increment("requests_total", labels + [("status", request.status.map { "\($0)" } ?? "none")])
    recordTime("request_duration_seconds", labels, request.duration)
    if let failure = request.failure { increment("refusals_total", [provider, ("reason", failure)]) }
  }

  private func count(_ refresh: AuthEvent.Refresh) {
    let outcome: String
    switch refresh.outcome {
    case .started, .ending: return
    case .succeeded: outcome = "succeeded"
    case .failed(let error, _): outcome = "\(error.code)"
    }
    let source = ("source", refresh.source)
    increment("refreshes_total", [source, ("outcome", outcome)])
    if let duration = refresh.duration { recordTime("refresh_duration_seconds", [source], duration) }
  }

  private func count(_ transfer: AuthEvent.Transfer) {
    let subject = EventSubject(transfer.subject)
    let labels = [("provider", subject.provider ?? "none"), ("operation", subject.operation)]
    increment("transfers_total", labels + [("outcome", transfer.failure == nil ? "succeeded" : "failed")])
    increment("transferred_bytes_total", labels, by: transfer.bytes)
    recordTime("transfer_duration_seconds", labels, transfer.duration)
  }
}

/// The metrics of one metrics backend, by name and labels, each of which is created once.
final class MetricSeries: Sendable {
  /// The identity of a series: all series of a name have the same labels, so that their values suffice.
  private struct SeriesKey: Hashable {
    let name: String
    let labelValues: [String]
  }

  private let factory: any MetricsFactory
  private let seriesLimit: Int
  private let seriesByKey = Lock<[SeriesKey: any Sendable]>([:])

  init(factory: any MetricsFactory, seriesLimit: Int) {
    self.factory = factory
    self.seriesLimit = seriesLimit
  }

  func increment(_ name: String, _ labels: [(String, String)], by amount: Int64 = 1) {
    series(name, labels, Counter.init(label:dimensions:factory:))?.increment(by: amount)
  }

  func recordTime(_ name: String, _ labels: [(String, String)], _ duration: Duration) {
    let (seconds, attoseconds) = max(duration, .zero).components
    let nanoseconds = seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    series(name, labels, Timer.init(label:dimensions:factory:))?.recordNanoseconds(nanoseconds)
  }

  func setGauge(_ name: String, _ labels: [(String, String)], _ duration: Duration) {
    series(name, labels, Gauge.init(label:dimensions:factory:))?.record(duration / .seconds(1))
  }

  /// Returns the series with a name and labels, after creating it if it does not exist; a name has one type of series.
  ///
  /// Beyond the limit, it is the series of the name in which all labels have the value `other`.
  private func series<Series: Sendable>(
    _ name: String, _ labels: [(String, String)], _ create: (String, [(String, String)], any MetricsFactory) -> Series
  ) -> Series? {
    seriesByKey.withLock { seriesByKey -> Series? in
      var labels = labels
      var key = SeriesKey(name: name, labelValues: labels.map(\.1))
      if seriesByKey[key] == nil, seriesByKey.count >= seriesLimit {
        labels = labels.map { label, _ in (label, "other") }
        key = SeriesKey(name: name, labelValues: labels.map(\.1))
      }
      if let series = seriesByKey[key] { return series as? Series }
      let series = create("storage_auth_\(name)", labels, factory)
      seriesByKey[key] = series
      return series
    }
  }
}
