// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth
public import StorageClient

/// A storage provider for a bucket in Huawei Cloud OBS.
public struct OBSBucket: PresigningProvider {
  /// The type of the credentials that sign requests to OBS.
  public typealias SigningCredential = AccessKey

  /// The bucket name.
  public let bucket: String

  /// The region of the bucket, such as `cn-north-4`.
  public let region: String

  /// The signer of requests and presigned URLs.
  public let signer: OBSSigner

  private let address: Result<ServiceEndpoint, SigningError>

  /// Creates a storage provider for an OBS bucket.
  ///
  /// - Parameters:
  ///   - bucket: The bucket name.
  ///   - region: The region of the bucket, such as `cn-north-4`.
  ///   - endpoint: The URL of an endpoint other than the region's public endpoint, or `nil` for the public endpoint.
  ///   - style: The position of the bucket name in request URLs. If `nil`, it is derived from the endpoint. Required
  ///     for a custom domain.
  public init(bucket: String, region: String, endpoint: String? = nil, style: AddressingStyle? = nil) {
    self.bucket = bucket
    self.region = region
    address = Result { () throws(SigningError) in
      try ServiceEndpoint(endpoint ?? "https://obs.\(region).myhuaweicloud.com", style: style)
    }
    signer = OBSSigner(style: try? address.get().style)
  }

  /// The short name of the service, `obs`.
  public var name: String { "obs" }

  /// The endpoint that requests are sent to.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) { try address.get() }
  }

  /// The signer that creates presigned URLs.
  public var presigner: OBSSigner { signer }

  /// The service-specific header names and encodings of OBS.
  ///
  /// The documentation of OBS describes neither a CRC-64 nor an option to forbid overwriting.
  public var conventions: HeaderConventions {
    HeaderConventions(
      headerPrefix: OBSName.prefix, paging: .marker, encodesSpaceAsPlus: true,
      scopes: ["acl": .publication, "expires": .creation, "website-redirect-location": .creation])
  }

  /// The credential chain for the environment variables that the vendor's SDK and samples read.
  public var defaultCredentials: CredentialChain<AccessKey> { .obsDefault }

  /// Returns the value of the header that specifies the source of a copy: the bucket and the percent-encoded key.
  public func copySource(_ source: CopySource) -> String {
    "/\(source.bucket ?? bucket)/\(ByteExactString(source.key).percentEncoded(keepingSlashes: true))"
      + (source.versionID.map { "?versionId=\(ByteExactString($0).percentEncoded())" } ?? "")
  }
}

extension StorageProvider where Self == OBSBucket {
  /// Returns a storage provider for a bucket in Huawei Cloud OBS.
  ///
  /// - Parameters:
  ///   - bucket: The bucket name.
  ///   - region: The region of the bucket, such as `cn-north-4`.
  ///   - endpoint: The URL of an endpoint other than the region's public endpoint, or `nil` for the public endpoint.
  ///   - style: The position of the bucket name in request URLs. If `nil`, it is derived from the endpoint. Required
  ///     for a custom domain.
  public static func obs(
    bucket: String, region: String, endpoint: String? = nil, style: AddressingStyle? = nil
  ) -> OBSBucket {
    OBSBucket(bucket: bucket, region: region, endpoint: endpoint, style: style)
  }
}

extension EnvironmentCredentialProvider {
  /// The providers that read the environment variables of OBS, in search order.
  ///
  /// The variables are those of the Python SDK, of reqsign, and of the samples in the documentation.
  public static let obs = [
    EnvironmentCredentialProvider(
      id: "OBS_ACCESS_KEY_ID", secret: "OBS_SECRET_ACCESS_KEY", tokens: ["OBS_SECURITY_TOKEN"]),
    EnvironmentCredentialProvider(
      id: "HUAWEI_CLOUD_ACCESS_KEY_ID", secret: "HUAWEI_CLOUD_SECRET_ACCESS_KEY",
      tokens: ["HUAWEI_CLOUD_SECURITY_TOKEN"]),
    EnvironmentCredentialProvider(id: "HUAWEICLOUD_SDK_AK", secret: "HUAWEICLOUD_SDK_SK", tokens: []),
  ]
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default credential sources for OBS: the environment variables.
  public static var obsDefault: CredentialChain<AccessKey> {
    CredentialChain(EnvironmentCredentialProvider.obs, source: "OBS default sources")
  }
}
