// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import COSAuth
public import HTTPTypes
public import StorageAuth
internal import StorageCrypto
public import StorageDiagnosis

/// The provider of Tencent Cloud COS.
public struct COSProvider: PresigningProvider {
  /// The type of the credential that signs requests.
  public typealias SigningCredential = AccessKey

  /// The bucket, including the account's number: `photos-1250000000`.
  public let bucket: String

  /// The region, such as `ap-guangzhou`.
  public let region: String

  /// The signer of requests and URLs.
  public let signer: COSSigner

  private let address: Result<ServiceEndpoint, SigningError>

  /// Creates the provider of a bucket.
  ///
  /// - Parameters:
  ///   - bucket: The bucket, including the account's number: `photos-1250000000`.
  ///   - region: The region, such as `ap-guangzhou`.
  ///   - endpoint: The URL of an endpoint other than the public one of the region: internal, accelerated, a custom
  ///     domain, LocalCloud.
  ///   - style: The position of the bucket in the URL; if `nil`, derived from the endpoint. It is required for a custom
  ///     domain.
  ///   - policy: The selection of headers that the signature covers.
  ///   - isStrict: Whether a request that the strict mode of the service would refuse is rejected before it is sent.
  ///   - headerLifetime: The lifetime of a signature in the headers, unless the key determines it.
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

  /// Creates the provider of a bucket at an endpoint.
  ///
  /// - Parameters:
  ///   - bucket: The bucket, including the account's number: `photos-1250000000`.
  ///   - region: The region, such as `ap-guangzhou`.
  ///   - endpoint: The endpoint, such as that of a LocalCloud.
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
  ///
  /// - Throws: A `SigningError` if the provider was created with an invalid region or endpoint.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) { try address.get() }
  }

  /// The signer of URLs.
  public var presigner: COSSigner { signer }

  /// The service-specific names and formats.
  public var dialect: ServiceDialect { .cos }

  /// The default sources of Tencent Cloud on this machine: environment, files of the vendor's tools, roles.
  public var defaultCredentials: CredentialChain<AccessKey> { .tencentDefault }

  /// Returns the differences between the signed request and the one that the service reports to have signed.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body, or its beginning.
  ///   - request: The request as it was sent.
  public func diagnosis(of response: HTTPResponse, body: [UInt8], to request: HTTPRequest) -> SignatureDiagnosis? {
    SignatureDiagnosis(
      of: RefusedAnswer(response, body: body), to: request, signedFor: .cos(style: try? endpoint.style))
  }

  /// Returns the host of the source bucket and the percent-encoded key.
  ///
  /// Page: "PUT Object - Copy".
  ///
  /// - Parameter source: The source of the copy.
  public func copySource(_ source: CopySource) -> String {
    "\(source.bucket ?? bucket).cos.\(source.region ?? region).myqcloud.com/\(source.key.percentEncoded(.path))"
      + (source.versionID.map { "?versionId=\($0.percentEncoded())" } ?? "")
  }
}

extension StorageProvider where Self == COSProvider {
  /// Returns the provider of a bucket of Tencent Cloud COS.
  ///
  /// - Parameters:
  ///   - bucket: The bucket, including the account's number: `photos-1250000000`.
  ///   - region: The region, such as `ap-guangzhou`.
  ///   - endpoint: The URL of an endpoint other than the public one of the region: internal, accelerated, a custom
  ///     domain, LocalCloud.
  ///   - style: The position of the bucket in the URL; if `nil`, derived from the endpoint. It is required for a custom
  ///     domain.
  ///   - policy: The selection of headers that the signature covers.
  ///   - isStrict: Whether a request that the strict mode of the service would refuse is rejected before it is sent.
  ///   - headerLifetime: The lifetime of a signature in the headers, unless the key determines it.
  public static func cos(
    bucket: String, region: String, endpoint: String? = nil, style: AddressingStyle? = nil,
    policy: COSHeaderPolicy = .standard, isStrict: Bool = false, headerLifetime: Duration = .seconds(3600)
  ) -> COSProvider {
    COSProvider(
      bucket: bucket, region: region, endpoint: endpoint, style: style, policy: policy, isStrict: isStrict,
      headerLifetime: headerLifetime)
  }

  /// Returns the provider of a bucket of Tencent Cloud COS at an endpoint.
  ///
  /// - Parameters:
  ///   - bucket: The bucket, including the account's number: `photos-1250000000`.
  ///   - region: The region, such as `ap-guangzhou`.
  ///   - endpoint: The endpoint, such as that of a LocalCloud.
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
