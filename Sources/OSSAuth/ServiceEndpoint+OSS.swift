// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The network on which a client reaches OSS.
public enum OSSNetwork: Sendable, Hashable, CaseIterable {
  /// The internet.
  case `public`
  /// The internal network of the cloud, in the same region; its traffic is free of charge.
  case `internal`
  /// The acceleration network, for a bucket that has it enabled.
  case accelerated
}

extension ServiceEndpoint {
  /// Returns the endpoint of OSS in a region.
  ///
  /// - Parameters:
  ///   - region: The region in its general form, such as `cn-hangzhou`.
  ///   - network: The network on which the client reaches OSS.
  /// - Throws: `SigningError.Code.invalidConfiguration` if the string is not the name of a region.
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
  /// The hosts of OSS, such as `oss-cn-hangzhou.aliyuncs.com`; in other domains a first label of `oss` stands for the
  /// service.
  ///
  /// Source: Alibaba Cloud, "OSS domain names".
  public static let oss = ServiceHosts(label: "oss", domain: ".aliyuncs.com", labelCount: 3)
}
