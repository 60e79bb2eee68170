// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

// The registry: the only place that lists the storage services. To add a service, add a folder beside this file and a
// line to each of the switches below.

extension LocalCloud {
  /// A storage service that the server imitates.
  public enum Provider: String, Sendable, Hashable, CaseIterable {
    /// Alibaba Cloud OSS.
    case oss
    /// Tencent Cloud COS.
    case cos
    /// Amazon S3.
    case s3
  }

  /// The endpoint of OSS: `http://127.0.0.1:…`, path style.
  public var ossEndpoint: ServiceEndpoint { endpoint(of: .oss) }

  /// The endpoint of COS: `http://127.0.0.1:…`, path style.
  public var cosEndpoint: ServiceEndpoint { endpoint(of: .cos) }

  /// The endpoint of S3: `http://127.0.0.1:…`, path style.
  public var s3Endpoint: ServiceEndpoint { endpoint(of: .s3) }

  /// Returns the endpoint of a storage service.
  ///
  /// - Parameter provider: The storage service.
  /// - Returns: The endpoint, `http://127.0.0.1:…` in path style.
  public func endpoint(of provider: Provider) -> ServiceEndpoint {
    var endpoint = stores[provider].endpoint
    endpoint.keyByteLimit = provider.dialect.keyByteLimit
    return endpoint
  }

  /// The URL of the app server that issues temporary credentials for OSS.
  public var ossAppServer: String { servicesURL + AlibabaKeys().appServerPath }

  /// The URL of the app server that issues temporary credentials for COS.
  public var cosAppServer: String { servicesURL + TencentKeys().appServerPath }

  /// The URL of the container endpoint that issues temporary credentials for S3 (`AWS_CONTAINER_CREDENTIALS_FULL_URI`).
  public var s3AppServer: String { servicesURL + AmazonKeys().appServerPath }
}

extension LocalCloud.Provider {
  /// The properties of the service that do not depend on a server's configuration.
  var dialect: any Dialect {
    switch self {
    case .oss: OSSDialect()
    case .cos: COSDialect()
    case .s3: S3Dialect()
    }
  }

  /// Returns the properties of the service for a server's configuration.
  func dialect(for configuration: LocalCloud.Configuration) -> any Dialect {
    self == .s3 ? S3Dialect(region: configuration.s3Region) : dialect
  }
}

extension LocalCloud.Configuration {
  /// Returns the configured port of a service; 0 selects a free port.
  func port(of provider: LocalCloud.Provider) -> Int {
    switch provider {
    case .oss: ossPort
    case .cos: cosPort
    case .s3: s3Port
    }
  }
}

/// The HTTP servers of the storage services.
struct StorageServices: Sendable {
  let oss: HTTPService
  let cos: HTTPService
  let s3: HTTPService

  /// Opens the port of each service.
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

  /// Stops all services.
  func stop() async {
    for provider in LocalCloud.Provider.allCases { await self[provider].stop() }
  }
}

extension ServicesGateway {
  /// The vendors' formats of documents with temporary credentials.
  static let clouds: [any KeyDocuments] = [AlibabaKeys(), TencentKeys(), AmazonKeys()]

  /// Returns the token services in order of priority: the first one that recognizes a call handles it.
  ///
  /// The last one handles all calls that no service recognizes.
  static func tokenServices(_ issuer: Issuer, _ services: LocalCloud.Services) -> [any TokenServiceHandler] {
    [
      AmazonSTS(issuer, identityTokens: services.identityTokens),
      TencentSTS(issuer, identityTokens: services.identityTokens),
      AlibabaSTS(issuer, identityTokens: services.identityTokens),
    ]
  }
}
