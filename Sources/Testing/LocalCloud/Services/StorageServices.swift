// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import COSAuth
internal import OSSAuth
internal import S3Auth
public import StorageAuth

// Only this file lists the storage services. To add one, add a folder beside this file, and a parameter to `select`.

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

  /// Returns the endpoint of a simulated storage service, `http://127.0.0.1:…`, for path-style requests.
  ///
  /// - Parameter provider: The storage service.
  public func endpoint(of provider: Provider) -> ServiceEndpoint {
    var endpoint = storageServices[provider].endpoint
    endpoint.keyByteLimit = provider.service.description.keyByteLimit
    return endpoint
  }

  /// The URL of the app server that issues temporary credentials for OSS.
  public var ossAppServer: String { servicesURL + KeyServiceFormat.alibaba.appServerPath }
  /// The URL of the app server that issues temporary credentials for COS.
  public var cosAppServer: String { servicesURL + KeyServiceFormat.tencent.appServerPath }
  /// The URL of the endpoint that issues temporary credentials for S3, for `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
  public var s3AppServer: String { servicesURL + KeyServiceFormat.amazon.appServerPath }
}

extension LocalCloud.Provider {
  fileprivate func select<Value>(
    oss: @autoclosure () -> Value, cos: @autoclosure () -> Value, s3: @autoclosure () -> Value
  ) -> Value {
    switch self {
    case .oss: oss()
    case .cos: cos()
    case .s3: s3()
    }
  }

  /// The names, formats and rules of the service that do not depend on a server's configuration.
  var service: SimulatedService { select(oss: .oss, cos: .cos, s3: .s3) }
  /// The S3-compatible interface of the service, or `nil` for S3 itself.
  var s3Interface: S3Interface? { select(oss: .oss, cos: .cos, s3: nil) }

  func service(for configuration: LocalCloud.Configuration) -> SimulatedService {
    let service = self == .s3 ? .s3(region: configuration.s3Region) : service
    var (objects, behavior) = (service.objects, service.behavior)
    behavior.pathHosts = PathHosts(configuration.domains)
    if configuration.allowsSmallParts { objects.minimumPartByteCount = 0 }
    return service.with(objects, behavior)
  }
}

extension LocalCloud.Configuration {
  func port(of provider: LocalCloud.Provider) -> Int { provider.select(oss: ossPort, cos: cosPort, s3: s3Port) }

  func region(of provider: LocalCloud.Provider) -> String {
    provider.select(oss: region ?? "cn-hangzhou", cos: "ap-guangzhou", s3: s3Region)
  }
}

/// The running storage services of a server.
struct StorageServices: Sendable {
  let oss, cos, s3: HTTPService

  init(_ open: (LocalCloud.Provider) async throws -> HTTPService) async throws {
    oss = try await open(.oss)
    cos = try await open(.cos)
    s3 = try await open(.s3)
  }

  subscript(provider: LocalCloud.Provider) -> HTTPService { provider.select(oss: oss, cos: cos, s3: s3) }
}

extension ServicesGateway {
  static let keyServiceFormats: [KeyServiceFormat] = [.alibaba, .tencent, .amazon]

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
