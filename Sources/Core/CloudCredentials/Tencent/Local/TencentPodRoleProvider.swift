// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A provider of temporary keys for a TKE pod's role, which four environment variables specify.
///
/// The variables are `TKE_ROLE_ARN`, `TKE_PROVIDER_ID`, `TKE_WEB_IDENTITY_TOKEN_FILE` and `TKE_REGION`.
struct TencentPodRoleProvider: CredentialProvider {
  private static let names = ["TKE_ROLE_ARN", "TKE_PROVIDER_ID", "TKE_WEB_IDENTITY_TOKEN_FILE", "TKE_REGION"]

  let source = "Tencent Cloud pod role"
  let machine: ProviderContext
  let services: TencentServices

  func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let place = SettingLocation(source: source, name: "The environment", remedy: "Set all four of them, or none.")
    let values = try machine.variables(Self.names, unlessUnset: Array(Self.names.prefix(3)), at: place)
    let role = TencentServices.PodRole(arn: values[0], providerID: values[1], region: values[3])
    return try await services.webIdentity(role, machine.token(in: values[2], for: place), machine).issue(for: place)
  }
}
