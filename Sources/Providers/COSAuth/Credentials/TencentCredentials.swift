// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

/// The default sources of access keys for COS: the vendor's default chain and the sources of COS's own tools.
///
/// Each source is a property that can be replaced or set to `nil`. A `CredentialChain` tries them in their order.
///
/// ```swift
/// var sources = TencentCredentials()
/// sources.metadata = nil
/// let credentials = CredentialCache(sources.chain)
/// ```
public struct TencentCredentials: Sendable {
  /// The type of an optional source of access keys; a source that is `nil` is omitted from the chain.
  public typealias Source = (any CredentialProvider<AccessKey>)?

  /// The source that reads the key from `TENCENTCLOUD_SECRET_ID`, `TENCENTCLOUD_SECRET_KEY`, and `TENCENTCLOUD_TOKEN`
  /// or `TENCENTCLOUD_SESSION_TOKEN`.
  public var environment: Source
  /// The source that reads a profile of the SDKs' file: `~/.tencentcloud/credentials` or, if there is none,
  /// `/etc/tencentcloud/credentials`.
  public var profile: Source
  /// The source that uses a profile of the vendor's command-line tool: `~/.tccli/<profile>.credential`.
  public var cliProfile: Source
  /// The source that reads the configuration of coscmd: `~/.cos.conf`.
  public var coscmd: Source
  /// The source that uses the configuration of coscli: `~/.cos.yaml`.
  public var coscli: Source
  /// The source that requests a key for the instance's role from the metadata service.
  public var metadata: Source

  /// The source that assumes a pod's role, which `TKE_ROLE_ARN`, `TKE_PROVIDER_ID`, `TKE_WEB_IDENTITY_TOKEN_FILE` and
  /// `TKE_REGION` specify.
  ///
  /// The instance's role precedes it, as in the vendor's chain, unless ``metadata`` is set to `nil`.
  public var podRole: Source

  /// Creates Tencent Cloud's default sources.
  public init() { self.init(services: .real) }

  init(services: TencentServices) {
    environment = EnvironmentCredentialProvider.cos
    profile = ProfileCredentialProvider.tencentProfile()
    cliProfile = ProfileCredentialProvider.tccliProfile(services: services)
    coscmd = ProfileCredentialProvider.coscmdProfile()
    coscli = ProfileCredentialProvider.coscliProfile(services: services)
    metadata = services.instanceRole(nil)
    podRole = TencentPodRoleProvider(services: services)
  }

  /// A chain of all sources that are not `nil`, in the order of the properties.
  public var chain: CredentialChain<AccessKey> {
    let sources: [Source] = [environment, profile, cliProfile, coscmd, coscli, metadata, podRole]
    return CredentialChain(sources.compactMap(\.self), source: "Tencent Cloud default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The chain of Tencent Cloud's default sources, which ``TencentCredentials`` lists.
  public static var tencentDefault: CredentialChain<AccessKey> { TencentCredentials().chain }
}

extension EnvironmentCredentialProvider {
  /// A provider of access keys from Tencent Cloud's environment variables.
  ///
  /// The variables are `TENCENTCLOUD_SECRET_ID`, `TENCENTCLOUD_SECRET_KEY` and, for a temporary key,
  /// `TENCENTCLOUD_TOKEN` or `TENCENTCLOUD_SESSION_TOKEN`.
  public static let cos = EnvironmentCredentialProvider(
    id: "TENCENTCLOUD_SECRET_ID", secret: "TENCENTCLOUD_SECRET_KEY",
    tokens: ["TENCENTCLOUD_TOKEN", "TENCENTCLOUD_SESSION_TOKEN"])
}

/// A provider of temporary keys for a TKE pod's role, configured by environment variables.
struct TencentPodRoleProvider: CredentialProvider {
  let source = "Tencent Cloud pod role"
  let services: TencentServices

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let location = SettingLocation(source: source, name: "The environment", remedy: "Set all four of them, or none.")
    // Other tools also set the region, so the region alone does not configure a role.
    let roleVariables = ["TKE_ROLE_ARN", "TKE_PROVIDER_ID", "TKE_WEB_IDENTITY_TOKEN_FILE"]
    let values = try context.variables(roleVariables + ["TKE_REGION"], requiring: roleVariables, at: location)
    let (roleARN, providerID, tokenFile, region) = (values[0], values[1], values[2], values[3])
    let role = TencentServices.PodRole(arn: roleARN, providerID: providerID, region: region)
    let provider = services.webIdentity(role, context.token(in: tokenFile, for: location))
    return try await provider.issue(for: location, in: context)
  }
}

/// The providers that request keys from Tencent Cloud's services, each created by a closure that tests can replace.
struct TencentServices: Sendable {
  typealias Provider = any CredentialProvider<AccessKey>

  struct PodRole: Sendable, Hashable {
    var arn: String
    var providerID: String
    var region: String
  }

  var instanceRole: @Sendable (_ role: String?) -> Provider
  var role: @Sendable (_ arn: String, _ sessionName: String, _ keys: Provider) -> Provider
  var webIdentity: @Sendable (PodRole, _ token: @escaping IdentityTokenSource) -> Provider

  static let real = TencentServices(
    instanceRole: { TencentInstanceMetadataProvider(role: $0) },
    role: { TencentAssumeRoleProvider(roleARN: $0, sessionName: $1, credentials: $2) },
    webIdentity: { role, token in
      TencentWebIdentityProvider(roleARN: role.arn, providerID: role.providerID, region: role.region, token: token)
    })
}
