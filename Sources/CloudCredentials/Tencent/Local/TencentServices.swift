// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A factory of the providers that send requests to Tencent Cloud; tests replace it.
struct TencentServices: Sendable {
  typealias Provider = any CredentialProvider<AccessKey>

  /// Returns an identity token; called for each credential.
  typealias TokenSource = @Sendable @concurrent () async throws(CredentialError) -> Secret

  /// The role of a pod, with its identity provider and region.
  struct PodRole: Sendable, Hashable {
    var arn: String
    var providerID: String
    var region: String
  }

  var instanceRole: @Sendable (_ role: String?, ProviderContext) -> Provider
  var webIdentity: @Sendable (PodRole, _ token: @escaping TokenSource, ProviderContext) -> Provider

  /// The providers of Tencent Cloud's services.
  static let real = TencentServices(
    instanceRole: { role, machine in
      TencentInstanceMetadataProvider(role: role, transport: machine.transport, time: machine.time)
    },
    webIdentity: { role, token, machine in
      TencentWebIdentityProvider(
        roleARN: role.arn, providerID: role.providerID, region: role.region, transport: machine.transport,
        time: machine.time, token: token)
    })
}
