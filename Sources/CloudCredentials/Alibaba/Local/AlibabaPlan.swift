// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A plan to obtain a key, as a profile of Alibaba Cloud's tools describes it.
indirect enum AlibabaPlan: Sendable {
  /// Use the key in the profile.
  case key(AccessKey)
  /// Request the key of the instance's role; `nil` for the role that the instance has.
  case instanceRole(String?)
  /// Assume a role with the key that another plan obtains.
  case role(AlibabaRolePlan, with: AlibabaPlan)
  /// Assume a role with an identity token from a file.
  case webIdentity(AlibabaRolePlan, providerARN: String, tokenFile: String)
  /// Run a command.
  case command(CredentialCommand, timeout: Duration)
  /// Send a request to a URL.
  case uri(String)
}

extension AlibabaPlan {
  /// Returns the provider that executes the plan.
  ///
  /// - Parameters:
  ///   - place: The location of the plan, for errors.
  ///   - machine: The context for the providers.
  ///   - services: The factory of the providers.
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

  /// Executes the plan.
  func issue(
    at place: SettingLocation, on machine: ProviderContext, through services: AlibabaServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: place, on: machine, through: services).issue(for: place)
  }
}
