// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A network through which a client reaches OSS.
public enum OSSNetwork: Sendable, Hashable, CaseIterable {
  /// The public internet.
  case `public`
  /// The cloud's internal network within the same region, whose traffic is free of charge.
  case `internal`
  /// The acceleration network, for a bucket with transfer acceleration enabled.
  case accelerated
}

extension ServiceEndpoint {
  /// Returns the OSS endpoint for a region.
  ///
  /// - Parameters:
  ///   - region: The region ID without the prefix `oss-`, such as `cn-hangzhou`.
  ///   - network: The network through which the client reaches OSS.
  /// - Throws: `SigningError.Code.invalidConfiguration` if the string is not a region ID.
  public static func oss(region: String, network: OSSNetwork = .public) throws(SigningError) -> ServiceEndpoint {
    if let problem = OSSConfiguration.regionProblem(region) { throw problem }
    switch network {
    case .public: return try ServiceEndpoint("https://oss-\(region).aliyuncs.com")
    case .internal: return try ServiceEndpoint("https://oss-\(region)-internal.aliyuncs.com")
    case .accelerated: return try ServiceEndpoint("https://oss-accelerate.aliyuncs.com")
    }
  }
}

extension ServiceHosts {
  /// The host names of OSS, such as `oss-cn-hangzhou.aliyuncs.com`.
  ///
  /// In other domains, a host whose first label is `oss` is the service itself rather than a bucket.
  ///
  /// Source: Alibaba Cloud, "OSS domain names".
  public static let oss = ServiceHosts(label: "oss", domain: ".aliyuncs.com", labelCount: 3)
}
