/// Where Tencent Cloud's token service (STS) is asked.
public struct TencentSTSEndpoint: Sendable, Hashable {
  let url: String

  /// `sts.tencentcloudapi.com`.
  public static let standard = TencentSTSEndpoint(url: "https://sts.tencentcloudapi.com")

  /// The endpoint inside the vendor's network: `sts.internal.tencentcloudapi.com`.
  public static let `internal` = TencentSTSEndpoint(url: "https://sts.internal.tencentcloudapi.com")

  /// The endpoint for accounts outside of mainland China: `sts.intl.tencentcloudapi.com`.
  public static let international = TencentSTSEndpoint(url: "https://sts.intl.tencentcloudapi.com")

  /// An endpoint of one's own.
  ///
  /// - Parameter url: Scheme, host and port; `https`, or `http` on this machine.
  public static func url(_ url: String) -> TencentSTSEndpoint {
    TencentSTSEndpoint(url: url)
  }
}
