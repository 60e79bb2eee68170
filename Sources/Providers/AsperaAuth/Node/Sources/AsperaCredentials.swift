// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// The default credential providers for a Node API: the environment variables, then a configuration file.
///
/// Each provider can be replaced or left out. The providers are tried in the order of the properties. A provider that
/// is not configured on this machine is skipped, and an invalid configuration ends the search with an error.
///
/// ```swift
/// var sources = AsperaCredentials()
/// sources.profile = vault
/// let access = CredentialCache(sources.chain)
/// ```
public struct AsperaCredentials: Sendable {
  /// The type of a credential provider in the chain, or `nil` to skip the provider.
  public typealias Source = (any CredentialProvider<AsperaNodeAccess>)?

  /// The provider that reads `ASPERA_NODE_USER` and other environment variables, or `nil` to skip this provider.
  ///
  /// See ``AsperaEnvironmentProvider``.
  public var environment: Source

  /// The provider that reads a profile in `~/.aspera/storage-auth.json`, or `nil` to skip this provider.
  ///
  /// It is `ProfileCredentialProvider.asperaProfile()`.
  public var profile: Source

  /// Creates the default credential providers.
  public init() {
    environment = AsperaEnvironmentProvider()
    profile = ProfileCredentialProvider.asperaProfile()
  }

  /// A chain of the providers that are not `nil`: first the environment, then the profile.
  public var chain: CredentialChain<AsperaNodeAccess> {
    CredentialChain([environment, profile].compactMap(\.self), source: "Aspera default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AsperaNodeAccess> {
  /// The chain of the default credential providers for a Node API, which ``AsperaCredentials`` lists.
  public static var asperaDefault: CredentialChain<AsperaNodeAccess> { AsperaCredentials().chain }
}
