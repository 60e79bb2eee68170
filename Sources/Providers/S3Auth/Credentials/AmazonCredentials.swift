// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

/// The default sources of access keys for Amazon S3, in the order of the vendor's newer SDKs.
///
/// Each source is a property that can be replaced or set to `nil`. A `CredentialChain` tries them in their order.
///
/// ```swift
/// var sources = AmazonCredentials()
/// sources.metadata = nil
/// let credentials = CredentialCache(sources.chain)
/// ```
public struct AmazonCredentials: Sendable {
  /// The type of an optional source of access keys; a source that is `nil` is omitted from the chain.
  public typealias Source = (any CredentialProvider<AccessKey>)?

  /// The source that reads the key from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN` and
  /// `AWS_CREDENTIAL_EXPIRATION`.
  public var environment: Source
  /// The source that uses a profile in the shared files: `~/.aws/credentials` and `~/.aws/config`.
  public var profile: Source
  /// The source that assumes the role in `AWS_ROLE_ARN` with the identity token in `AWS_WEB_IDENTITY_TOKEN_FILE`.
  public var webIdentity: Source
  /// The source that requests a key for the ECS task or the pod in which the process runs, from the URL in
  /// `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
  public var container: Source
  /// The source that requests a key for the instance's role from the metadata service.
  public var metadata: Source

  /// Creates Amazon's default sources.
  ///
  /// - Parameter profile: The profile name, which takes precedence over the environment, so that ``environment`` and
  ///   ``webIdentity`` are `nil`. If `nil`, the profile that the environment specifies, or `default`.
  public init(profile: String? = nil) { self.init(profile: profile, services: .real) }

  init(profile: String? = nil, services: AmazonServices) {
    environment = profile == nil ? EnvironmentCredentialProvider.aws : nil
    self.profile = ProfileCredentialProvider.amazonProfile(profile, services: services)
    webIdentity = profile == nil ? AmazonWebIdentityRoleProvider(services: services) : nil
    container = services.container()
    metadata = services.instanceRole(profile)
  }

  /// A chain of all sources that are not `nil`, in the order of the properties.
  public var chain: CredentialChain<AccessKey> {
    let sources: [Source] = [environment, profile, webIdentity, container, metadata]
    return CredentialChain(sources.compactMap(\.self), source: "Amazon default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The chain of Amazon's default sources, which ``AmazonCredentials`` lists.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.amazonDefault)
  /// ```
  public static var amazonDefault: CredentialChain<AccessKey> { AmazonCredentials().chain }
}

extension EnvironmentCredentialProvider {
  /// A provider of access keys from Amazon's environment variables.
  ///
  /// The variables are `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for a temporary key, `AWS_SESSION_TOKEN`
  /// (formerly `AWS_SECURITY_TOKEN`) and `AWS_CREDENTIAL_EXPIRATION`.
  public static let aws = EnvironmentCredentialProvider(
    id: "AWS_ACCESS_KEY_ID", secret: "AWS_SECRET_ACCESS_KEY", tokens: ["AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN"],
    expiration: "AWS_CREDENTIAL_EXPIRATION")
}

/// A provider of temporary keys for a role that a pod or a job assumes, configured by environment variables.
struct AmazonWebIdentityRoleProvider: CredentialProvider {
  let source = "Amazon web identity"
  let services: AmazonServices

  /// Assumes the role, unless only `AWS_ROLE_ARN` is set, because other tools set that variable too.
  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let location = SettingLocation(source: source, name: "The environment", remedy: "Set both of them, or none.")
    let tokenVariable = "AWS_WEB_IDENTITY_TOKEN_FILE"
    let values = try context.variables([tokenVariable, "AWS_ROLE_ARN"], requiring: [tokenVariable], at: location)
    let (tokenFile, roleARN) = (values[0], values[1])
    var role = AmazonRole(arn: roleARN, endpoint: try AmazonSettings(context).stsEndpoint)
    if let name = context.variable("AWS_ROLE_SESSION_NAME") { role.sessionName = name }
    let plan = AmazonPlan.webIdentity(role, tokenFile: tokenFile)
    return try await plan.issue(at: location, in: context, through: services)
  }
}

/// A provider of temporary keys for an instance's role, configured by environment variables and a profile.
///
/// `AWS_EC2_METADATA_V1_DISABLED` or else the profile's `ec2_metadata_v1_disabled` forbids requests without a token
/// (IMDSv1).
struct AmazonInstanceRoleProvider: CredentialProvider {
  private static let disablingVariable = "AWS_EC2_METADATA_DISABLED"
  private static let endpointSetting = "ec2_metadata_service_endpoint"
  private static let modeSetting = "ec2_metadata_service_endpoint_mode"
  /// The vendor's addresses, from "Use the Instance Metadata Service to access instance metadata" (EC2 User Guide).
  private static let ipv4URL = "http://169.254.169.254"
  private static let ipv6URL = "http://[fd00:ec2::254]"

  let source = AmazonInstanceMetadataProvider.sourceName
  /// The profile name, or `nil` for the profile that the environment specifies, or `default`.
  var profileName: String?
  private let presence = ServicePresence()

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let location = SettingLocation(
      source: source, name: "The environment", remedy: "Unset the variable to use the metadata service.")
    if context.isTrue(Self.disablingVariable) {
      throw location.error(.notConfigured, "disables the metadata service with \(Self.disablingVariable)")
    }
    // The source of profiles warns about the files.
    var filesContext = context
    filesContext.onWarning = { _ in }
    let files = try AmazonFiles(in: filesContext)
    let profile = try files.profile(profileName ?? AmazonFiles.chosenName(in: context) ?? "default")
    let mode = try context.text(Self.modeSetting, or: profile)
    let lowercasedMode = mode?.lowercased() ?? "ipv4"
    if let mode, !["ipv4", "ipv6"].contains(lowercasedMode) {
      throw location.error(
        .failed, "or the profile sets \(Self.modeSetting) to \(mode.shownIfName)",
        remedy: "Set it to IPv4 or IPv6, or unset it.")
    }
    let vendorURL = lowercasedMode == "ipv6" ? Self.ipv6URL : Self.ipv4URL
    let provider = AmazonInstanceMetadataProvider(
      role: nil, allowsV1: try !context.flag("ec2_metadata_v1_disabled", or: profile),
      endpoint: try context.text(Self.endpointSetting, or: profile) ?? vendorURL, presence: presence)
    return try await provider.issue(in: context)
  }
}
