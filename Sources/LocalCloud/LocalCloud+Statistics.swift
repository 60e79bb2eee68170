// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension LocalCloud {
  /// The statistics of a server since its start.
  public struct Statistics: Sendable, Hashable {
    /// The number of requests with a valid signature, by signature scheme.
    public internal(set) var verified: [SignatureKind: Int] = [:]

    /// The number of requests without a signature that the storage services accepted because the data is public.
    public internal(set) var anonymous = 0

    /// The statistics of each endpoint.
    public internal(set) var endpoints: [Endpoint: EndpointStatistics] = [:]

    /// The statistics of Aspera transfers.
    public internal(set) var transfers = TransferStatistics()

    /// The number of requests with a valid signature.
    public var verifiedCount: Int { verified.values.reduce(0, +) }

    /// The number of error responses of all endpoints, by the code that the client received, without injected errors.
    public var refused: [String: Int] {
      endpoints.values.reduce(into: [:]) { $0.merge($1.refused, uniquingKeysWith: +) }
    }

    /// The statistics of an endpoint.
    public internal(set) subscript(endpoint: Endpoint) -> EndpointStatistics {
      get { endpoints[endpoint] ?? EndpointStatistics() }
      set { endpoints[endpoint] = newValue }
    }
  }

  /// The statistics of an endpoint since the start of the server.
  public struct EndpointStatistics: Sendable, Hashable {
    /// The number of requests that arrived.
    public internal(set) var requests = 0

    /// The number of requests without authorization where one is expected, whether or not they were accepted.
    public internal(set) var unsigned = 0

    /// The number of error responses, by the code that the client received, without injected errors.
    public internal(set) var refused: [String: Int] = [:]

    /// The number of requests with an injected fault.
    public internal(set) var faults = 0

    /// The number of temporary credentials, or transfer tokens, that were issued.
    public internal(set) var issued = 0
  }
}

/// The counters behind the statistics.
final class Counters: Sendable {
  private let state = Mutex(LocalCloud.Statistics())

  /// The number of writes, by provider, bucket and object key.
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
