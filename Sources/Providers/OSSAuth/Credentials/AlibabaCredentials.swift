// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

/// The default sources of access keys for OSS: the vendor's default chain and the sources of OSS's own tools.
///
/// Each source is a property that can be replaced or set to `nil`. A `CredentialChain` tries them in their order.
///
/// ```swift
/// var sources = AlibabaCredentials()
/// sources.metadata = nil
/// sources.environment = vault
/// let credentials = CredentialCache(sources.chain)
/// ```
public struct AlibabaCredentials: Sendable {
  /// The type of an optional source of access keys; a source that is `nil` is omitted from the chain.
  public typealias Source = (any CredentialProvider<AccessKey>)?

  /// The source that reads the key from `OSS_ACCESS_KEY_ID`, `OSS_ACCESS_KEY_SECRET` and `OSS_SESSION_TOKEN`.
  public var ossEnvironment: Source
  /// The source that reads the key from `ALIBABA_CLOUD_ACCESS_KEY_ID`, `ALIBABA_CLOUD_ACCESS_KEY_SECRET` and
  /// `ALIBABA_CLOUD_SECURITY_TOKEN`.
  public var environment: Source
  /// The source that assumes the role that `ALIBABA_CLOUD_ROLE_ARN`, `ALIBABA_CLOUD_OIDC_PROVIDER_ARN` and
  /// `ALIBABA_CLOUD_OIDC_TOKEN_FILE` specify for a pod.
  public var podRole: Source
  /// The source that uses a profile of the vendor's command-line tool: `~/.aliyun/config.json`.
  public var cliProfile: Source
  /// The source that uses a profile of the file that the vendor's SDKs share: `~/.alibabacloud/credentials`.
  public var sharedProfile: Source
  /// The source that uses a profile of ossutil: `~/.ossutilconfig`.
  public var ossutil: Source
  /// The source that uses a profile of the OSS SDK for Java: `~/.oss/credentials`.
  public var ossProfile: Source
  /// The source that requests a key for the instance's role from the metadata service.
  public var metadata: Source
  /// The source that requests a key from the URL that `ALIBABA_CLOUD_CREDENTIALS_URI` specifies.
  public var credentialsURI: Source

  /// Creates Alibaba Cloud's default sources.
  public init() { self.init(services: .real) }

  init(services: AlibabaServices) {
    ossEnvironment = EnvironmentCredentialProvider.oss
    environment = EnvironmentCredentialProvider.alibabaCloud
    podRole = AlibabaPodRoleProvider(services: services)
    cliProfile = ProfileCredentialProvider.alibabaCLIProfile(services: services)
    sharedProfile = ProfileCredentialProvider.alibabaSharedProfile(services: services)
    ossutil = ProfileCredentialProvider.ossutilProfile(services: services)
    ossProfile = ProfileCredentialProvider.ossSDKProfile()
    metadata = AlibabaInstanceRoleProvider(services: services)
    credentialsURI = AlibabaCredentialsURIProvider(services: services)
  }

  /// A chain of all sources that are not `nil`, in the order of the properties.
  ///
  /// The search ends with an error if no file contains the profile that `ALIBABA_CLOUD_PROFILE` specifies.
  public var chain: CredentialChain<AccessKey> {
    let readsProfiles = cliProfile != nil || sharedProfile != nil
    // The check follows the files, so that it runs only if neither of them contains the profile.
    let sources: [Source] = [
      ossEnvironment, environment, podRole, cliProfile, sharedProfile, readsProfiles ? NamedProfileCheck() : nil,
      ossutil, ossProfile, metadata, credentialsURI,
    ]
    return CredentialChain(sources.compactMap(\.self), source: "Alibaba Cloud default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The chain of Alibaba Cloud's default sources, which ``AlibabaCredentials`` lists.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.alibabaDefault)
  /// ```
  public static var alibabaDefault: CredentialChain<AccessKey> { AlibabaCredentials().chain }
}

/// A provider that fails if `ALIBABA_CLOUD_PROFILE` names a missing profile, lest another identity be used silently.
private struct NamedProfileCheck: CredentialProvider {
  private static let variable = "ALIBABA_CLOUD_PROFILE"

  let source = "named profile (\(Self.variable))"

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let name = context.variable(Self.variable) else {
      throw CredentialError(
        .notConfigured, source: source, "No profile is named.", remedy: "Set \(Self.variable) to use one by its name.")
    }
    throw CredentialError(
      .failed, source: source,
      "\(Self.variable) names the profile “\(name)”, and no key came from a profile of that name in "
        + "~/.aliyun/config.json or ~/.alibabacloud/credentials.", remedy: "Correct or unset \(Self.variable).")
  }
}

/// A provider of temporary keys for a pod's role (RRSA), configured by environment variables.
struct AlibabaPodRoleProvider: CredentialProvider {
  let source = "Alibaba Cloud pod role"
  let services: AlibabaServices

