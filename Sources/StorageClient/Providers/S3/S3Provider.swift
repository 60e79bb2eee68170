// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import S3Auth
public import StorageAuth
internal import StorageCrypto
public import StorageDiagnosis
internal import StorageXML

/// The provider of Amazon S3 and of compatible services: MinIO, Cloudflare R2, Ceph, the S3 endpoints of other clouds.
///
/// ```swift
/// let client = StorageClient(.s3(bucket: "photos", region: "eu-central-1"))
/// let minio = StorageClient(.s3(bucket: "photos", region: "us-east-1", endpoint: "https://minio.example.com:9000"))
/// ```
///
/// If the bucket turns out to be in another region, the client switches to that region for this and all later requests.
public struct S3Provider: PresigningProvider {
  /// The type of the credential that signs requests.
  public typealias SigningCredential = AccessKey

  /// The bucket.
  public let bucket: String

  /// The region, such as `eu-central-1`.
  public let region: String

  /// The addresses of Amazon S3 to use; without effect if an endpoint is given.
  public let network: S3Network

  /// The integrity protection of bodies: the checksum of uploads, and whether the signature covers bodies.
  public let integrity: S3Integrity

  /// The signer of requests and URLs.
  public let signer: S3Signer

  private let address: Result<ServiceEndpoint, SigningError>
  /// Whether the address is derived from the region.
  private let isAmazons: Bool

  /// Creates the provider of a bucket.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, such as `eu-central-1`; `auto` for Cloudflare R2.
  ///   - network: The addresses of Amazon S3 to use.
  ///   - endpoint: The URL of a service other than Amazon's, or of a private endpoint of Amazon's.
  ///   - style: The position of the bucket in the URL. If `nil`, it is in the host for Amazon's hosts, unless the
  ///     bucket's name has dots, and in the path for other hosts.
  ///   - integrity: The checksum of uploads, and whether the signature covers bodies.
  public init(
    bucket: String, region: String, network: S3Network = [], endpoint: String? = nil, style: AddressingStyle? = nil,
    integrity: S3Integrity = S3Integrity()
  ) {
    self.init(
      bucket: bucket, region: region, network: network, integrity: integrity, isAmazons: endpoint == nil,
      address: Result { () throws(SigningError) in
        guard let endpoint else { return try .s3(region: region, network: network, bucket: bucket) }
        let isVendors = try ServiceEndpoint(endpoint).authority.hasByteSuffix(".amazonaws.com")
        return try .s3(endpoint, style: style ?? (isVendors && !bucket.hasByte(".") ? .virtualHosted : .path))
      })
  }

  /// Creates the provider of a bucket at an endpoint.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region.
  ///   - endpoint: The endpoint, such as that of a LocalCloud.
  ///   - integrity: The checksum of uploads, and whether the signature covers bodies.
  public init(
    bucket: String, region: String, endpoint: ServiceEndpoint, integrity: S3Integrity = S3Integrity()
  ) {
    var endpoint = endpoint
    endpoint.keyByteLimit = ServiceEndpoint.s3KeyByteLimit
    self.init(
      bucket: bucket, region: region, network: [], integrity: integrity, isAmazons: false, address: .success(endpoint))
  }

  private init(
    bucket: String, region: String, network: S3Network, integrity: S3Integrity, isAmazons: Bool,
    address: Result<ServiceEndpoint, SigningError>
  ) {
    self.bucket = bucket
    self.region = region
    self.network = network
    self.integrity = integrity
    self.isAmazons = isAmazons
    self.address = address
    signer = S3Signer(region: region, bucket: bucket, style: try? address.get().style)
  }

  /// The short name of the service.
  public var name: String { "s3" }

