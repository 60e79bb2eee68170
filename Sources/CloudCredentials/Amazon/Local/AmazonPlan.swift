// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A plan to obtain a key, as a profile of Amazon's tools describes it.
indirect enum AmazonPlan: Sendable {
  /// Use the key in the profile.
  case key(AccessKey)
  /// Use the key from the environment.
  case environment
  /// Request the key of the task or the pod from the platform.
  case container
  /// Request the key of the instance's role.
  case instanceRole
  /// Assume a role with the key that another plan obtains.
  case role(AmazonRolePlan, with: AmazonPlan)
  /// Assume a role with an identity token from a file.
  case webIdentity(AmazonRolePlan, tokenFile: String)
  /// Run a command.
  case command(CredentialCommand)
}

/// A role with the parameters for assuming it.
struct AmazonRolePlan: Sendable, Hashable {
  var arn: String
  var sessionName = "swift-storage-auth"
  var duration = Duration.seconds(3600)
  var externalID: String?
  var endpoint = AmazonSTSEndpoint.global
}

extension AmazonPlan {
  /// Returns the provider that executes the plan.
  ///
  /// - Parameters:
  ///   - place: The location of the plan, for errors.
  ///   - machine: The context for the providers.
  ///   - services: The factory of the providers.
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

  /// Executes the plan.
  func issue(
    at place: SettingLocation, on machine: ProviderContext, through services: AmazonServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: place, on: machine, through: services).issue(for: place)
  }
}

/// A factory of the providers that plans use; tests replace it.
struct AmazonServices: Sendable {
  typealias Provider = any CredentialProvider<AccessKey>

  /// Returns an identity token; called for each credential.
  typealias TokenSource = @Sendable @concurrent () async throws(CredentialError) -> Secret

  var instanceRole: @Sendable (ProviderContext) -> Provider
  var container: @Sendable (ProviderContext) -> Provider
  var role: @Sendable (AmazonRolePlan, _ keys: Provider, ProviderContext) -> Provider
  var webIdentity: @Sendable (AmazonRolePlan, _ token: @escaping TokenSource, ProviderContext) -> Provider

  /// The providers of Amazon's services.
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
