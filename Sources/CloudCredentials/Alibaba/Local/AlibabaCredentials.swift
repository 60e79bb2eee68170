public import StorageAuth

/// Where keys for OSS come from when nobody says it: the vendor's default chain, with the sources of OSS's own tools.
///
/// Each source is a slot that can be replaced or left out. The order is that of the properties. A source that is not set
/// up here is passed over; one that is set up and broken ends the search. Making this touches nothing but the environment.
///
/// ```swift
/// var sources = AlibabaCredentials(machine)
/// sources.metadata = nil
/// sources.environment = vault
/// let credentials = CredentialCache(sources.chain)
/// ```
public struct AlibabaCredentials: Sendable {
  /// A source; nothing to leave it out.
  public typealias Source = (any CredentialProvider<AccessKey>)?

  /// `OSS_ACCESS_KEY_ID`, `OSS_ACCESS_KEY_SECRET`, `OSS_SESSION_TOKEN`.
  public var ossEnvironment: Source

  /// `ALIBABA_CLOUD_ACCESS_KEY_ID`, `ALIBABA_CLOUD_ACCESS_KEY_SECRET`, `ALIBABA_CLOUD_SECURITY_TOKEN`.
  public var environment: Source

  /// The role of a pod: `ALIBABA_CLOUD_ROLE_ARN`, `ALIBABA_CLOUD_OIDC_PROVIDER_ARN`, `ALIBABA_CLOUD_OIDC_TOKEN_FILE`.
  public var podRole: Source

  /// The profile of the command line: `~/.aliyun/config.json`.
  public var cliProfile: Source

  /// The profile that the SDKs share: `~/.alibabacloud/credentials`.
  public var sharedProfile: Source

  /// The profile of ossutil: `~/.ossutilconfig`.
  public var ossutil: Source

  /// The profile of the OSS SDK for Java: `~/.oss/credentials`.
  public var ossProfile: Source

  /// The role of the instance, from the metadata service.
  public var metadata: Source

  /// The address that `ALIBABA_CLOUD_CREDENTIALS_URI` names.
  public var credentialsURI: Source

  private let machine: ProviderContext

  /// Fills every slot with the vendor's source.
  ///
  /// - Parameter machine: What may be touched.
  public init(_ machine: ProviderContext) {
    self.init(machine, services: .real)
  }

  init(_ machine: ProviderContext, services: AlibabaServices) {
    self.machine = machine
    ossEnvironment = EnvironmentCredentialProvider.oss.reading(machine)
    environment = EnvironmentCredentialProvider.alibabaCloud.reading(machine)
    podRole = AlibabaPodRoleProvider(machine: machine, services: services)
    cliProfile = AlibabaCLIProfileProvider(machine: machine, services: services)
    sharedProfile = AlibabaSharedProfileProvider(machine: machine, services: services)
    ossutil = OSSUtilProfileProvider(machine: machine, services: services)
    ossProfile = OSSSDKProfileProvider(machine: machine)
    metadata = AlibabaInstanceRoleProvider(machine: machine, services: services)
    credentialsURI = AlibabaCredentialsURIProvider(machine: machine, services: services)
  }

  /// The sources that are there, in their order.
  ///
  /// A profile that `ALIBABA_CLOUD_PROFILE` names and that no file has ends the search as well.
  public var chain: CredentialChain<AccessKey> {
    let check = NamedProfileCheck(
      variable: "ALIBABA_CLOUD_PROFILE", files: ["~/.aliyun/config.json", "~/.alibabacloud/credentials"],
      machine: machine)
    let readsProfiles = cliProfile != nil || sharedProfile != nil
    let sources: [Source] = [
      ossEnvironment, environment, podRole, cliProfile, sharedProfile, readsProfiles ? check : nil, ossutil, ossProfile,
      metadata, credentialsURI,
    ]
    return CredentialChain(sources.compactMap(\.self), source: "Alibaba Cloud default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default sources of Alibaba Cloud, as ``AlibabaCredentials`` lists them.
  ///
  /// - Parameter machine: What may be touched.
  public static func alibabaCloudDefault(_ machine: ProviderContext) -> CredentialChain<AccessKey> {
    AlibabaCredentials(machine).chain
  }
}
