public import HTTPTypes
public import OSSAuth
public import StorageAuth
internal import StorageCrypto
public import StorageDiagnosis

/// Alibaba Cloud OSS.
public struct OSSProvider: PresigningProvider {
  /// What requests are signed with.
  public typealias SigningCredential = AccessKey

  /// The bucket.
  public let bucket: String

  /// The region, spelt `cn-hangzhou`.
  public let region: String

  /// What signs requests and URLs.
  public let signer: OSSSigner

  private let additionalHeaders: Set<String>
  private let additionalSubresources: Set<String>
  private let address: Result<ServiceEndpoint, SigningError>

  /// Names a bucket.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, spelt `cn-hangzhou`.
  ///   - signature: The version of the signature.
  ///   - endpoint: The URL of another endpoint than the public one of the region: internal, accelerated, a custom domain,
  ///     LocalCloud.
  ///   - style: Where the bucket is in the URL; found out from the endpoint if not given. A custom domain has to say so.
  ///   - product: The product in the scope of V4: `oss`, or `oss-cloudbox`.
  ///   - additionalHeaders: Names of further headers that V4 signs where a request has them.
  ///   - additionalSubresources: Names of further parameters that V1 signs.
  public init(
    bucket: String, region: String, signature: OSSSignatureVersion = .v4, endpoint: String? = nil,
    style: AddressingStyle? = nil, product: String = "oss", additionalHeaders: Set<String> = [],
    additionalSubresources: Set<String> = []
  ) {
    self.init(
      bucket: bucket, region: region, signature: signature, product: product, additionalHeaders: additionalHeaders,
      additionalSubresources: additionalSubresources,
      address: Result { () throws(SigningError) in
        if let endpoint { return try ServiceEndpoint(endpoint, style: style) }
        return try .oss(region: region)
      })
  }

  /// Names a bucket at an endpoint.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, spelt `cn-hangzhou`.
  ///   - signature: The version of the signature.
  ///   - endpoint: The endpoint, such as the one of a LocalCloud.
  public init(
    bucket: String, region: String, signature: OSSSignatureVersion = .v4, endpoint: ServiceEndpoint
  ) {
    self.init(bucket: bucket, region: region, signature: signature, address: .success(endpoint))
  }

  private init(
    bucket: String, region: String, signature: OSSSignatureVersion, product: String = "oss",
    additionalHeaders: Set<String> = [], additionalSubresources: Set<String> = [],
    address: Result<ServiceEndpoint, SigningError>
  ) {
    self.additionalHeaders = additionalHeaders
    self.additionalSubresources = additionalSubresources
    self.bucket = bucket
    self.region = region
    self.address = address
    signer = OSSSigner(
      signature, bucket: bucket, region: region, product: product, style: try? address.get().style,
      additionalHeaders: additionalHeaders, additionalSubresources: additionalSubresources)
  }

  /// The short name of the service.
  public var name: String { "oss" }

  /// The address of the service.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) { try address.get() }
  }

  /// What signs URLs.
  public var presigner: OSSSigner { signer }

  /// Signs Content-Length as well, where the version can: a server that signs sees the size of an upload nowhere else.
  public var remoteSigner: OSSSigner {
    OSSSigner(
      signer.version, bucket: bucket, region: region, product: signer.product, style: signer.style,
      additionalHeaders: additionalHeaders.union(["content-length"]), additionalSubresources: additionalSubresources)
  }

  /// The names and spellings of the service.
  public var dialect: ServiceDialect { .oss }

  /// The default sources of Alibaba Cloud on this machine: environment, files of the vendor's tools, roles.
  public var defaultCredentials: CredentialChain<AccessKey> { .alibabaDefault }

  /// Compares what was signed with what the service says that it signed.
  public func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis? {
    SignatureDiagnosis(
      of: RefusedAnswer(response, body: body), to: request, signedFor: .oss(bucket: bucket, style: try? endpoint.style))
  }

  /// The bucket and the encoded key.
  public func copySource(_ source: CopySource) -> String {
    "/\(source.bucket ?? bucket)/\(source.key.percentEncoded(.path))"
      + (source.versionID.map { "?versionId=\($0.percentEncoded())" } ?? "")
  }
}

extension StorageProvider where Self == OSSProvider {
  /// A bucket of Alibaba Cloud OSS.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, spelt `cn-hangzhou`.
  ///   - signature: The version of the signature.
  ///   - endpoint: The URL of another endpoint than the public one of the region: internal, accelerated, a custom domain,
  ///     LocalCloud.
  ///   - style: Where the bucket is in the URL; found out from the endpoint if not given. A custom domain has to say so.
  ///   - product: The product in the scope of V4: `oss`, or `oss-cloudbox`.
  ///   - additionalHeaders: Names of further headers that V4 signs where a request has them.
  ///   - additionalSubresources: Names of further parameters that V1 signs.
  public static func oss(
    bucket: String, region: String, signature: OSSSignatureVersion = .v4, endpoint: String? = nil,
    style: AddressingStyle? = nil, product: String = "oss", additionalHeaders: Set<String> = [],
    additionalSubresources: Set<String> = []
  ) -> OSSProvider {
    OSSProvider(
      bucket: bucket, region: region, signature: signature, endpoint: endpoint, style: style, product: product,
      additionalHeaders: additionalHeaders, additionalSubresources: additionalSubresources)
  }

  /// A bucket of Alibaba Cloud OSS at an endpoint.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, spelt `cn-hangzhou`.
  ///   - signature: The version of the signature.
  ///   - endpoint: The endpoint, such as the one of a LocalCloud.
  public static func oss(
    bucket: String, region: String, signature: OSSSignatureVersion = .v4, endpoint: ServiceEndpoint
  ) -> OSSProvider {
    OSSProvider(bucket: bucket, region: region, signature: signature, endpoint: endpoint)
  }
}

extension ServiceDialect {
  /// The dialect of OSS.
  package static let oss = {
    var dialect = ServiceDialect(
      headerPrefix: "x-oss-", paging: .continuationToken, encodesSpaceAsPlus: true,
      scopes: [
        "traffic-limit": .content, "forbid-overwrite": .publication, "callback": [.put, .complete],
        "callback-var": [.put, .complete],
        "object-acl": .publication, "server-side-data-encryption": .creation, "range-behavior": .get,
        "complete-all": .complete,
      ])
    dialect.checksums = [ChecksumHeader(.known("x-oss-hash-crc64ecma"), .crc64)]
    dialect.forbidOverwrite = HTTPField(name: .known("x-oss-forbid-overwrite"), value: "true")
    dialect.errorInHeader = .known("x-oss-err")
    dialect.detailCode = .known("x-oss-ec")
    return dialect
  }()
}
