// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A storage provider for a bucket in Alibaba Cloud OSS.
public struct OSSProvider: PresigningProvider {
  /// The type of the credentials that sign requests to OSS.
  public typealias SigningCredential = AccessKey

  /// The bucket name.
  public let bucket: String
  /// The region of the bucket, such as `cn-hangzhou`.
  public let region: String
  /// The signer of requests and presigned URLs.
  public let signer: OSSSigner
  private let additionalHeaders: Set<String>
  private let additionalSubresources: Set<String>
  private let endpointResult: Result<ServiceEndpoint, SigningError>

  /// Creates a storage provider for an OSS bucket.
  ///
  /// - Parameters:
  ///   - bucket: The bucket name.
  ///   - region: The region of the bucket, such as `cn-hangzhou`.
  ///   - signature: The signature version.
  ///   - endpoint: The URL of an endpoint other than the public one: internal, accelerated, custom domain, LocalCloud.
  ///   - style: The position of the bucket name in URLs. If `nil`, that of the endpoint; required for a custom domain.
  ///   - product: The product name in the scope of V4 signatures: `oss`, or `oss-cloudbox`.
  ///   - additionalHeaders: The names of additional headers to include in V4 signatures if a request has them.
  ///   - additionalSubresources: The names of additional query parameters to include in V1 signatures.
  public init(
    bucket: String, region: String, signature: OSSSignatureVersion = .v4, endpoint: String? = nil,
    style: AddressingStyle? = nil, product: String = "oss", additionalHeaders: Set<String> = [],
    additionalSubresources: Set<String> = []
  ) {
    self.init(
      bucket: bucket, region: region, signature: signature, product: product, additionalHeaders: additionalHeaders,
      additionalSubresources: additionalSubresources,
      endpointResult: Result { () throws(SigningError) in
        if let endpoint { return try ServiceEndpoint(endpoint, style: style) }
        return try .oss(region: region)
      })
  }

  /// Creates a storage provider for an OSS bucket at the given endpoint, such as a LocalCloud endpoint.
  public init(bucket: String, region: String, signature: OSSSignatureVersion = .v4, endpoint: ServiceEndpoint) {
    self.init(bucket: bucket, region: region, signature: signature, endpointResult: .success(endpoint))
  }

  private init(
    bucket: String, region: String, signature: OSSSignatureVersion, product: String = "oss",
    additionalHeaders: Set<String> = [], additionalSubresources: Set<String> = [],
    endpointResult: Result<ServiceEndpoint, SigningError>
  ) {
    self.additionalHeaders = additionalHeaders
    self.additionalSubresources = additionalSubresources
    self.bucket = bucket
    self.region = region
    self.endpointResult = endpointResult
    // A client without a bucket lists the buckets of the service.
    signer = OSSSigner(
      signature, bucket: bucket.isEmpty ? nil : bucket, region: region, product: product,
      style: try? endpointResult.get().style, additionalHeaders: additionalHeaders,
      additionalSubresources: additionalSubresources)
  }

  /// The short name of the service, `oss`.
  public var name: String { ServiceDescription.oss.name }

  /// The endpoint that requests are sent to.
  ///
  /// - Throws: A `SigningError` if the provider was created with an invalid region or endpoint.
  public var endpoint: ServiceEndpoint { get throws(SigningError) { try endpointResult.get() } }

  /// The signer that creates presigned URLs.
  public var presigner: OSSSigner { signer }

  /// A signer that includes `Content-Length` in V4 signatures, to tell a signing server the size of an upload.
  ///
  /// V1 signatures include no additional headers.
  public var remoteSigner: OSSSigner {
    OSSSigner(
      signer.version, bucket: signer.bucket, region: region, product: signer.product, style: signer.style,
      additionalHeaders: additionalHeaders.union(["content-length"]), additionalSubresources: additionalSubresources)
  }

  /// The service-specific header names and formats of OSS.
  public var conventions: HeaderConventions { .oss }
  /// The default credential sources for Alibaba Cloud on this machine: environment, files of the vendor's tools, roles.
  public var defaultCredentials: CredentialChain<AccessKey> { .alibabaDefault }

