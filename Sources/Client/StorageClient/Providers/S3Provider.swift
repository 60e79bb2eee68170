// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A storage provider for a bucket in Amazon S3 or a compatible service, such as MinIO, Cloudflare R2 or Ceph.
///
/// ```swift
/// let client = StorageClient(.s3(bucket: "photos", region: "eu-central-1"))
/// let minio = StorageClient(.s3(bucket: "photos", region: "us-east-1", endpoint: "https://minio.example.com:9000"))
/// ```
///
/// If the bucket turns out to be in another region, the client switches to that region for this and all later requests.
public struct S3Provider: PresigningProvider {
  /// The type of the credentials that sign requests to S3.
  public typealias SigningCredential = AccessKey

  /// The bucket name.
  public let bucket: String
  /// The region of the bucket, such as `eu-central-1`.
  public let region: String
  /// The Amazon S3 addresses to use, such as dual-stack addresses, unless an endpoint is given.
  public let network: S3Network
  /// The integrity protection of request bodies: the checksum of uploads, and whether signatures include bodies.
  public let integrity: S3Integrity
  /// The signer of requests and presigned URLs.
  public let signer: S3Signer
  private let endpointResult: Result<ServiceEndpoint, SigningError>
  /// Whether the endpoint is derived from the region, because no endpoint was given.
  private let usesAmazonEndpoint: Bool

  /// Creates a storage provider for an S3 bucket.
  ///
  /// - Parameters:
  ///   - bucket: The bucket name.
  ///   - region: The region of the bucket, such as `eu-central-1`, or `auto` for Cloudflare R2.
  ///   - network: The Amazon S3 addresses to use.
  ///   - endpoint: The URL of a compatible service, or of a private Amazon endpoint. If `nil`, that of the region.
  ///   - style: The position of the bucket name in request URLs. If `nil`, the name is in the host for Amazon's hosts,
  ///     unless the name contains dots, and in the path for other hosts.
  ///   - integrity: The checksum of uploads, and whether signatures include bodies.
  public init(
    bucket: String, region: String, network: S3Network = [], endpoint: String? = nil, style: AddressingStyle? = nil,
    integrity: S3Integrity = S3Integrity()
  ) {
    self.init(
      bucket: bucket, region: region, network: network, integrity: integrity, usesAmazonEndpoint: endpoint == nil,
      endpointResult: Result { () throws(SigningError) in
        guard let endpoint else { return try .s3(region: region, network: network, bucket: bucket) }
        let defaultStyle = try Self.defaultStyle(for: bucket, at: endpoint)
        return try .s3(endpoint, style: style ?? defaultStyle)
      })
  }

  private static func defaultStyle(for bucket: String, at endpoint: String) throws(SigningError) -> AddressingStyle {
    let host = hostWithoutPort(try ServiceEndpoint(endpoint).authority).asciiLowercased
    // The certificates of Amazon's hosts are not valid for bucket names with dots.
    return ServiceDescription.s3.owns(host: host) && !bucket.hasByte(".") ? .virtualHosted : .path
  }

  /// Creates a storage provider for an S3 bucket at the given endpoint, such as a LocalCloud endpoint.
  public init(bucket: String, region: String, endpoint: ServiceEndpoint, integrity: S3Integrity = S3Integrity()) {
    var endpoint = endpoint
    endpoint.keyByteLimit = ServiceDescription.s3.keyByteLimit
    self.init(
      bucket: bucket, region: region, network: [], integrity: integrity, usesAmazonEndpoint: false,
      endpointResult: .success(endpoint))
  }

  private init(
    bucket: String, region: String, network: S3Network, integrity: S3Integrity, usesAmazonEndpoint: Bool,
    endpointResult: Result<ServiceEndpoint, SigningError>
  ) {
    self.bucket = bucket
    self.region = region
    self.network = network
    self.integrity = integrity
    self.usesAmazonEndpoint = usesAmazonEndpoint
    self.endpointResult = endpointResult
    // A client without a bucket lists the buckets of the service.
    signer = S3Signer(region: region, bucket: bucket.isEmpty ? nil : bucket, style: try? endpointResult.get().style)
  }

  /// The short name of the service, `s3`.
  public var name: String { ServiceDescription.s3.name }

  /// The endpoint that requests are sent to.
  ///
  /// - Throws: A `SigningError` if the provider was created with an invalid region or endpoint.
  public var endpoint: ServiceEndpoint { get throws(SigningError) { try endpointResult.get() } }

  /// The signer that creates presigned URLs.
  public var presigner: S3Signer { signer }

  /// A signer that includes `Content-Length` in signatures, to tell a signing server the size of an upload.
  public var remoteSigner: S3Signer {
    S3Signer(region: region, bucket: signer.bucket, style: signer.style, additionalHeaders: ["content-length"])
  }