  /// Assumes the role, unless only `ALIBABA_CLOUD_ROLE_ARN` is set, because other tools set that variable too.
  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let location = SettingLocation(source: source, name: "The environment", remedy: "Set all three of them, or none.")
    let tokenVariables = ["ALIBABA_CLOUD_OIDC_PROVIDER_ARN", "ALIBABA_CLOUD_OIDC_TOKEN_FILE"]
    let values = try context.variables(
      ["ALIBABA_CLOUD_ROLE_ARN"] + tokenVariables, requiring: tokenVariables, at: location)
    let (roleARN, providerARN, tokenFile) = (values[0], values[1], values[2])
    var role = AlibabaRole(arn: roleARN, endpoint: .global)
    if let name = context.variable("ALIBABA_CLOUD_ROLE_SESSION_NAME") { role.sessionName = name }
    if let region = context.variable("ALIBABA_CLOUD_STS_REGION") {
      let isPrivate = context.isTrue("ALIBABA_CLOUD_VPC_ENDPOINT_ENABLED")
      guard let endpoint = AlibabaSTSEndpoint(region: region, isPrivate: isPrivate) else {
        throw location.error(.failed, "sets an invalid ALIBABA_CLOUD_STS_REGION", remedy: "Write it like cn-hangzhou.")
      }
      role.endpoint = endpoint
    }
    return try await AlibabaPlan.webIdentity(role, providerARN: providerARN, tokenFile: tokenFile)
      .issue(at: location, in: context, through: services)
  }
}

/// A provider of temporary keys for an instance's role, configured by environment variables.
struct AlibabaInstanceRoleProvider: CredentialProvider {
  static let v1DisablingVariable = "ALIBABA_CLOUD_IMDSV1_DISABLED"

  let source = AlibabaInstanceMetadataProvider.sourceName
  let services: AlibabaServices
  private let presence = ServicePresence()

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let disablingVariable = "ALIBABA_CLOUD_ECS_METADATA_DISABLED"
    if context.isTrue(disablingVariable) {
      throw CredentialError(
        .notConfigured, source: source, "\(disablingVariable) disables the metadata service.",
        remedy: "Unset it to use it.")
    }
    let role = context.variable("ALIBABA_CLOUD_ECS_METADATA")
    let allowsV1 = !context.isTrue(Self.v1DisablingVariable)
    return try await services.instanceRole(role, allowsV1, presence).issue(in: context)
  }
}

/// A provider that requests a key from the URL in `ALIBABA_CLOUD_CREDENTIALS_URI`.
struct AlibabaCredentialsURIProvider: CredentialProvider {
  let source = "Alibaba Cloud credentials URI"
  let services: AlibabaServices

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let variable = "ALIBABA_CLOUD_CREDENTIALS_URI"
    let location = SettingLocation(
      source: source, name: "The environment", remedy: "Set \(variable) to a URL that returns a key.")
    guard let url = context.variable(variable) else { throw location.error(.notConfigured, "does not set \(variable)") }
    return try await AlibabaPlan.uri(url).issue(at: location, in: context, through: services)
  }
}

extension EnvironmentCredentialProvider {
  /// A provider of access keys from OSS's environment variables.
  ///
  /// The variables are `OSS_ACCESS_KEY_ID`, `OSS_ACCESS_KEY_SECRET` and, for a temporary key, `OSS_SESSION_TOKEN`.
  public static let oss = EnvironmentCredentialProvider(
    id: "OSS_ACCESS_KEY_ID", secret: "OSS_ACCESS_KEY_SECRET", tokens: ["OSS_SESSION_TOKEN"])

  /// A provider of access keys from Alibaba Cloud's environment variables.
  ///
  /// The variables are `ALIBABA_CLOUD_ACCESS_KEY_ID`, `ALIBABA_CLOUD_ACCESS_KEY_SECRET` and, for a temporary key,
  /// `ALIBABA_CLOUD_SECURITY_TOKEN`.
  public static let alibabaCloud = EnvironmentCredentialProvider(
    id: "ALIBABA_CLOUD_ACCESS_KEY_ID", secret: "ALIBABA_CLOUD_ACCESS_KEY_SECRET",
    tokens: ["ALIBABA_CLOUD_SECURITY_TOKEN"])
}
