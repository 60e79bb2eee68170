public import COSAuth
public import HTTPTypes
public import StorageAuth
internal import StorageCrypto
public import StorageDiagnosis

/// Tencent Cloud COS.
public struct COSProvider: PresigningProvider {
  /// What requests are signed with.
  public typealias SigningCredential = AccessKey

  /// The bucket, with the number of the account: `photos-1250000000`.
  public let bucket: String

  /// The region, spelt `ap-guangzhou`.
  public let region: String

  /// What signs requests and URLs.
  public let signer: COSSigner

  private let address: Result<ServiceEndpoint, SigningError>

  /// Names a bucket.
  ///
  /// - Parameters:
  ///   - bucket: The bucket, with the number of the account: `photos-1250000000`.
  ///   - region: The region, spelt `ap-guangzhou`.
  ///   - endpoint: The URL of another endpoint than the public one of the region: internal, accelerated, a custom domain,
  ///     LocalCloud.
  ///   - style: Where the bucket is in the URL; found out from the endpoint if not given. A custom domain has to say so.
  ///   - policy: Which headers are signed.
  ///   - isStrict: Whether a request that the strict mode of the service would refuse is refused before it is sent.
  ///   - headerLifetime: How long a signature in the headers is valid, if the key does not say.
  public init(
    bucket: String, region: String, endpoint: String? = nil, style: AddressingStyle? = nil,
    policy: COSHeaderPolicy = .standard, isStrict: Bool = false, headerLifetime: Duration = .seconds(3600)
  ) {
    self.init(
      bucket: bucket, region: region,
      signer: COSSigner(policy: policy, isStrict: isStrict, headerLifetime: headerLifetime),
      address: Result { () throws(SigningError) in
        if let endpoint { return try ServiceEndpoint(endpoint, style: style) }
        return try .cos(region: region)
      })
  }

  /// Names a bucket at an endpoint.
  ///
  /// - Parameters:
  ///   - bucket: The bucket, with the number of the account: `photos-1250000000`.
  ///   - region: The region, spelt `ap-guangzhou`.
  ///   - endpoint: The endpoint, such as the one of a LocalCloud.
  public init(
    bucket: String, region: String, endpoint: ServiceEndpoint
  ) {
    self.init(bucket: bucket, region: region, address: .success(endpoint))
  }

  private init(
    bucket: String, region: String, signer: COSSigner = COSSigner(), address: Result<ServiceEndpoint, SigningError>
  ) {
    self.bucket = bucket
    self.region = region
    self.address = address
    self.signer = signer
  }

  /// The short name of the service.
  public var name: String { "cos" }

  /// The address of the service.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) { try address.get() }
  }

  /// What signs URLs.
  public var presigner: COSSigner { signer }

  /// The names and spellings of the service.
  public var dialect: ServiceDialect { .cos }

  /// The default sources of Tencent Cloud on this machine: environment, files of the vendor's tools, roles.
  public var defaultCredentials: CredentialChain<AccessKey> { .tencentDefault }

  /// Compares what was signed with what the service says that it signed.
  public func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis? {
    SignatureDiagnosis(
      of: RefusedAnswer(response, body: body), to: request, signedFor: .cos(style: try? endpoint.style))
  }

  /// The host of the source bucket and the encoded key.
  public func copySource(_ source: CopySource) -> String {
    "\(source.bucket ?? bucket).cos.\(source.region ?? region).myqcloud.com/\(source.key.percentEncoded(.path))"
      + (source.versionID.map { "?versionId=\($0.percentEncoded())" } ?? "")
  }
}

extension StorageProvider where Self == COSProvider {
  /// A bucket of Tencent Cloud COS.
  ///
  /// - Parameters:
  ///   - bucket: The bucket, with the number of the account: `photos-1250000000`.
  ///   - region: The region, spelt `ap-guangzhou`.
  ///   - endpoint: The URL of another endpoint than the public one of the region: internal, accelerated, a custom domain,
  ///     LocalCloud.
  ///   - style: Where the bucket is in the URL; found out from the endpoint if not given. A custom domain has to say so.
  ///   - policy: Which headers are signed.
  ///   - isStrict: Whether a request that the strict mode of the service would refuse is refused before it is sent.
  ///   - headerLifetime: How long a signature in the headers is valid, if the key does not say.
  public static func cos(
    bucket: String, region: String, endpoint: String? = nil, style: AddressingStyle? = nil,
    policy: COSHeaderPolicy = .standard, isStrict: Bool = false, headerLifetime: Duration = .seconds(3600)
  ) -> COSProvider {
    COSProvider(
      bucket: bucket, region: region, endpoint: endpoint, style: style, policy: policy, isStrict: isStrict,
      headerLifetime: headerLifetime)
  }

  /// A bucket of Tencent Cloud COS at an endpoint.
  ///
  /// - Parameters:
  ///   - bucket: The bucket, with the number of the account: `photos-1250000000`.
  ///   - region: The region, spelt `ap-guangzhou`.
  ///   - endpoint: The endpoint, such as the one of a LocalCloud.
  public static func cos(
    bucket: String, region: String, endpoint: ServiceEndpoint
  ) -> COSProvider {
    COSProvider(bucket: bucket, region: region, endpoint: endpoint)
  }
}

extension ServiceDialect {
  /// The dialect of COS.
  package static let cos = {
    var dialect = ServiceDialect(
      headerPrefix: "x-cos-", paging: .marker,
      scopes: [
        "traffic-limit": .content, "forbid-overwrite": .publication, "callback": [.put, .complete],
        "callback-var": [.put, .complete],
        "acl": .publication, "object-type": .creation, "content-sha1": .put, "return-body": [.put, .complete],
      ])
    dialect.checksums = [ChecksumHeader(.known("x-cos-hash-crc64ecma"), .crc64)]
    dialect.replaceMetadata = "Replaced"
    dialect.forbidOverwrite = HTTPField(name: .known("x-cos-forbid-overwrite"), value: "true")
    return dialect
  }()
}
