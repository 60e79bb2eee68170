// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The default sources of keys for COS: the vendor's default chain, with the sources of COS's own tools.
///
/// Each source is a slot that can be replaced or removed; the chain's order is that of the properties. A source that is
/// not configured on this machine is skipped; one that is configured but fails ends the search.
///
/// ```swift
/// var sources = TencentCredentials(machine)
/// sources.metadata = nil
/// let credentials = CredentialCache(sources.chain)
/// ```
public struct TencentCredentials: Sendable {
  /// A source, or `nil` to omit it.
  public typealias Source = (any CredentialProvider<AccessKey>)?

  /// `TENCENTCLOUD_SECRET_ID`, `TENCENTCLOUD_SECRET_KEY`, and `TENCENTCLOUD_TOKEN` or `TENCENTCLOUD_SESSION_TOKEN`.
  public var environment: Source

  /// The profile that the vendor's SDKs share: `~/.tencentcloud/credentials`, or else `/etc/tencentcloud/credentials`.
  public var profile: Source

  /// The profile of the command-line tool: `~/.tccli/<profile>.credential`.
  public var cliProfile: Source

  /// The configuration of coscmd: `~/.cos.conf`.
  public var coscmd: Source

  /// The configuration of coscli: `~/.cos.yaml`.
  public var coscli: Source

  /// The role of the instance, from the metadata service.
  public var metadata: Source

  /// The role of a pod: `TKE_ROLE_ARN`, `TKE_PROVIDER_ID`, `TKE_WEB_IDENTITY_TOKEN_FILE`, `TKE_REGION`.
  ///
  /// The vendor's chain uses the instance's role first; to use the pod's role instead, set ``metadata`` to `nil`.
  public var podRole: Source

  /// Creates the vendor's default sources.
  ///
  /// - Parameter machine: The context that gives access to the environment, files and the network.
  public init(_ machine: ProviderContext) {
    self.init(machine, services: .real)
  }

  init(_ machine: ProviderContext, services: TencentServices) {
    environment = EnvironmentCredentialProvider.cos.reading(machine)
    profile = TencentProfileProvider(machine: machine)
    cliProfile = TCCLIProfileProvider(machine: machine)
    coscmd = COSCMDProfileProvider(machine: machine)
    coscli = COSCLIProfileProvider(machine: machine, services: services)
    metadata = services.instanceRole(nil, machine)
    podRole = TencentPodRoleProvider(machine: machine, services: services)
  }

  /// A chain of the sources that are not `nil`, in their order.
  public var chain: CredentialChain<AccessKey> {
    let sources: [Source] = [environment, profile, cliProfile, coscmd, coscli, metadata, podRole]
    return CredentialChain(sources.compactMap(\.self), source: "Tencent Cloud default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AccessKey> {
  /// Returns the chain of Tencent Cloud's default sources, as ``TencentCredentials`` lists them.
  ///
  /// - Parameter machine: The context that gives access to the environment, files and the network.
  public static func tencentCloudDefault(_ machine: ProviderContext) -> CredentialChain<AccessKey> {
    TencentCredentials(machine).chain
  }
}
