public import CloudCredentials
public import StorageAuth
public import StorageClient

/// Huawei Cloud OBS.
public struct OBSBucket: PresigningProvider {
  /// What requests are signed with.
  public typealias SigningCredential = AccessKey

  /// The bucket.
  public let bucket: String

  /// The region, spelt `cn-north-4`.
  public let region: String

  /// What signs requests and URLs.
  public let signer: OBSSigner

  private let address: Result<ServiceEndpoint, SigningError>

  /// Names a bucket.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, spelt `cn-north-4`.
  ///   - endpoint: The URL of another endpoint than the public one of the region.
  ///   - style: Where the bucket is in the URL; found out from the endpoint if not given. A custom domain has to say so.
  public init(bucket: String, region: String, endpoint: String? = nil, style: AddressingStyle? = nil) {
    self.bucket = bucket
    self.region = region
    address = Result { () throws(SigningError) in
      try ServiceEndpoint(endpoint ?? "https://obs.\(region).myhuaweicloud.com", style: style)
    }
    signer = OBSSigner(style: try? address.get().style)
  }

  /// The short name of the service.
  public var name: String { "obs" }

  /// The address of the service.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) { try address.get() }
  }

  /// What signs URLs.
  public var presigner: OBSSigner { signer }

  /// The names and spellings of the service; it has no CRC-64 and no way to forbid overwriting that its documentation names.
  public var dialect: ServiceDialect {
    ServiceDialect(
      headerPrefix: OBSName.prefix, paging: .marker, encodesSpaceAsPlus: true,
      scopes: ["acl": .publication, "expires": .creation, "website-redirect-location": .creation])
  }

  /// The variables of the environment that the vendor's SDK and samples read.
  public var defaultCredentials: CredentialChain<AccessKey> { .obsDefault }

  /// The bucket and the encoded key.
  public func copySource(_ source: CopySource) -> String {
    "/\(source.bucket ?? bucket)/\(WireText(source.key).percentEncoded(keepingSlashes: true))"
      + (source.versionID.map { "?versionId=\(WireText($0).percentEncoded())" } ?? "")
  }
}

extension StorageProvider where Self == OBSBucket {
  /// A bucket of Huawei Cloud OBS.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - region: The region, spelt `cn-north-4`.
  ///   - endpoint: The URL of another endpoint than the public one of the region.
  ///   - style: Where the bucket is in the URL; found out from the endpoint if not given.
  public static func obs(
    bucket: String, region: String, endpoint: String? = nil, style: AddressingStyle? = nil
  ) -> OBSBucket {
    OBSBucket(bucket: bucket, region: region, endpoint: endpoint, style: style)
  }
}

extension EnvironmentCredentialProvider {
  /// The variables of the Python SDK, of reqsign, and of the samples in the documentation, in the order of trial.
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
  /// The default sources of OBS: the environment.
  public static var obsDefault: CredentialChain<AccessKey> { obsDefault(EnvironmentCredentialProvider.obs) }

  /// The default sources of OBS on another machine.
  ///
  /// - Parameter machine: What may be touched.
  public static func obsDefault(_ machine: ProviderContext) -> CredentialChain<AccessKey> {
    obsDefault(EnvironmentCredentialProvider.obs.map { $0.reading(machine) })
  }

  private static func obsDefault(_ sources: [EnvironmentCredentialProvider]) -> CredentialChain<AccessKey> {
    CredentialChain(sources, source: "OBS default sources")
  }
}
