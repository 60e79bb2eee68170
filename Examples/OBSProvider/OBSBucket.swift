// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CloudCredentials
public import StorageAuth
public import StorageClient

/// A bucket of Huawei Cloud OBS as a provider for the storage client.
public struct OBSBucket: PresigningProvider {
  /// The type of the credentials that sign.
  public typealias SigningCredential = AccessKey

  /// The name of the bucket.
  public let bucket: String

  /// The region, in the form `cn-north-4`.
  public let region: String

  /// The signer of requests and URLs.
  public let signer: OBSSigner

  private let address: Result<ServiceEndpoint, SigningError>

  /// Creates a provider for a bucket.
  ///
  /// - Parameters:
  ///   - bucket: The name of the bucket.
  ///   - region: The region, in the form `cn-north-4`.
  ///   - endpoint: The URL of another endpoint than the public one of the region.
  ///   - style: The position of the bucket in the URL; `nil` derives it from the endpoint. A custom domain must be
  ///     stated.
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

  /// The endpoint of the service.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) { try address.get() }
  }

  /// The signer of URLs.
  public var presigner: OBSSigner { signer }

  /// The service's names and encodings; its documentation names neither a CRC-64 nor an option to forbid overwriting.
  public var dialect: ServiceDialect {
    ServiceDialect(
      headerPrefix: OBSName.prefix, paging: .marker, encodesSpaceAsPlus: true,
      scopes: ["acl": .publication, "expires": .creation, "website-redirect-location": .creation])
  }

  /// The credential chain of the environment variables that the vendor's SDK and samples read.
  public var defaultCredentials: CredentialChain<AccessKey> { .obsDefault }

  /// Returns the bucket and the percent-encoded key.
  public func copySource(_ source: CopySource) -> String {
    "/\(source.bucket ?? bucket)/\(WireText(source.key).percentEncoded(keepingSlashes: true))"
      + (source.versionID.map { "?versionId=\(WireText($0).percentEncoded())" } ?? "")
  }
}

extension StorageProvider where Self == OBSBucket {
  /// Returns a provider for a bucket of Huawei Cloud OBS.
  ///
  /// - Parameters:
  ///   - bucket: The name of the bucket.
  ///   - region: The region, in the form `cn-north-4`.
  ///   - endpoint: The URL of another endpoint than the public one of the region.
  ///   - style: The position of the bucket in the URL; `nil` derives it from the endpoint.
  public static func obs(
    bucket: String, region: String, endpoint: String? = nil, style: AddressingStyle? = nil
  ) -> OBSBucket {
    OBSBucket(bucket: bucket, region: region, endpoint: endpoint, style: style)
  }
}

extension EnvironmentCredentialProvider {
  /// The environment variables of the Python SDK, of reqsign, and of the samples in the documentation, in search order.
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
  /// The default credential sources of OBS: the environment.
  public static var obsDefault: CredentialChain<AccessKey> { obsDefault(EnvironmentCredentialProvider.obs) }

  /// Returns the default credential sources of OBS in a given context.
  ///
  /// - Parameter machine: The context that provides the environment.
  public static func obsDefault(_ machine: ProviderContext) -> CredentialChain<AccessKey> {
    obsDefault(EnvironmentCredentialProvider.obs.map { $0.reading(machine) })
  }

  private static func obsDefault(_ sources: [EnvironmentCredentialProvider]) -> CredentialChain<AccessKey> {
    CredentialChain(sources, source: "OBS default sources")
  }
}
