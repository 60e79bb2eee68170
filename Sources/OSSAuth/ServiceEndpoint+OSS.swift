public import StorageAuth

/// The network on which OSS is reached.
public enum OSSNetwork: Sendable, Hashable, CaseIterable {
  /// The internet.
  case `public`
  /// The network of the cloud, in the same region; traffic is not billed there.
  case `internal`
  /// The acceleration network, for a bucket that has it switched on.
  case accelerated
}

extension ServiceEndpoint {
  /// The endpoint of OSS in a region.
  ///
  /// - Parameters:
  ///   - region: The region in its general form, such as `cn-hangzhou`.
  ///   - network: The network on which it is reached.
  /// - Throws: ``SigningError/Code/invalidConfiguration`` if that is not the name of a region.
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
  /// The hosts of OSS, such as `oss-cn-hangzhou.aliyuncs.com`; elsewhere a first label of `oss` stands for the service.
  ///
  /// Page: "OSS domain names".
  public static let oss = ServiceHosts(label: "oss", domain: ".aliyuncs.com", labelCount: 3)
}
