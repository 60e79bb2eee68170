// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A factory of the credential providers for Tencent Cloud's services, which tests can replace.
struct TencentServices: Sendable {
  typealias Provider = any CredentialProvider<AccessKey>

  /// The type of a closure that returns an identity token; the closure is called for each credential.
  typealias TokenSource = @Sendable @concurrent () async throws(CredentialError) -> Secret

  /// A pod's role, with its identity provider and region.
  struct PodRole: Sendable, Hashable {
    var arn: String
    var providerID: String
    var region: String
  }

  var instanceRole: @Sendable (_ role: String?, ProviderContext) -> Provider
  var webIdentity: @Sendable (PodRole, _ token: @escaping TokenSource, ProviderContext) -> Provider

  /// The factory of providers that send requests to Tencent Cloud's services.
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