  /// The service-specific header names and formats of S3, with the configured checksum first.
  public var conventions: HeaderConventions { integrity.checksum == .crc32 ? .s3WithCRC32 : .s3 }
  /// The default credential sources for AWS on this machine: environment, shared files, roles.
  public var defaultCredentials: CredentialChain<AccessKey> { .amazonDefault }

  /// Returns how the request differs from what the service signed; see `StorageProvider.diagnosis(of:body:to:)`.
  public func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis? {
    SignatureDiagnosis(
      of: RejectedResponse(response, body: body), to: request,
      signedFor: .s3(region: region, style: try? endpoint.style))
  }

  /// Returns the value of the `x-amz-copy-source` header for a source: its bucket and encoded key (page "CopyObject").
  public func copySource(_ source: CopySource) -> String { "/\(source.bucket ?? bucket)/\(source.encodedKey)" }

  /// The XML document with the location constraint of a new bucket, which is empty for `us-east-1` and for `auto`.
  ///
  /// Page: "CreateBucket".
  public var bucketConfiguration: [UInt8] {
    guard region != "us-east-1", region != "auto" else { return [] }
    return XMLNode("CreateBucketConfiguration", children: [XMLNode("LocationConstraint", region)]).serialized()
  }

  /// Returns the provider for the region to which an error response redirects the client, with that region's endpoint.
  ///
  /// Only a valid region name in the response is used, never a host. Page: "Request redirection and the REST API".
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body of the response, or its beginning.
  /// - Returns: The provider for the other region, or `nil` if the response specifies no other region.
  public func relocated(by response: HTTPResponse, body: [UInt8]) -> S3Provider? {
    guard [.movedPermanently, .found, .temporaryRedirect, .badRequest].contains(response.status) else { return nil }
    let error = try? ServiceDocument.root(of: body)
    guard
      let newRegion = response.headerFields[.s3BucketRegion] ?? error?["Region"]?.text,
      !newRegion.isIdentical(to: region),
      let amazonEndpoint = try? ServiceEndpoint.s3(region: newRegion, network: network, bucket: bucket)
    else { return nil }
    // For another endpoint than Amazon's, `amazonEndpoint` has only shown that the region's name is valid.
    return S3Provider(
      bucket: bucket, region: newRegion, network: network, integrity: integrity, usesAmazonEndpoint: usesAmazonEndpoint,
      endpointResult: usesAmazonEndpoint ? .success(amazonEndpoint) : endpointResult)
  }
}

/// The settings that protect uploads to S3 against damage in transit.
public struct S3Integrity: Sendable, Hashable {
  /// A checksum that is sent with an upload, so that the service rejects bytes that were damaged in transit.
  public enum Checksum: Sendable, Hashable {
    /// The checksum algorithm CRC-64/NVME, which is the default of the service.
    case crc64NVME
    /// The checksum algorithm CRC-32, which older services support.
    case crc32
  }

  /// A policy on whether signatures include the SHA-256 digest of a request body.
  public enum BodySigning: Sendable, Hashable {
    /// Signatures include the body over HTTP, but not over HTTPS, which protects the body itself.
    case automatic
    /// Signatures always include the body.
    case always
    /// Signatures never include the body.
    case never
  }

  /// The checksum that is sent with uploads, or `nil` for services that support none; downloads always request one.
  public var checksum: Checksum?
  /// The policy on whether signatures include request bodies.
  public var bodySigning: BodySigning

  /// Creates integrity settings for uploads; the parameters are the properties.
  public init(checksum: Checksum? = .crc64NVME, bodySigning: BodySigning = .automatic) {
    self.checksum = checksum
    self.bodySigning = bodySigning
  }
}

extension S3Provider {
  /// The digests to compute for a request body: the configured checksum, and the SHA-256 if signatures include it.
  public var digests: DigestSet {
    let signsBody =
      switch integrity.bodySigning {
      case .always: true
      case .never: false
      case .automatic: (try? endpointResult.get().scheme) == "http"
      }
    let digests: DigestSet = integrity.checksum == nil ? [] : .checksum
    return signsBody ? digests.union(.sha256) : digests
  }

