internal import StorageAuth

/// What has to be done to get a key, as a profile of Amazon's tools says it.
indirect enum AmazonPlan: Sendable {
  /// Take the key that stands there.
  case key(AccessKey)
  /// Take the key of the environment.
  case environment
  /// Ask the platform for the key of the task or the pod.
  case container
  /// Ask the instance for the key of its role.
  case instanceRole
  /// Take on a role with the key that another plan gets.
  case role(AmazonRolePlan, with: AmazonPlan)
  /// Take on a role with an identity token, which stands in a file.
  case webIdentity(AmazonRolePlan, tokenFile: String)
  /// Ask a command.
  case command(CredentialCommand)
}

/// A role, and how it is to be taken on.
struct AmazonRolePlan: Sendable, Hashable {
  var arn: String
  var sessionName = "swift-storage-auth"
  var duration = Duration.seconds(3600)
  var externalID: String?
  var endpoint = AmazonSTSEndpoint.global
}

extension AmazonPlan {
  /// Returns the provider that carries the plan out.
  ///
  /// - Parameters:
  ///   - place: Where the plan stands, for errors.
  ///   - machine: What may be touched.
  ///   - services: Makes the providers.
  func provider(
    at place: SettingLocation, on machine: ProviderContext, through services: AmazonServices
  ) -> any CredentialProvider<AccessKey> {
    switch self {
    case .key(let key): return StaticCredentialProvider(key, source: place.source)
    case .environment: return EnvironmentCredentialProvider.aws.reading(machine)
    case .container: return services.container(machine)
    case .instanceRole: return services.instanceRole(machine)
    case .role(let role, let plan):
      return services.role(role, plan.provider(at: place, on: machine, through: services), machine)
    case .webIdentity(let role, let tokenFile):
      return services.webIdentity(role, machine.token(in: tokenFile, for: place), machine)
    case .command(let command): return ProcessCredentialProvider(command, shape: .amazon, machine: machine)
    }
  }

  /// Carries the plan out.
  func issue(
    at place: SettingLocation, on machine: ProviderContext, through services: AmazonServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: place, on: machine, through: services).issue(for: place)
  }
}

/// Makes the providers that plans need; a test puts others in their place.
struct AmazonServices: Sendable {
  typealias Provider = any CredentialProvider<AccessKey>

  /// Gets the token of an identity provider, anew for each credential.
  typealias TokenSource = @Sendable @concurrent () async throws(CredentialError) -> Secret

  var instanceRole: @Sendable (ProviderContext) -> Provider
  var container: @Sendable (ProviderContext) -> Provider
  var role: @Sendable (AmazonRolePlan, _ keys: Provider, ProviderContext) -> Provider
  var webIdentity: @Sendable (AmazonRolePlan, _ token: @escaping TokenSource, ProviderContext) -> Provider

  /// The services of Amazon.
  static let real = AmazonServices(
    instanceRole: { AmazonInstanceRoleProvider(machine: $0) },
    container: { AmazonContainerProvider(machine: $0) },
    role: { role, keys, machine in
      AmazonAssumeRoleProvider(
        roleARN: role.arn, sessionName: role.sessionName, credentials: keys, duration: role.duration,
        externalID: role.externalID, endpoint: role.endpoint, transport: machine.transport, time: machine.time)
    },
    webIdentity: { role, token, machine in
      AmazonWebIdentityProvider(
        roleARN: role.arn, sessionName: role.sessionName, duration: role.duration, endpoint: role.endpoint,
        transport: machine.transport, time: machine.time, token: token)
    })
}
