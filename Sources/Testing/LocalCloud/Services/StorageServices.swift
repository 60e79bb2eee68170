// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import COSAuth
internal import OSSAuth
internal import S3Auth
public import StorageAuth

// The only place that lists the storage services. To add a service, add a folder beside this file, and a line to each
// of the switches below.

extension LocalCloud {
  /// A storage service that the local server imitates.
  public enum Provider: String, Sendable, Hashable, CaseIterable {
    /// Alibaba Cloud OSS (Object Storage Service).
    case oss
    /// Tencent Cloud COS (Cloud Object Storage).
    case cos
    /// Amazon S3 (Simple Storage Service).
    case s3
  }

  /// The endpoint of the simulated OSS service, `http://127.0.0.1:…`, for path-style requests.
  public var ossEndpoint: ServiceEndpoint { endpoint(of: .oss) }

  /// The endpoint of the simulated COS service, `http://127.0.0.1:…`, for path-style requests.
  public var cosEndpoint: ServiceEndpoint { endpoint(of: .cos) }

  /// The endpoint of the simulated S3 service, `http://127.0.0.1:…`, for path-style requests.
  public var s3Endpoint: ServiceEndpoint { endpoint(of: .s3) }

  /// Returns the endpoint of a simulated storage service.
  ///
  /// - Parameter provider: The storage service.
  /// - Returns: The endpoint, `http://127.0.0.1:…`, for path-style requests.
  public func endpoint(of provider: Provider) -> ServiceEndpoint {
    var endpoint = stores[provider].endpoint
    endpoint.keyByteLimit = provider.service.description.keyByteLimit
    return endpoint
  }

  /// The URL of the app server that issues temporary credentials for OSS.
  public var ossAppServer: String { servicesURL + KeyDocuments.alibaba.appServerPath }

  /// The URL of the app server that issues temporary credentials for COS.
  public var cosAppServer: String { servicesURL + KeyDocuments.tencent.appServerPath }

  /// The URL of the container credentials endpoint that issues temporary credentials for S3.
  ///
  /// It is the value for the environment variable `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
  public var s3AppServer: String { servicesURL + KeyDocuments.amazon.appServerPath }
}

extension LocalCloud.Provider {
  /// The names, formats and rules of the service that do not depend on a server's configuration.
  var service: SimulatedService {
    switch self {
    case .oss: .oss
    case .cos: .cos
    case .s3: .s3
    }
  }

  /// Returns the names, formats and rules of the service for a server's configuration.
  func service(for configuration: LocalCloud.Configuration) -> SimulatedService {
    let service = self == .s3 ? SimulatedService.s3(region: configuration.s3Region) : service
    var (objects, behavior) = (service.objects, service.behavior)
    behavior.pathHosts = PathHosts(configuration.domains)
    if configuration.allowsSmallParts { objects.minimumPartByteCount = 0 }
    return service.with(objects, behavior)
  }

  /// The service's S3-compatible interface, or `nil` if it has none besides its own.
  var s3Interface: S3Interface? {
    switch self {
    case .oss: .oss
    case .cos: .cos
    case .s3: nil
    }
  }
}

extension LocalCloud.Configuration {
  /// Returns the configured port of a storage service; 0 selects a free port.
  func port(of provider: LocalCloud.Provider) -> Int {
    switch provider {
    case .oss: ossPort
    case .cos: cosPort
    case .s3: s3Port
    }
  }

  func region(of provider: LocalCloud.Provider) -> String {
    switch provider {
    case .oss: region ?? "cn-hangzhou"
    case .cos: "ap-guangzhou"
    case .s3: s3Region
    }
  }
}

struct StorageServices: Sendable {
  let oss: HTTPService
  let cos: HTTPService
  let s3: HTTPService

  /// Opens the HTTP services of all storage services, which accept requests immediately.
  init(_ open: (LocalCloud.Provider) async throws -> HTTPService) async throws {
    oss = try await open(.oss)
    cos = try await open(.cos)
    s3 = try await open(.s3)
  }

  subscript(provider: LocalCloud.Provider) -> HTTPService {
    switch provider {
    case .oss: oss
    case .cos: cos
    case .s3: s3
    }
  }
}

extension ServicesGateway {
  /// The vendors' document formats for temporary credentials.
  static let clouds: [KeyDocuments] = [.alibaba, .tencent, .amazon]

  /// The token services in the order in which they are asked; the last one takes all other calls.
  static func tokenServices(_ issuer: Issuer) -> [any TokenService] {
    [AmazonSTS(issuer: issuer), TencentSTS(issuer: issuer), AlibabaSTS(issuer: issuer)]
  }
}

extension HeaderRules {
  /// Returns the operations that support each header according to any of several rules.
  static func combined(_ rules: [[String: Set<Operation>]]) -> [String: Set<Operation>] {
    rules.reduce(into: [:]) { union, rules in union.merge(rules) { $0.union($1) } }
  }
}

extension ParameterNames {
  /// The prefixes that the services, or related services whose clients may send requests to this server, reserve.
  static let reservedPrefixes =
    [ServiceDescription.oss, .cos, .s3].map(\.headerPrefix) + ["x-ci-", "x-obs-", "x-image-", "ci-"]
}

/// The format in which OSS sends objects to clients that accept it.
enum Gzip {
  /// Returns bytes in the gzip format, or `nil` if there is no memory for it.
  static func compressed(_ bytes: [UInt8]) -> [UInt8]? { Zlib.gzip(bytes) }
}
