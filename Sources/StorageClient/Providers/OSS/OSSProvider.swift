// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import OSSAuth
public import StorageAuth
internal import StorageCrypto
public import StorageDiagnosis

/// The provider of Alibaba Cloud OSS.
public struct OSSProvider: PresigningProvider {
  /// The type of the credential that signs requests.
  public typealias SigningCredential = AccessKey

  /// The bucket.
  public let bucket: String

  /// The region, such as `cn-hangzhou`.
  public let region: String

  /// The signer of requests and URLs.
  public let signer: OSSSigner

  private let additionalHeaders: Set<String>
  private let additionalSubresources: Set<String>
  private let address: Result<ServiceEndpoint, SigningError>

  /// Creates the provider of a bucket.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, such as `cn-hangzhou`.
  ///   - signature: The version of the signature.
  ///   - endpoint: The URL of an endpoint other than the public one of the region: internal, accelerated, a custom
  ///     domain, LocalCloud.
  ///   - style: The position of the bucket in the URL; if `nil`, derived from the endpoint. It is required for a custom
  ///     domain.
  ///   - product: The product in the scope of V4: `oss`, or `oss-cloudbox`.
  ///   - additionalHeaders: The names of additional headers that a V4 signature covers if a request has them.
  ///   - additionalSubresources: The names of additional parameters that a V1 signature covers.
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

  /// Creates the provider of a bucket at an endpoint.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, such as `cn-hangzhou`.
  ///   - signature: The version of the signature.
  ///   - endpoint: The endpoint, such as that of a LocalCloud.
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
  ///
  /// - Throws: A `SigningError` if the provider was created with an invalid region or endpoint.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) { try address.get() }
  }

  /// The signer of URLs.
  public var presigner: OSSSigner { signer }

  /// A signer that also covers Content-Length, if the version supports it.
  ///
  /// A signing server learns the size of an upload only from that header.
  public var remoteSigner: OSSSigner {
    OSSSigner(
      signer.version, bucket: bucket, region: region, product: signer.product, style: signer.style,
      additionalHeaders: additionalHeaders.union(["content-length"]), additionalSubresources: additionalSubresources)
  }

  /// The service-specific names and formats.
  public var dialect: ServiceDialect { .oss }

  /// The default sources of Alibaba Cloud on this machine: environment, files of the vendor's tools, roles.
  public var defaultCredentials: CredentialChain<AccessKey> { .alibabaDefault }

  /// Returns the differences between the signed request and the one that the service reports to have signed.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body, or its beginning.
  ///   - request: The request as it was sent.
  public func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis? {
    SignatureDiagnosis(
      of: RefusedAnswer(response, body: body), to: request, signedFor: .oss(bucket: bucket, style: try? endpoint.style))
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
}

extension StorageProvider where Self == OSSProvider {
  /// Returns the provider of a bucket of Alibaba Cloud OSS.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, such as `cn-hangzhou`.
  ///   - signature: The version of the signature.
  ///   - endpoint: The URL of an endpoint other than the public one of the region: internal, accelerated, a custom
  ///     domain, LocalCloud.
  ///   - style: The position of the bucket in the URL; if `nil`, derived from the endpoint. It is required for a custom
  ///     domain.
  ///   - product: The product in the scope of V4: `oss`, or `oss-cloudbox`.
  ///   - additionalHeaders: The names of additional headers that a V4 signature covers if a request has them.
  ///   - additionalSubresources: The names of additional parameters that a V1 signature covers.
  public static func oss(
    bucket: String, region: String, signature: OSSSignatureVersion = .v4, endpoint: String? = nil,
    style: AddressingStyle? = nil, product: String = "oss", additionalHeaders: Set<String> = [],
    additionalSubresources: Set<String> = []
  ) -> OSSProvider {
    OSSProvider(
      bucket: bucket, region: region, signature: signature, endpoint: endpoint, style: style, product: product,
      additionalHeaders: additionalHeaders, additionalSubresources: additionalSubresources)
  }

  /// Returns the provider of a bucket of Alibaba Cloud OSS at an endpoint.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, such as `cn-hangzhou`.
  ///   - signature: The version of the signature.
  ///   - endpoint: The endpoint, such as that of a LocalCloud.
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
