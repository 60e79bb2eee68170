// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// The default sources of access keys for Amazon S3, in the order of the vendor's newer SDKs, including the SDK for
/// Swift.
///
/// Each source is a property that can be replaced or set to `nil`, and the chain tries the sources in the order of the
/// properties. A source that is not configured on this machine is skipped. A source that is configured but fails ends
/// the search.
///
/// ```swift
/// var sources = AmazonCredentials()
/// sources.metadata = nil
/// let credentials = CredentialCache(sources.chain)
/// ```
public struct AmazonCredentials: Sendable {
  /// The type of an optional source of access keys; a source that is `nil` is omitted from the chain.
  public typealias Source = (any CredentialProvider<AccessKey>)?

  /// The source that reads the key from the environment.
  ///
  /// Its variables are `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN` and
  /// `AWS_CREDENTIAL_EXPIRATION`.
  public var environment: Source

  /// The source that uses a profile in the shared files: `~/.aws/credentials` and `~/.aws/config`.
  public var profile: Source

  /// The source that assumes a role with an identity token of a pod or a job.
  ///
  /// The token and the role are specified by `AWS_WEB_IDENTITY_TOKEN_FILE` and `AWS_ROLE_ARN`.
  public var webIdentity: Source

  /// The source that requests a key for the ECS task or the pod in which the process runs.
  ///
  /// The URL is specified by `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
  public var container: Source

  /// The source that requests a key for the instance's role from the metadata service.
  public var metadata: Source

  /// Creates Amazon's default sources.
  ///
  /// A profile that is passed to this initializer takes precedence over the environment: the properties `environment`
  /// and `webIdentity` are then `nil`.
  ///
  /// - Parameter profile: The profile name. If `nil`, the profile that the environment specifies, or `default`.
  public init(profile: String? = nil) {
    self.init(profile: profile, services: .real)
  }

  init(profile: String? = nil, services: AmazonServices) {
    environment = profile == nil ? EnvironmentCredentialProvider.aws : nil
    self.profile = ProfileCredentialProvider.amazonProfile(profile, services: services)
    webIdentity = profile == nil ? AmazonWebIdentityRoleProvider(services: services) : nil
    container = services.container()
    metadata = services.instanceRole()
  }

  /// A chain of all sources that are not `nil`, in the order of the properties.
  public var chain: CredentialChain<AccessKey> {
    let sources: [Source] = [environment, profile, webIdentity, container, metadata]
    return CredentialChain(sources.compactMap(\.self), source: "Amazon default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// The chain of Amazon's default sources, which ``AmazonCredentials`` lists.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.amazonDefault)
  /// ```
  public static var amazonDefault: CredentialChain<AccessKey> { AmazonCredentials().chain }
}
