// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension LocalCloud {
  /// A signature scheme that the local server verifies.
  public enum SignatureKind: String, Sendable, Hashable, CaseIterable {
    /// The signature version 4 of OSS, which uses HMAC-SHA-256.
    case ossV4 = "OSS V4"
    /// The signature version 1 of OSS, which uses HMAC-SHA-1.
    case ossV1 = "OSS V1"
    /// The signature version 5 of COS, which uses HMAC-SHA-1.
    case cosV5 = "COS V5"
    /// The signature version 4 of S3, which uses HMAC-SHA-256.
    case s3V4 = "S3 V4"
    /// The signature scheme of Alibaba Cloud APIs, ACS3-HMAC-SHA256.
    case acs3 = "ACS3"
    /// The RPC signature scheme of Alibaba Cloud APIs, which uses HMAC-SHA-1 and a request parameter for the signature.
    case alibabaRPC = "Alibaba RPC"
    /// The signature scheme of Tencent Cloud APIs, TC3-HMAC-SHA256.
    case tc3 = "TC3"
    /// The signature version 1 of Tencent Cloud APIs, which uses HMAC-SHA-1 or -256 and a parameter for the signature.
    case tencentV1 = "Tencent V1"
  }

  /// A part of the local server that has separate faults and statistics.
  public enum Endpoint: String, Sendable, Hashable, CaseIterable {
    /// The simulated OSS service.
    case oss
    /// The simulated COS service.
    case cos
    /// The simulated S3 service.
    case s3
    /// The simulated token services of all vendors.
    case sts
    /// The simulated app server, which issues temporary credentials to apps.
    case appServer
    /// The simulated instance metadata services of all vendors.
    case metadata
    /// The simulated Aspera Node API.
    case node
    /// The simulated Aspera transfer server, which `ascp-simulator` connects to.
    case transfer
    /// The simulated API of Aspera on Cloud, with its token endpoint.
    case asperaOnCloud
    /// The simulated API of Faspex 5, with its token endpoint.
    case faspex
  }

  /// The statistics of Aspera transfers since the start of the server.
  ///
  /// The endpoint `.transfer` counts the rejected transfers by error code, and `.node` counts the issued tokens.
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

    /// The numbers of error responses of all endpoints, without injected errors, by the code that the client received.
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
    /// The numbers of the endpoint's error responses, without injected errors, by the code that the client received.
    public internal(set) var refused: [String: Int] = [:]
    /// The number of requests to the endpoint into which a fault was injected.
    public internal(set) var faults = 0
    /// The number of temporary credentials or transfer tokens that the endpoint issued.
    public internal(set) var issued = 0
  }
}

/// The counters of a running server, from which its statistics are read.
final class Counters: Sendable {
  private let counts = Lock(LocalCloud.Statistics())
  /// The number of writes of each object, by storage service, bucket name and object key.
  private let writes = Lock<[LocalCloud.Provider: [String: [String: Int]]]>([:])
  var statistics: LocalCloud.Statistics { counts.withLock { $0 } }

  func writes(of provider: LocalCloud.Provider, in bucket: String) -> [String: Int] {
    writes.withLock { $0[provider]?[bucket] ?? [:] }
  }

  func countVerified(_ kind: LocalCloud.SignatureKind) { counts.withLock { $0.verified[kind, default: 0] += 1 } }
  func countAnonymous() { counts.withLock { $0.anonymous += 1 } }

  func countRefusal(_ code: String, by endpoint: LocalCloud.Endpoint) {
    count(endpoint) { $0.refused[code, default: 0] += 1 }
  }

  func countWrite(of key: String, in bucket: String, of provider: LocalCloud.Provider) {
    writes.withLock { $0[provider, default: [:]][bucket, default: [:]][key, default: 0] += 1 }
  }

  func count(_ endpoint: LocalCloud.Endpoint, _ change: (inout LocalCloud.EndpointStatistics) -> Void) {
    counts.withLock { change(&$0[endpoint]) }
  }

  func countTransfers(_ change: (inout LocalCloud.TransferStatistics) -> Void) {
    counts.withLock { change(&$0.transfers) }
  }
}
