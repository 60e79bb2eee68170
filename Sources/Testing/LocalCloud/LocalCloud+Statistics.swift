// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// The statistics of Aspera transfers since the start of the server.
  ///
  /// The statistics of the endpoint `.transfer` contain the rejected transfers by error code. The statistics of the
  /// endpoint `.node` contain the number of issued tokens.
  public struct TransferStatistics: Sendable, Hashable {
    /// The number of successful transfer setup calls (`upload_setup` and `download_setup`).
    public internal(set) var setups = 0

    /// The number of connections to the transfer server, including connections that only test a login.
    public internal(set) var connections = 0

    /// The number of successful logins to the Aspera transfer server.
    public internal(set) var logins = 0

    /// The number of Aspera transfer sessions that began with a valid account and token.
    public internal(set) var sessions = 0

    /// The number of Aspera transfer sessions that completed successfully.
    public internal(set) var completed = 0

    /// The number of files that Aspera sessions transferred.
    public internal(set) var files = 0

    /// The number of content bytes that Aspera sessions transferred, including the bytes of failed sessions.
    public internal(set) var bytes: Int64 = 0

    /// The numbers of faults that were injected into transfers, by ascp error code.
    public internal(set) var faults: [Int: Int] = [:]
  }

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