  /// The address of the service.
  ///
  /// - Throws: A `SigningError` if the provider was created with an invalid region or endpoint.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) { try address.get() }
  }

  /// The signer of URLs.
  public var presigner: S3Signer { signer }

  /// A signer that also covers Content-Length: a signing server learns the size of an upload only from there.
  public var remoteSigner: S3Signer {
    S3Signer(
      region: region, bucket: bucket, style: signer.style, additionalHeaders: ["content-length"])
  }

  /// The service-specific names and formats.
  public var dialect: ServiceDialect { integrity.checksum == .crc32 ? .s3WithCRC32 : .s3 }

  /// The default sources of Amazon on this machine: environment, shared files, roles.
  public var defaultCredentials: CredentialChain<AccessKey> { .amazonDefault }

  /// Returns the differences between the signed request and the one that the service reports to have signed.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body, or its beginning.
  ///   - request: The request as it was sent.
  public func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis? {
    SignatureDiagnosis(
      of: RefusedAnswer(response, body: body), to: request, signedFor: .s3(region: region, style: try? endpoint.style))
  }

  /// Returns the bucket and the percent-encoded key.
  ///
  /// Page: "CopyObject".
  ///
  /// - Parameter source: The source of the copy.
  public func copySource(_ source: CopySource) -> String {
    "/\(source.bucket ?? bucket)/\(source.key.percentEncoded(.path))"
      + (source.versionID.map { "?versionId=\($0.percentEncoded())" } ?? "")
  }

  /// The location constraint; empty for `us-east-1`, which is the location without a constraint, and for `auto`.
  ///
  /// Page: "CreateBucket".
  public var bucketConfiguration: [UInt8] {
    guard region != "us-east-1", region != "auto" else { return [] }
    return XMLNode("CreateBucketConfiguration", children: [XMLNode("LocationConstraint", region)]).serialized()
  }

  /// Returns the provider with the region that a refusal names, and the endpoint of that region.
  ///
  /// Only the name of the region is used, and only if it is valid; a host in the response is ignored.
  ///
  /// Page: "Request redirection and the REST API".
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body, or its beginning.
  /// - Returns: The provider, or `nil` if the response names no other region.
  public func relocated(by response: HTTPResponse, body: [UInt8]) -> S3Provider? {
    guard [.movedPermanently, .found, .temporaryRedirect, .badRequest].contains(response.status) else { return nil }
    let error = try? XMLNode.parse(body)
    guard
      let named = response.headerFields[.s3BucketRegion] ?? error?["Region"]?.text, !named.isIdentical(to: region),
      let amazons = try? ServiceEndpoint.s3(region: named, network: network, bucket: bucket)
    else { return nil }
    return S3Provider(
      bucket: bucket, region: named, network: network, integrity: integrity, isAmazons: isAmazons,
      address: isAmazons ? .success(amazons) : address)
  }
}

/// The protection of uploads to S3 against damage in transit.
public struct S3Integrity: Sendable, Hashable {
  /// A checksum that is sent with an upload, so that the service rejects bytes that were damaged in transit.
  public enum Checksum: Sendable, Hashable {
    /// CRC-64/NVME, the default of the service.
    case crc64NVME
    /// CRC-32, which older services support.
    case crc32
  }

  /// A policy on whether the signature covers the SHA-256 of a body.
  public enum BodySigning: Sendable, Hashable {
    /// The signature covers the body over HTTP, but not over HTTPS, which protects the body itself.
    case automatic
    /// The signature covers the body.
    case always
    /// The signature does not cover the body.
    case never
  }

  /// The checksum of uploads, or `nil` for services that support none.
  public var checksum: Checksum?

  /// The policy on whether the signature covers bodies.
  public var bodySigning: BodySigning

  /// Creates the protection of uploads.
  ///
  /// - Parameters:
  ///   - checksum: The checksum of uploads, or `nil` for services that support none.
  ///   - bodySigning: The policy on whether the signature covers bodies.
  public init(checksum: Checksum? = .crc64NVME, bodySigning: BodySigning = .automatic) {
    self.checksum = checksum
    self.bodySigning = bodySigning
  }
}

// MARK: - Checksums

extension S3Provider {
  /// The checksum, and the SHA-256 of the body if the signature covers it.
  public var digests: DigestSet {
    var digests: DigestSet = integrity.checksum == nil ? [] : .checksum
    let signsBody =
      switch integrity.bodySigning {
      case .always: true
      case .never: false
      case .automatic: (try? address.get().scheme) == "http"
      }
    if signsBody { digests.insert(.sha256) }
    return digests
  }

