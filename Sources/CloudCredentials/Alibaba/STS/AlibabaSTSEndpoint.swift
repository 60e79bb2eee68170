/// Where Alibaba Cloud's token service (STS) is asked.
public struct AlibabaSTSEndpoint: Sendable, Hashable {
  let url: String

  /// The endpoint that works from everywhere: `sts.aliyuncs.com`.
  public static let global = AlibabaSTSEndpoint(url: "https://sts.aliyuncs.com")

  /// The endpoint of a region: `sts.<region>.aliyuncs.com`.
  ///
  /// - Parameter region: The region, such as `cn-hangzhou`.
  public static func region(_ region: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(url: "https://sts.\(region).aliyuncs.com")
  }

  /// The endpoint inside the network of a region: `sts-vpc.<region>.aliyuncs.com`.
  ///
  /// - Parameter region: The region, such as `cn-hangzhou`.
  public static func vpc(_ region: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(url: "https://sts-vpc.\(region).aliyuncs.com")
  }

  /// An endpoint of one's own.
  ///
  /// - Parameter url: Scheme, host and port; `https`, or `http` on this machine.
  public static func url(_ url: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(url: url)
  }
}
