// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A factory of the credential providers for Alibaba Cloud's services, which tests can replace.
struct AlibabaServices: Sendable {
  typealias Provider = any CredentialProvider<AccessKey>

  /// The type of a closure that returns an identity token; the closure is called for each credential.
  typealias TokenSource = @Sendable @concurrent () async throws(CredentialError) -> Secret

  var instanceRole: @Sendable (_ role: String?, ProviderContext) -> Provider
  var role: @Sendable (AlibabaRolePlan, _ keys: Provider, ProviderContext) -> Provider
  var webIdentity:
    @Sendable (AlibabaRolePlan, _ providerARN: String, _ token: @escaping TokenSource, ProviderContext) -> Provider
  var uri: @Sendable (String, ProviderContext) -> Provider

  /// The factory of providers that send requests to Alibaba Cloud's services.
  static let real = AlibabaServices(
    instanceRole: { role, machine in
      AlibabaInstanceMetadataProvider(
        role: role, allowsV1: !machine.isTrue("ALIBABA_CLOUD_IMDSV1_DISABLED"), transport: machine.transport,
        time: machine.time)
    },
    role: { role, keys, machine in
      AlibabaAssumeRoleProvider(
        roleARN: role.arn, sessionName: role.sessionName, credentials: keys, duration: role.duration,
        policy: role.policy,
        externalID: role.externalID, endpoint: role.endpoint, transport: machine.transport, time: machine.time)
    },
    webIdentity: { role, providerARN, token, machine in
      AlibabaOIDCProvider(
        roleARN: role.arn, providerARN: providerARN, sessionName: role.sessionName, duration: role.duration,
        policy: role.policy, endpoint: role.endpoint, transport: machine.transport, time: machine.time, token: token)
    },
    uri: { CredentialsURIProvider($0, transport: $1.transport, time: $1.time) })
}
