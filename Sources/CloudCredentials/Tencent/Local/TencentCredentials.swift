public import StorageAuth

/// Where keys for COS come from when nobody says it: the vendor's default chain, with the sources of COS's own tools.
///
/// Each source is a slot that can be replaced or left out. The order is that of the properties. A source that is not set
/// up here is passed over; one that is set up and broken ends the search.
///
/// ```swift
/// var sources = TencentCredentials(machine)
/// sources.metadata = nil
/// let credentials = CredentialCache(sources.chain)
/// ```
public struct TencentCredentials: Sendable {
  /// A source; nothing to leave it out.
  public typealias Source = (any CredentialProvider<AccessKey>)?

  /// `TENCENTCLOUD_SECRET_ID`, `TENCENTCLOUD_SECRET_KEY`, and `TENCENTCLOUD_TOKEN` or `TENCENTCLOUD_SESSION_TOKEN`.
  public var environment: Source

  /// The profile that the SDKs share: `~/.tencentcloud/credentials`, or else `/etc/tencentcloud/credentials`.
  public var profile: Source

  /// The profile of the command line: `~/.tccli/<profile>.credential`.
  public var cliProfile: Source

  /// The configuration of coscmd: `~/.cos.conf`.
  public var coscmd: Source

  /// The configuration of coscli: `~/.cos.yaml`.
  public var coscli: Source

  /// The role of the instance, from the metadata service.
  public var metadata: Source

  /// The role of a pod: `TKE_ROLE_ARN`, `TKE_PROVIDER_ID`, `TKE_WEB_IDENTITY_TOKEN_FILE`, `TKE_REGION`.
  ///
  /// The vendor asks the instance first; to prefer the pod's role, leave out ``metadata``.
  public var podRole: Source

  /// Fills every slot with the vendor's source.
  ///
  /// - Parameter machine: What may be touched.
  public init(_ machine: ProviderContext) {
    self.init(machine, services: .real)
  }

  init(_ machine: ProviderContext, services: TencentServices) {
    environment = EnvironmentCredentialProvider.cos.reading(machine)
    profile = TencentProfileProvider(machine: machine)
    cliProfile = TCCLIProfileProvider(machine: machine)
    coscmd = COSCMDProfileProvider(machine: machine)
    coscli = COSCLIProfileProvider(machine: machine, services: services)
    metadata = services.instanceRole(nil, machine)
    podRole = TencentPodRoleProvider(machine: machine, services: services)
  }

  /// The sources that are there, in their order.
  public var chain: CredentialChain<AccessKey> {
    let sources: [Source] = [environment, profile, cliProfile, coscmd, coscli, metadata, podRole]
    return CredentialChain(sources.compactMap(\.self), source: "Tencent Cloud default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default sources of Tencent Cloud, as ``TencentCredentials`` lists them.
  ///
  /// - Parameter machine: What may be touched.
  public static func tencentCloudDefault(_ machine: ProviderContext) -> CredentialChain<AccessKey> {
    TencentCredentials(machine).chain
  }
}
