internal import StorageAuth

/// What has to be done to get a key, as a profile of Alibaba Cloud's tools says it.
indirect enum AlibabaPlan: Sendable {
  /// Take the key that stands there.
  case key(AccessKey)
  /// Ask the instance for the key of its role; the one that it has, unless it is named.
  case instanceRole(String?)
  /// Take on a role with the key that another plan gets.
  case role(AlibabaRolePlan, with: AlibabaPlan)
  /// Take on a role with a token of an identity provider, which stands in a file.
  case webIdentity(AlibabaRolePlan, providerARN: String, tokenFile: String)
  /// Ask a command.
  case command(CredentialCommand, timeout: Duration)
  /// Ask a URL.
  case uri(String)
}

extension AlibabaPlan {
  /// The provider that carries the plan out.
  ///
  /// - Parameters:
  ///   - place: Where the plan stands, for errors.
  ///   - machine: What may be touched.
  ///   - services: Makes the providers.
  func provider(
    at place: SettingLocation, on machine: ProviderContext, through services: AlibabaServices
  ) -> any CredentialProvider<AccessKey> {
    switch self {
    case .key(let key): return StaticCredentialProvider(key, source: place.source)
    case .instanceRole(let name): return services.instanceRole(name, machine)
    case .role(let role, let plan):
      return services.role(role, plan.provider(at: place, on: machine, through: services), machine)
    case .webIdentity(let role, let providerARN, let tokenFile):
      return services.webIdentity(role, providerARN, machine.token(in: tokenFile, for: place), machine)
    case .command(let command, let timeout):
      return ProcessCredentialProvider(command, timeout: timeout, machine: machine)
    case .uri(let url): return services.uri(url, machine)
    }
  }

  /// Carries the plan out.
  func issue(
    at place: SettingLocation, on machine: ProviderContext, through services: AlibabaServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: place, on: machine, through: services).issue(for: place)
  }
}