  /// Returns the checksum headers, and the SHA-256 of the body.
  ///
  /// A range is requested without the checksum mode, because its response could carry the checksum of a part. A
  /// checksum header of the caller takes precedence over the computed one.
  ///
  /// Page: "Checking object integrity for data uploads".
  ///
  /// - Parameters:
  ///   - request: The request of an operation; empty for one that concerns no single object.
  ///   - body: The digests of the body; for the completion of a multipart upload, the checksum is that of the object.
  ///   - fields: The headers of the operation, including those of the caller.
  public func headers(of request: HeaderScope, body: BodyDigest, alongside fields: HTTPFields) -> HTTPFields {
    var headers = HTTPFields()
    if let sha256 = body.sha256 { headers[.s3ContentSHA256] = sha256 }
    let hasChecksum = fields.contains { $0.name.canonicalName.hasBytePrefix("x-amz-checksum-") }
    if request == .head || request == .get && fields[.range] == nil {
      headers[.s3ChecksumMode] = "ENABLED"
    } else if let header = dialect.checksums.first, integrity.checksum != nil, !hasChecksum {
      switch request {
      case .put, .part:
        if let checksum = body.checksum { headers.append(header.field(checksum)) }
      case .initiate:
        headers[.s3ChecksumAlgorithm] = integrity.checksum == .crc32 ? "CRC32" : "CRC64NVME"
        headers[.s3ChecksumType] = "FULL_OBJECT"
      case .complete:
        if let checksum = body.checksum { headers.append(header.field(checksum)) }
        headers[.s3ChecksumType] = "FULL_OBJECT"
      default: break
      }
    }
    return headers
  }
}

extension HTTPField.Name {
  fileprivate static let s3BucketRegion = HTTPField.Name.known("x-amz-bucket-region")
  fileprivate static let s3ContentSHA256 = HTTPField.Name.known("x-amz-content-sha256")
  fileprivate static let s3ChecksumMode = HTTPField.Name.known("x-amz-checksum-mode")
  fileprivate static let s3ChecksumAlgorithm = HTTPField.Name.known("x-amz-checksum-algorithm")
  fileprivate static let s3ChecksumType = HTTPField.Name.known("x-amz-checksum-type")
}

// MARK: - Dialect

extension ServiceDialect {
  /// The dialect of S3, with CRC-64/NVME for uploads.
  package static let s3 = makeS3(preferring: .crc64NVME)

  /// The dialect of S3, with CRC-32 for uploads.
  package static let s3WithCRC32 = makeS3(preferring: .crc32)

  private static func makeS3(preferring algorithm: ObjectChecksum.Algorithm) -> ServiceDialect {
    var dialect = ServiceDialect(
      headerPrefix: "x-amz-", paging: .continuationToken, encodesSpaceAsPlus: true,
      scopes: [
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
      ChecksumHeader(.known("x-amz-checksum-crc64nvme"), .crc64NVME, spelling: .base64),
      ChecksumHeader(.known("x-amz-checksum-crc32"), .crc32, spelling: .base64),
      ChecksumHeader(.known("x-amz-checksum-crc32c"), .crc32C, spelling: .base64),
    ]
    dialect.checksums = headers.filter { $0.algorithm == algorithm } + headers.filter { $0.algorithm != algorithm }
    dialect.rangesTellChecksum = false
    dialect.forbidOverwrite = HTTPField(name: .ifNoneMatch, value: "*")
    dialect.overwritesConditionally = true
    return dialect
  }
}

extension StorageProvider where Self == S3Provider {
  /// Returns the provider of a bucket of Amazon S3 or of a compatible service.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, such as `eu-central-1`; `auto` for Cloudflare R2.
  ///   - network: The addresses of Amazon S3 to use.
  ///   - endpoint: The URL of a service other than Amazon's, or of a private endpoint of Amazon's.
  ///   - style: The position of the bucket in the URL. If `nil`, it is in the host for Amazon's hosts, unless the
  ///     bucket's name has dots, and in the path for other hosts.
  ///   - integrity: The checksum of uploads, and whether the signature covers bodies.
  public static func s3(
    bucket: String, region: String, network: S3Network = [], endpoint: String? = nil, style: AddressingStyle? = nil,
    integrity: S3Integrity = S3Integrity()
  ) -> S3Provider {
    S3Provider(
      bucket: bucket, region: region, network: network, endpoint: endpoint, style: style, integrity: integrity)
  }

  /// Returns the provider of a bucket at an endpoint.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region.
  ///   - endpoint: The endpoint, such as that of a LocalCloud.
  ///   - integrity: The checksum of uploads, and whether the signature covers bodies.
  public static func s3(
    bucket: String, region: String, endpoint: ServiceEndpoint, integrity: S3Integrity = S3Integrity()
  ) -> S3Provider {
    S3Provider(bucket: bucket, region: region, endpoint: endpoint, integrity: integrity)
  }
}
