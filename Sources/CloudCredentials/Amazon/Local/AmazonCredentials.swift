// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The default sources of keys for Amazon S3, in the order of the vendor's newer SDKs, including the SDK for Swift.
///
/// Each source is a slot that can be replaced or removed; the chain's order is that of the properties. A source that is
/// not configured on this machine is skipped; one that is configured but fails ends the search. Creating a value reads
/// only the environment.
///
/// ```swift
/// var sources = AmazonCredentials(machine)
/// sources.metadata = nil
/// let credentials = CredentialCache(sources.chain)
/// ```
public struct AmazonCredentials: Sendable {
  /// A source, or `nil` to omit it.
  public typealias Source = (any CredentialProvider<AccessKey>)?

  /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_CREDENTIAL_EXPIRATION`.
  public var environment: Source

  /// The profile in the shared files: `~/.aws/credentials` and `~/.aws/config`.
  public var profile: Source

  /// The role of a pod or a job with an identity token: `AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`.
  public var webIdentity: Source

  /// The role of the task or the pod: `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI`, `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
  public var container: Source

  /// The role of the instance, from the metadata service.
  public var metadata: Source

  /// Creates the vendor's default sources.
  ///
  /// A profile that is named here takes precedence over the environment: the slots `environment` and `webIdentity` are
  /// then `nil`.
  ///
  /// - Parameters:
  ///   - machine: The context that gives access to the environment, files, commands and the network.
  ///   - profile: The name of the profile, or `nil` for the one that the environment names or `default`.
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

  /// A chain of the sources that are not `nil`, in their order.
  public var chain: CredentialChain<AccessKey> {
    let sources: [Source] = [environment, profile, webIdentity, container, metadata]
    return CredentialChain(sources.compactMap(\.self), source: "Amazon default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// Returns the chain of Amazon's default sources, as ``AmazonCredentials`` lists them.
  ///
  /// - Parameters:
  ///   - machine: The context that gives access to the environment, files, commands and the network.
  ///   - profile: The name of the profile, or `nil` for the one that the environment names or `default`.
  public static func amazonDefault(_ machine: ProviderContext, profile: String? = nil) -> CredentialChain<AccessKey> {
    AmazonCredentials(machine, profile: profile).chain
  }
}
