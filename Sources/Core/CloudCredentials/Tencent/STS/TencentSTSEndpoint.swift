// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An endpoint of Tencent Cloud's token service (STS).
public struct TencentSTSEndpoint: Sendable, Hashable {
  let url: String

  /// The default STS endpoint: `sts.tencentcloudapi.com`.
  public static let standard = TencentSTSEndpoint(url: "https://sts.tencentcloudapi.com")

  /// The STS endpoint inside the vendor's network: `sts.internal.tencentcloudapi.com`.
  public static let `internal` = TencentSTSEndpoint(url: "https://sts.internal.tencentcloudapi.com")

  /// The STS endpoint for accounts outside of mainland China: `sts.intl.tencentcloudapi.com`.
  public static let international = TencentSTSEndpoint(url: "https://sts.intl.tencentcloudapi.com")

  /// Returns a custom STS endpoint.
  ///
  /// - Parameter url: The endpoint's URL with scheme, host and port. The scheme is `https`, or `http` if the server
  ///   runs on this machine.
  public static func url(_ url: String) -> TencentSTSEndpoint {
    TencentSTSEndpoint(url: url)
  }
}
