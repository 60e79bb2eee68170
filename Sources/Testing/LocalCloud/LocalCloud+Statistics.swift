// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension LocalCloud {
  /// The statistics of a local server since its start.
  public struct Statistics: Sendable, Hashable {
    /// The numbers of requests with a valid signature, by signature scheme.
    public internal(set) var verified: [SignatureKind: Int] = [:]

    /// The number of unsigned requests that the storage services accepted because the requested data is public.
    public internal(set) var anonymous = 0

    /// The statistics of each endpoint since the start of the server.
    public internal(set) var endpoints: [Endpoint: EndpointStatistics] = [:]

    /// The statistics of Aspera transfers since the start of the server.
    public internal(set) var transfers = TransferStatistics()

    /// The total number of requests with a valid signature, over all signature schemes.
    public var verifiedCount: Int { verified.values.reduce(0, +) }

    /// The numbers of error responses of all endpoints, by the error code that the client received.
    ///
    /// Injected errors are not counted.
    public var refused: [String: Int] {
      endpoints.values.reduce(into: [:]) { $0.merge($1.refused, uniquingKeysWith: +) }
    }

    /// The statistics of an endpoint, such as `.sts`, since the start of the server.
    public internal(set) subscript(endpoint: Endpoint) -> EndpointStatistics {
      get { endpoints[endpoint] ?? EndpointStatistics() }
      set { endpoints[endpoint] = newValue }
    }
  }

  /// The statistics of an endpoint since the start of the server.
  public struct EndpointStatistics: Sendable, Hashable {
    /// The number of requests that arrived at the endpoint.
    public internal(set) var requests = 0

    /// The number of requests without the authorization that the endpoint expects, whether or not they were accepted.
    public internal(set) var unsigned = 0

    /// The numbers of the endpoint's error responses, by the error code that the client received.
    ///
    /// Injected errors are not counted.
    public internal(set) var refused: [String: Int] = [:]

    /// The number of requests to the endpoint into which a fault was injected.
    public internal(set) var faults = 0

    /// The number of temporary credentials or transfer tokens that the endpoint issued.
    public internal(set) var issued = 0
  }
}

/// The counters from which the server's statistics are read.
final class Counters: Sendable {
  private let state = Mutex(LocalCloud.Statistics())

  /// The number of writes of each object, by storage service, bucket name and object key.
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