  /// Returns how the request differs from what the service signed; see `StorageProvider.diagnosis(of:body:to:)`.
  public func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis? {
    SignatureDiagnosis(
      of: RejectedResponse(response, body: body), to: request,
      signedFor: .oss(bucket: bucket, style: try? endpoint.style))
  }

  /// Returns the header that makes OSS shorten a range to the end of the object, as the other services do.
  ///
  /// Otherwise OSS sends the whole object for a range beyond its end. A caller's header is kept. Page: "GetObject".
  ///
  /// - Parameters:
  ///   - request: The kind of request.
  ///   - body: The digests of the request body.
  ///   - fields: The headers of the operation, including the caller's headers.
  public func headers(of request: HeaderScope, body: BodyDigest, alongside fields: HTTPFields) -> HTTPFields {
    guard request == .get, fields.contains(.range), !fields.contains(Self.rangeBehavior) else { return [:] }
    return [Self.rangeBehavior: "standard"]
  }

  private static let rangeBehavior = ServiceDescription.oss.field("range-behavior")

  /// Returns the value of the `x-oss-copy-source` header for a source: its bucket and encoded key (page "CopyObject").
  public func copySource(_ source: CopySource) -> String { "/\(source.bucket ?? bucket)/\(source.encodedKey)" }
}

extension StorageProvider where Self == OSSProvider {
  /// Returns a storage provider for a bucket in Alibaba Cloud OSS; see the initializer of ``OSSProvider``.
  public static func oss(
    bucket: String, region: String, signature: OSSSignatureVersion = .v4, endpoint: String? = nil,
    style: AddressingStyle? = nil, product: String = "oss", additionalHeaders: Set<String> = [],
    additionalSubresources: Set<String> = []
  ) -> OSSProvider {
    OSSProvider(
      bucket: bucket, region: region, signature: signature, endpoint: endpoint, style: style, product: product,
      additionalHeaders: additionalHeaders, additionalSubresources: additionalSubresources)
  }

  /// Returns a storage provider for an OSS bucket at the given endpoint; see the initializer of ``OSSProvider``.
  public static func oss(
    bucket: String, region: String, signature: OSSSignatureVersion = .v4, endpoint: ServiceEndpoint
  ) -> OSSProvider { OSSProvider(bucket: bucket, region: region, signature: signature, endpoint: endpoint) }
}

extension StorageProvider where Self == S3Provider {
  /// Returns a storage provider for a bucket in Alibaba Cloud OSS that uses the S3-compatible interface of the service.
  ///
  /// The interface has no checksums, and the region of signatures has no effect. Page: "Access OSS using an AWS SDK".
  ///
  /// - Parameters:
  ///   - bucket: The bucket name.
  ///   - region: The region of the bucket, such as `cn-hangzhou`.
  ///   - endpoint: An endpoint other than the region's public endpoint, such as a LocalCloud endpoint.
  public static func ossThroughS3(bucket: String, region: String, endpoint: ServiceEndpoint? = nil) -> S3Provider {
    let integrity = S3Integrity(checksum: nil)
    if let endpoint { return S3Provider(bucket: bucket, region: region, endpoint: endpoint, integrity: integrity) }
    return S3Provider(
      bucket: bucket, region: region, endpoint: "https://s3.oss-\(region).aliyuncs.com", style: .virtualHosted,
      integrity: integrity)
  }
}

extension HeaderConventions {
  package static let oss = {
    let service = ServiceDescription.oss
    var conventions = HeaderConventions(
      headerPrefix: service.headerPrefix, paging: .continuationToken, encodesSpaceAsPlus: true,
      scopes: [
        "traffic-limit": .content, "forbid-overwrite": .publication, "callback": [.put, .complete],
        "callback-var": [.put, .complete], "object-acl": .publication, "server-side-data-encryption": .creation,
        "range-behavior": .get, "complete-all": .complete,
      ])
    conventions.checksums = [ChecksumHeader(service.field("hash-crc64ecma"), .crc64)]
    conventions.forbidOverwrite = HTTPField(name: service.field("forbid-overwrite"), value: "true")
    conventions.overwritesWithVersioning = true
    conventions.errorInHeader = service.errorCodes.headHeader
    conventions.detailCode = service.field("ec")
    conventions.callback = .ossCallback
    conventions.domains = service.domains
    return conventions
  }()
}
