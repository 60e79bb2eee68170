// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A plan to obtain an access key, as a profile of Alibaba Cloud's tools describes it.
indirect enum AlibabaPlan: Sendable {
  /// A plan that uses the key in the profile.
  case key(AccessKey)
  /// A plan that requests a key for the role with the given name from the instance's metadata service.
  ///
  /// If the name is `nil`, the role is the instance's own.
  case instanceRole(String?)
  /// A plan that assumes a role with a key that another plan obtains.
  case role(AlibabaRolePlan, with: AlibabaPlan)
  /// A plan that assumes a role with an identity token from a file.
  case webIdentity(AlibabaRolePlan, providerARN: String, tokenFile: String)
  /// A plan that runs a command that prints a key.
  case command(CredentialCommand, timeout: Duration)
  /// A plan that requests a key from a URL.
  case uri(String)
}

extension AlibabaPlan {
  /// Returns the provider that carries out this plan.
  ///
  /// - Parameters:
  ///   - place: The location of the profile, for error messages.
  ///   - machine: The context that the provider uses.
  ///   - services: The factory that creates the provider.
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

  /// Carries out this plan and returns the access key.
  func issue(
    at place: SettingLocation, on machine: ProviderContext, through services: AlibabaServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: place, on: machine, through: services).issue(for: place)
  }
}
