internal import Synchronization

extension LocalCloud {
  /// What a server did since it started.
  public struct Statistics: Sendable, Hashable {
    /// The requests whose signature was right, by scheme.
    public internal(set) var verified: [SignatureKind: Int] = [:]

    /// The requests without a signature that the storage services let through, to read what is open to everybody.
    public internal(set) var anonymous = 0

    /// What happened at each endpoint.
    public internal(set) var endpoints: [Endpoint: EndpointStatistics] = [:]

    /// What happened to transfers of Aspera.
    public internal(set) var transfers = TransferStatistics()

    /// The number of requests whose signature was right.
    public var verifiedCount: Int { verified.values.reduce(0, +) }

    /// The errors that were answered by all endpoints, by the code that the client saw; without injected ones.
    public var refused: [String: Int] {
      endpoints.values.reduce(into: [:]) { $0.merge($1.refused, uniquingKeysWith: +) }
    }

    /// What happened at one endpoint.
    public internal(set) subscript(endpoint: Endpoint) -> EndpointStatistics {
      get { endpoints[endpoint] ?? EndpointStatistics() }
      set { endpoints[endpoint] = newValue }
    }
  }

  /// What happened at one endpoint.
  public struct EndpointStatistics: Sendable, Hashable {
    /// The requests that arrived.
    public internal(set) var requests = 0

    /// The requests without any authorization where one is expected, whether they were let through or not.
    public internal(set) var unsigned = 0

    /// The errors that were answered, by the code that the client saw; without injected ones.
    public internal(set) var refused: [String: Int] = [:]

    /// The requests that a fault fell on.
    public internal(set) var faults = 0

    /// The temporary keys, or the transfer tokens, that were issued.
    public internal(set) var issued = 0
  }
}

/// Counts what happens.
final class Counters: Sendable {
  private let state = Mutex(LocalCloud.Statistics())

  /// How often an object was put at a place, by the place.
  private let writes = Mutex<[LocalCloud.Provider: [String: [String: Int]]]>([:])

  var statistics: LocalCloud.Statistics { state.withLock { $0 } }

  func writes(of provider: LocalCloud.Provider, in bucket: String) -> [String: Int] {
    writes.withLock { $0[provider]?[bucket] ?? [:] }
  }

  func verified(_ kind: LocalCloud.SignatureKind) {
    state.withLock { $0.verified[kind, default: 0] += 1 }
  }

  func anonymous() {
    state.withLock { $0.anonymous += 1 }
  }

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
