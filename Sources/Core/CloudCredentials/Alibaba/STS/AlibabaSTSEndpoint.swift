// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An endpoint of Alibaba Cloud's token service (STS).
public struct AlibabaSTSEndpoint: Sendable, Hashable {
  let url: String

  /// The global STS endpoint, which is reachable from everywhere: `sts.aliyuncs.com`.
  public static let global = AlibabaSTSEndpoint(url: "https://sts.aliyuncs.com")

  /// Returns the public STS endpoint for a region: `sts.<region>.aliyuncs.com`.
  ///
  /// - Parameter region: The region ID, such as `cn-hangzhou`.
  public static func region(_ region: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(url: "https://sts.\(region).aliyuncs.com")
  }

  /// Returns the STS endpoint inside a region's private network (VPC): `sts-vpc.<region>.aliyuncs.com`.
  ///
  /// - Parameter region: The region ID, such as `cn-hangzhou`.
  public static func vpc(_ region: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(url: "https://sts-vpc.\(region).aliyuncs.com")
  }

  /// Returns a custom STS endpoint.
  ///
  /// - Parameter url: The endpoint's URL with scheme, host and port. The scheme is `https`, or `http` if the server
  ///   runs on this machine.
  public static func url(_ url: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(url: url)
  }
}
