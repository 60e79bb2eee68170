// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// A plan to obtain an access key, as a profile of Amazon's tools describes it.
indirect enum AmazonPlan: Sendable {
  /// A plan that uses the key in the profile.
  case key(AccessKey)
  /// A plan that reads the key from Amazon's environment variables.
  case environment
  /// A plan that requests a key for the current ECS task or pod from the container platform.
  case container
  /// A plan that requests a key for the instance's role from the metadata service.
  case instanceRole
  /// A plan that assumes a role with a key that another plan obtains.
  case role(AmazonRolePlan, with: AmazonPlan)
  /// A plan that assumes a role with an identity token from a file.
  case webIdentity(AmazonRolePlan, tokenFile: String)
  /// A plan that runs a command that prints a key.
  case command(CredentialCommand)
}

/// An IAM role to assume, with the parameters of the request.
struct AmazonRolePlan: Sendable, Hashable {
  var arn: String
  var sessionName = "swift-storage-auth"
  var duration = Duration.seconds(3600)
  var externalID: String?
  var endpoint = AmazonSTSEndpoint.global
}

extension AmazonPlan {
  /// Returns the provider that carries out this plan.
  ///
  /// - Parameters:
  ///   - location: The location of the profile, for error messages.
  ///   - machine: The context that the provider uses.
  ///   - services: The factory that creates the provider.
  func provider(
    at location: SettingLocation, on machine: ProviderContext, through services: AmazonServices
  ) -> any CredentialProvider<AccessKey> {
    switch self {
    case .key(let key): return StaticCredentialProvider(key, source: location.source)
    case .environment: return EnvironmentCredentialProvider.aws.reading(machine)
    case .container: return services.container(machine)
    case .instanceRole: return services.instanceRole(machine)
    case .role(let role, let plan):
      return services.role(role, plan.provider(at: location, on: machine, through: services), machine)
    case .webIdentity(let role, let tokenFile):
      return services.webIdentity(role, machine.token(in: tokenFile, for: location), machine)
    case .command(let command): return ProcessCredentialProvider(command, format: .amazon, machine: machine)
    }
  }

  /// Carries out this plan and returns the access key.
  func issue(
    at location: SettingLocation, on machine: ProviderContext, through services: AmazonServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: location, on: machine, through: services).issue(for: location)
  }
}

/// A factory of the credential providers for Amazon's services, which tests can replace.
struct AmazonServices: Sendable {
  typealias Provider = any CredentialProvider<AccessKey>

  /// The type of a closure that returns an identity token; the closure is called for each credential.
  typealias TokenSource = @Sendable @concurrent () async throws(CredentialError) -> Secret

  var instanceRole: @Sendable (ProviderContext) -> Provider
  var container: @Sendable (ProviderContext) -> Provider
  var role: @Sendable (AmazonRolePlan, _ keys: Provider, ProviderContext) -> Provider
  var webIdentity: @Sendable (AmazonRolePlan, _ token: @escaping TokenSource, ProviderContext) -> Provider

  /// The factory of providers that send requests to Amazon's services.
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
