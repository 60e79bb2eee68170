public import StorageAuth

// The registry: the one place that lists the storage services. A service is a folder beside this file, and a line in each
// of the switches below.

extension LocalCloud {
  /// A service that the server stands in for.
  public enum Provider: String, Sendable, Hashable, CaseIterable {
    /// Alibaba Cloud OSS.
    case oss
    /// Tencent Cloud COS.
    case cos
    /// Amazon S3.
    case s3
  }

  /// Where OSS is: `http://127.0.0.1:…`, path style.
  public var ossEndpoint: ServiceEndpoint { endpoint(of: .oss) }

  /// Where COS is: `http://127.0.0.1:…`, path style.
  public var cosEndpoint: ServiceEndpoint { endpoint(of: .cos) }

  /// Where S3 is: `http://127.0.0.1:…`, path style.
  public var s3Endpoint: ServiceEndpoint { endpoint(of: .s3) }

  /// Where a service is.
  public func endpoint(of provider: Provider) -> ServiceEndpoint {
    var endpoint = stores[provider].endpoint
    endpoint.keyByteLimit = provider.dialect.keyByteLimit
    return endpoint
  }

  /// The URL of the app server's keys for OSS.
  public var ossAppServer: String { servicesURL + AlibabaKeys().appServerPath }

  /// The URL of the app server's keys for COS.
  public var cosAppServer: String { servicesURL + TencentKeys().appServerPath }

  /// The URL of the container endpoint with keys for S3: `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
  public var s3AppServer: String { servicesURL + AmazonKeys().appServerPath }
}

extension LocalCloud.Provider {
  /// What is particular to the service, wherever it stands.
  var dialect: any Dialect {
    switch self {
    case .oss: OSSDialect()
    case .cos: COSDialect()
    case .s3: S3Dialect()
    }
  }

  /// What is particular to the service of a server.
  func dialect(for configuration: LocalCloud.Configuration) -> any Dialect {
    self == .s3 ? S3Dialect(region: configuration.s3Region) : dialect
  }
}

extension LocalCloud.Configuration {
  /// The port of a service; 0 picks a free one.
  func port(of provider: LocalCloud.Provider) -> Int {
    switch provider {
    case .oss: ossPort
    case .cos: cosPort
    case .s3: s3Port
    }
  }
}

/// The ports of the storage services.
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

  /// Takes no more connections at any of them.
  func stop() async {
    for provider in LocalCloud.Provider.allCases { await self[provider].stop() }
  }
}

extension ServicesGateway {
  /// What hands out keys in the forms of the clouds.
  static let clouds: [any KeyDocuments] = [AlibabaKeys(), TencentKeys(), AmazonKeys()]

  /// The token services; the first one that recognises a call answers it, and the last one any other call.
  static func tokenServices(_ issuer: Issuer, _ services: LocalCloud.Services) -> [any TokenServiceHandler] {
    [
      AmazonSTS(issuer, identityTokens: services.identityTokens),
      TencentSTS(issuer, identityTokens: services.identityTokens),
      AlibabaSTS(issuer, identityTokens: services.identityTokens),
    ]
  }
}
