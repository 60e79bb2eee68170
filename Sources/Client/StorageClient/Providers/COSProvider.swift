// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A storage provider for a bucket in Tencent Cloud COS.
public struct COSProvider: PresigningProvider {
  /// The type of the credentials that sign requests to COS.
  public typealias SigningCredential = AccessKey

  /// The bucket name, including the APPID of the account: `photos-1250000000`.
  public let bucket: String
  /// The region of the bucket, such as `ap-guangzhou`.
  public let region: String
  /// The signer of requests and presigned URLs.
  public let signer: COSSigner
  private let endpointResult: Result<ServiceEndpoint, SigningError>

  /// The short name of the service, `cos`.
  public var name: String { ServiceDescription.cos.name }

  /// The endpoint that requests are sent to.
  ///
  /// - Throws: A `SigningError` if the provider was created with an invalid region or endpoint.
  public var endpoint: ServiceEndpoint { get throws(SigningError) { try endpointResult.get() } }

  /// The signer that creates presigned URLs.
  public var presigner: COSSigner { signer }
  /// The service-specific header names and formats of COS.
  public var conventions: HeaderConventions { .cos }
  /// The default credential sources for Tencent Cloud on this machine: environment, files of the vendor's tools, roles.
  public var defaultCredentials: CredentialChain<AccessKey> { .tencentDefault }

  /// Returns how the request differs from what the service signed; see `StorageProvider.diagnosis(of:body:to:)`.
  public func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis? {
    SignatureDiagnosis(
      of: RejectedResponse(response, body: body), to: request, signedFor: .cos(style: try? endpoint.style))
  }

  /// Returns the value of the `x-cos-copy-source` header for a source: its host and key (page "PUT Object - Copy").
  public func copySource(_ source: CopySource) -> String {
    // The service requires the public host of the source, whatever the endpoint of the request is.
    let host = "\(source.bucket ?? bucket).cos.\(source.region ?? region)\(ServiceDescription.cos.domains[0])"
    return "\(host)/\(source.encodedKey)"
  }
}

extension COSProvider {
  /// Creates a storage provider for a COS bucket.
  ///
  /// - Parameters:
  ///   - bucket: The bucket name, including the APPID of the account: `photos-1250000000`.
  ///   - region: The region of the bucket, such as `ap-guangzhou`.
  ///   - endpoint: The URL of an endpoint other than the public one: internal, accelerated, custom domain, LocalCloud.
  ///   - style: The position of the bucket name in URLs. If `nil`, that of the endpoint; required for a custom domain.
  ///   - policy: The selection of headers to include in the signature.
  ///   - isStrict: Whether the signer rejects requests that the strict mode of the service would reject.
  ///   - headerLifetime: The lifetime of signatures in request headers, unless the key determines the lifetime.
  ///   - keyTime: The window of all signatures in request headers. If `nil`, the key and the current time determine it.
  public init(
    bucket: String, region: String, endpoint: String? = nil, style: AddressingStyle? = nil,
    policy: COSHeaderPolicy = .standard, isStrict: Bool = false, headerLifetime: Duration = .seconds(3600),
    keyTime: COSKeyTime? = nil
  ) {
    self.init(
      bucket: bucket, region: region,
      signer: COSSigner(policy: policy, isStrict: isStrict, headerLifetime: headerLifetime, keyTime: keyTime),
      endpointResult: Result { () throws(SigningError) in
        if let endpoint { return try ServiceEndpoint(endpoint, style: style) }
        return try .cos(region: region)
      })
  }

  /// Creates a storage provider for a COS bucket at the given endpoint, such as a LocalCloud endpoint.
  public init(bucket: String, region: String, endpoint: ServiceEndpoint) {
    self.init(bucket: bucket, region: region, signer: COSSigner(), endpointResult: .success(endpoint))
  }
}

extension StorageProvider where Self == COSProvider {
  /// Returns a storage provider for a bucket in Tencent Cloud COS; see the initializer of ``COSProvider``.
  public static func cos(
    bucket: String, region: String, endpoint: String? = nil, style: AddressingStyle? = nil,
    policy: COSHeaderPolicy = .standard, isStrict: Bool = false, headerLifetime: Duration = .seconds(3600),
    keyTime: COSKeyTime? = nil
  ) -> COSProvider {
    COSProvider(
      bucket: bucket, region: region, endpoint: endpoint, style: style, policy: policy, isStrict: isStrict,
      headerLifetime: headerLifetime, keyTime: keyTime)
  }

  /// Returns a storage provider for a COS bucket at the given endpoint; see the initializer of ``COSProvider``.
  public static func cos(bucket: String, region: String, endpoint: ServiceEndpoint) -> COSProvider {
    COSProvider(bucket: bucket, region: region, endpoint: endpoint)
  }
}

extension StorageProvider where Self == S3Provider {
  /// Returns a storage provider for a bucket in Tencent Cloud COS that uses the S3-compatible interface of the service.
  ///
  /// The interface has no checksums, and the region of signatures has no effect. Page: "Accessing COS with AWS S3 SDK".
  ///
  /// - Parameters:
  ///   - bucket: The bucket name, including the APPID of the account: `photos-1250000000`.
  ///   - region: The region of the bucket, such as `ap-guangzhou`.
  ///   - endpoint: An endpoint other than the region's public endpoint, such as a LocalCloud endpoint.
  public static func cosThroughS3(bucket: String, region: String, endpoint: ServiceEndpoint? = nil) -> S3Provider {
    let integrity = S3Integrity(checksum: nil)
    if let endpoint { return S3Provider(bucket: bucket, region: region, endpoint: endpoint, integrity: integrity) }
    return S3Provider(
      bucket: bucket, region: region, endpoint: "https://cos.\(region)\(ServiceDescription.cos.domains[0])",
      style: .virtualHosted, integrity: integrity)
  }
}

extension HeaderConventions {
  package static let cos = {
    let service = ServiceDescription.cos
    var conventions = HeaderConventions(
      headerPrefix: service.headerPrefix, paging: .marker,
      scopes: [
        "traffic-limit": .content, "forbid-overwrite": .publication, "callback": [.put, .complete],
        "callback-var": [.put, .complete], "acl": .publication, "object-type": .creation, "content-sha1": .put,
        "return-body": [.put, .complete],
      ])
    conventions.checksums = [ChecksumHeader(service.field("hash-crc64ecma"), .crc64)]
    conventions.replaceMetadata = "Replaced"
    conventions.documentReplacingHeaders = [service.field("callback"), service.field("return-body")]
    conventions.omitsAccountNumber = true
    conventions.forbidOverwrite = HTTPField(name: service.field("forbid-overwrite"), value: "true")
    conventions.overwritesWithVersioning = true
    conventions.domains = service.domains
    return conventions
  }()
}
