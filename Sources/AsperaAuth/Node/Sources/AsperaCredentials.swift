// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CloudCredentials
public import StorageAuth

/// The default providers of access to a Node API: the environment, then a file.
///
/// Each provider can be replaced or left out. They are tried in the order of the properties. A provider that is not
/// configured on this machine is skipped; one that is configured incorrectly ends the search with an error.
///
/// ```swift
/// var sources = AsperaCredentials(machine)
/// sources.profile = vault
/// let access = CredentialCache(sources.chain)
/// ```
public struct AsperaCredentials: Sendable {
  /// A provider, or `nil` to leave it out.
  public typealias Source = (any CredentialProvider<AsperaNodeAccess>)?

  /// The provider that reads `ASPERA_NODE_USER` and other environment variables; see ``AsperaEnvironmentProvider``.
  public var environment: Source

  /// The provider that reads a profile in `~/.aspera/storage-auth.json`; see ``AsperaProfileProvider``.
  public var profile: Source

  /// Creates the default providers.
  ///
  /// - Parameter machine: The files and environment variables that the providers may read.
  public init(_ machine: ProviderContext) {
    environment = AsperaEnvironmentProvider(machine)
    profile = AsperaProfileProvider(machine: machine)
  }

  /// A chain of the providers that are not `nil`, in their order.
  public var chain: CredentialChain<AsperaNodeAccess> {
    CredentialChain([environment, profile].compactMap(\.self), source: "Aspera default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AsperaNodeAccess> {
  /// Returns the default providers of access to a Node API, as ``AsperaCredentials`` lists them.
  ///
  /// - Parameter machine: The files and environment variables that the providers may read.
  public static func asperaDefault(_ machine: ProviderContext) -> CredentialChain<AsperaNodeAccess> {
    AsperaCredentials(machine).chain
  }
}
