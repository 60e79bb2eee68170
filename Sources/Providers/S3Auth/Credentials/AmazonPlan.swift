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
  ///   - context: The context of the call, for the provider's settings.
  ///   - services: The factory that creates the provider.
  func provider(
    at location: SettingLocation, in context: ProviderContext, through services: AmazonServices
  ) -> any CredentialProvider<AccessKey> {
    switch self {
    case .key(let key): return StaticCredentialProvider(key, source: location.source)
    case .environment: return EnvironmentCredentialProvider.aws
    case .container: return services.container()
    case .instanceRole: return services.instanceRole()
    case .role(let role, let plan):
      return services.role(role, plan.provider(at: location, in: context, through: services))
    case .webIdentity(let role, let tokenFile):
      return services.webIdentity(role, context.token(in: tokenFile, for: location))
    case .command(let command): return ProcessCredentialProvider(command, format: .amazon)
    }
  }

  /// Carries out this plan and returns the access key.
  func issue(
    at location: SettingLocation, in context: ProviderContext, through services: AmazonServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: location, in: context, through: services).issue(for: location, in: context)
  }
}

/// A factory of the credential providers for Amazon's services, which tests can replace.
struct AmazonServices: Sendable {
  typealias Provider = any CredentialProvider<AccessKey>

  /// The type of a closure that returns an identity token; the closure is called for each credential.
  typealias TokenSource = @Sendable @concurrent () async throws(CredentialError) -> Secret

  var instanceRole: @Sendable () -> Provider
  var container: @Sendable () -> Provider
  var role: @Sendable (AmazonRolePlan, _ keys: Provider) -> Provider
  var webIdentity: @Sendable (AmazonRolePlan, _ token: @escaping TokenSource) -> Provider

  /// The factory of providers that send requests to Amazon's services.
  static let real = AmazonServices(
    instanceRole: { AmazonInstanceRoleProvider() },
    container: { AmazonContainerProvider() },
    role: { role, keys in
      AmazonAssumeRoleProvider(
        roleARN: role.arn, sessionName: role.sessionName, credentials: keys, duration: role.duration,
        externalID: role.externalID, endpoint: role.endpoint)
    },
    webIdentity: { role, token in
      AmazonWebIdentityProvider(
        roleARN: role.arn, sessionName: role.sessionName, duration: role.duration, endpoint: role.endpoint,
        token: token)
    })
}