  /// Returns the checksum headers of a request, and the header with the SHA-256 of its body.
  ///
  /// A range is requested without the checksum mode, because the response could contain the checksum of a part. The
  /// computed checksum is not sent beside that of the caller. Page: "Checking object integrity for data uploads".
  ///
  /// - Parameters:
  ///   - request: The kind of request; empty for a request that concerns no single object.
  ///   - body: The digests of the request body. For the completion of a multipart upload, the checksum is the object's.
  ///   - fields: The headers of the operation, including the caller's headers.
  public func headers(of request: HeaderScope, body: BodyDigest, alongside fields: HTTPFields) -> HTTPFields {
    var checksumHeaders = HTTPFields()
    if let sha256 = body.sha256 { checksumHeaders[.s3ContentSHA256] = sha256 }
    let isChecksumGiven = fields.contains {
      $0.name.canonicalName.hasBytePrefix(ServiceDescription.s3.header("checksum-"))
    }
    let sendsChecksum = integrity.checksum != nil && !isChecksumGiven
    switch request {
    case .head: checksumHeaders[.s3ChecksumMode] = "ENABLED"
    case .get where fields[.range] == nil: checksumHeaders[.s3ChecksumMode] = "ENABLED"
    case .initiate where sendsChecksum:
      checksumHeaders[.s3ChecksumAlgorithm] = integrity.checksum == .crc32 ? "CRC32" : "CRC64NVME"
      checksumHeaders[.s3ChecksumType] = "FULL_OBJECT"
    case .put where sendsChecksum, .part where sendsChecksum, .complete where sendsChecksum:
      if let checksum = body.checksum, let header = conventions.checksums.first {
        checksumHeaders.append(header.field(with: checksum))
      }
      if request == .complete { checksumHeaders[.s3ChecksumType] = "FULL_OBJECT" }
    default: break
    }
    return checksumHeaders
  }
}

extension HTTPField.Name {
  fileprivate static let s3BucketRegion = ServiceDescription.s3.field("bucket-region")
  fileprivate static let s3ChecksumMode = ServiceDescription.s3.field("checksum-mode")
  fileprivate static let s3ChecksumAlgorithm = ServiceDescription.s3.field("checksum-algorithm")
  fileprivate static let s3ChecksumType = ServiceDescription.s3.field("checksum-type")
}

extension HeaderConventions {
  package static let s3 = s3Conventions(preferring: .crc64NVME)
  static let s3WithCRC32 = s3Conventions(preferring: .crc32)

  private static func s3Conventions(preferring algorithm: ObjectChecksum.Algorithm) -> HeaderConventions {
    let service = ServiceDescription.s3
    var conventions = HeaderConventions(
      headerPrefix: service.headerPrefix, paging: .continuationToken, encodesSpaceAsPlus: true,
      scopes: [
        // A completion needs the key if the upload has a checksum algorithm (page "CompleteMultipartUpload").
        "server-side-encryption-customer-algorithm": .customerKey.union(.complete),
        "server-side-encryption-customer-key": .customerKey.union(.complete),
        "server-side-encryption-customer-key-md5": .customerKey.union(.complete),
        "acl": .creation, "grant-full-control": .creation, "grant-read": .creation, "grant-read-acp": .creation,
        "grant-write-acp": .creation, "object-lock-mode": .creation, "object-lock-retain-until-date": .creation,
        "object-lock-legal-hold": .creation, "website-redirect-location": .creation, "expected-bucket-owner": .all,
        "source-expected-bucket-owner": .copy, "checksum-crc32": .put, "checksum-crc32c": .put,
        "checksum-crc64nvme": .put, "checksum-sha1": .put, "checksum-sha256": .put,
        // The client sets these headers itself, or never sends them.
        "checksum-algorithm": [], "checksum-type": [], "checksum-mode": [], "sdk-checksum-algorithm": [],
        "content-sha256": [], "trailer": [], "decoded-content-length": [], "date": [], "security-token": [],
      ],
      standardScopes: [
        "if-match": [.get, .head, .put, .complete], "if-none-match": [.get, .head, .put, .complete, .copy],
      ])
    let headers = [
      ChecksumHeader(service.field("checksum-crc64nvme"), .crc64NVME, spelling: .base64),
      ChecksumHeader(service.field("checksum-crc32"), .crc32, spelling: .base64),
      ChecksumHeader(service.field("checksum-crc32c"), .crc32C, spelling: .base64),
    ]
    conventions.checksums = headers.filter { $0.algorithm == algorithm } + headers.filter { $0.algorithm != algorithm }
    conventions.rangesTellChecksum = false
    conventions.forbidOverwrite = HTTPField(name: .ifNoneMatch, value: "*")
    conventions.overwritesConditionally = true
    // Pages: "Access points for general purpose buckets" and "Object Lambda Access Points", section on aliases.
    conventions.aliasSuffixes = ["-s3alias", "--ol-s3"]
    conventions.domains = service.domains
    return conventions
  }
}

extension StorageProvider where Self == S3Provider {
  /// Returns a storage provider for a bucket in Amazon S3 or a compatible service; see ``S3Provider``'s initializer.
  public static func s3(
    bucket: String, region: String, network: S3Network = [], endpoint: String? = nil, style: AddressingStyle? = nil,
    integrity: S3Integrity = S3Integrity()
  ) -> S3Provider {
    S3Provider(bucket: bucket, region: region, network: network, endpoint: endpoint, style: style, integrity: integrity)
  }

  /// Returns a storage provider for an S3 bucket at the given endpoint; see the initializer of ``S3Provider``.
  public static func s3(
    bucket: String, region: String, endpoint: ServiceEndpoint, integrity: S3Integrity = S3Integrity()
  ) -> S3Provider { S3Provider(bucket: bucket, region: region, endpoint: endpoint, integrity: integrity) }
}
