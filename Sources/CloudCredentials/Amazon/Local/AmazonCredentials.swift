public import StorageAuth

/// The default sources of keys for Amazon S3, in the order of the vendor's newer SDKs, that for Swift among them.
///
/// Each source is a slot that can be replaced or left out. The order is that of the properties. A source that is not set
/// up here is passed over; one that is set up and broken ends the search. Making this touches nothing but the environment.
///
/// ```swift
/// var sources = AmazonCredentials(machine)
/// sources.metadata = nil
/// let credentials = CredentialCache(sources.chain)
/// ```
public struct AmazonCredentials: Sendable {
  /// A source; `nil` to leave it out.
  public typealias Source = (any CredentialProvider<AccessKey>)?

  /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_CREDENTIAL_EXPIRATION`.
  public var environment: Source

  /// The profile of the shared files: `~/.aws/credentials` and `~/.aws/config`.
  public var profile: Source

  /// The role of a pod or a job with an identity token: `AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`.
  public var webIdentity: Source

  /// The role of the task or the pod: `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI`, `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
  public var container: Source

  /// The role of the instance, from the metadata service.
  public var metadata: Source

  /// Fills every slot with the vendor's source.
  ///
  /// A profile that is named here is meant before the environment: the slots `environment` and `webIdentity` are empty
  /// then.
  ///
  /// - Parameters:
  ///   - machine: What may be touched.
  ///   - profile: The name of the profile; `nil` if the environment names it, or it is `default`.
  public init(_ machine: ProviderContext, profile: String? = nil) {
    self.init(machine, profile: profile, services: .real)
  }

  init(_ machine: ProviderContext, profile: String? = nil, services: AmazonServices) {
    environment = profile == nil ? EnvironmentCredentialProvider.aws.reading(machine) : nil
    self.profile = AmazonProfileProvider(profile: profile, machine: machine, services: services)
    webIdentity = profile == nil ? AmazonWebIdentityRoleProvider(machine: machine, services: services) : nil
    container = services.container(machine)
    metadata = services.instanceRole(machine)
  }

  /// The sources that are there, in their order.
  public var chain: CredentialChain<AccessKey> {
    let sources: [Source] = [environment, profile, webIdentity, container, metadata]
    return CredentialChain(sources.compactMap(\.self), source: "Amazon default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The default sources of Amazon, as ``AmazonCredentials`` lists them.
  ///
  /// - Parameters:
  ///   - machine: What may be touched.
  ///   - profile: The name of the profile; `nil` if the environment names it, or it is `default`.
  public static func amazonDefault(_ machine: ProviderContext, profile: String? = nil) -> CredentialChain<AccessKey> {
    AmazonCredentials(machine, profile: profile).chain
  }
}
