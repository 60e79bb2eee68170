// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CredentialSources
internal import StorageAuth

/// A provider of a pod's role (RRSA), which three environment variables specify.
///
/// The variables are `ALIBABA_CLOUD_ROLE_ARN`, `ALIBABA_CLOUD_OIDC_PROVIDER_ARN` and `ALIBABA_CLOUD_OIDC_TOKEN_FILE`.
struct AlibabaPodRoleProvider: CredentialProvider {
  private static let roleName = "ALIBABA_CLOUD_ROLE_ARN"
  private static let providerName = "ALIBABA_CLOUD_OIDC_PROVIDER_ARN"
  private static let fileName = "ALIBABA_CLOUD_OIDC_TOKEN_FILE"

  let source = "Alibaba Cloud pod role"
  let machine: ProviderContext
  let services: AlibabaServices

  func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Assumes the pod's role and returns a temporary key.
  ///
  /// The source counts as not configured if only `ALIBABA_CLOUD_ROLE_ARN` is set, because other tools set that variable
  /// too.
  func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let location = SettingLocation(source: source, name: "The environment", remedy: "Set all three of them, or none.")
    let values = try machine.variables(
      [Self.roleName, Self.providerName, Self.fileName], unlessUnset: [Self.providerName, Self.fileName], at: location)
    var role = AlibabaRolePlan(arn: values[0])
    if let name = machine.variable("ALIBABA_CLOUD_ROLE_SESSION_NAME") { role.sessionName = name }
    if let region = machine.variable("ALIBABA_CLOUD_STS_REGION") {
      let isPrivate = machine.isTrue("ALIBABA_CLOUD_VPC_ENDPOINT_ENABLED")
      guard let endpoint = AlibabaSTSEndpoint(region: region, isPrivate: isPrivate) else {
        throw location.error(
          .failed, "sets an invalid ALIBABA_CLOUD_STS_REGION", remedy: "Write it like cn-hangzhou.")
      }
      role.endpoint = endpoint
    }
    return try await AlibabaPlan.webIdentity(role, providerARN: values[1], tokenFile: values[2])
      .issue(at: location, on: machine, through: services)
  }
}

/// A provider of temporary keys for an instance's role, whose name `ALIBABA_CLOUD_ECS_METADATA` can specify.
///
/// `ALIBABA_CLOUD_ECS_METADATA_DISABLED=true` disables the provider.
struct AlibabaInstanceRoleProvider: CredentialProvider {
  private let machine: ProviderContext
  private let provider: any CredentialProvider<AccessKey>

  var source: String { provider.source }

  init(machine: ProviderContext, services: AlibabaServices) {
    self.machine = machine
    provider = services.instanceRole(machine.variable("ALIBABA_CLOUD_ECS_METADATA"), machine)
  }

  func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let switchName = "ALIBABA_CLOUD_ECS_METADATA_DISABLED"
    if machine.isTrue(switchName) {
      throw CredentialError(
        .notConfigured, source: source, "\(switchName) disables the metadata service.", remedy: "Unset it to use it.")
    }
    return try await provider.issue()
  }
}

/// A provider of keys from the URL that the environment variable `ALIBABA_CLOUD_CREDENTIALS_URI` specifies.
struct AlibabaCredentialsURIProvider: CredentialProvider {
  let source = "Alibaba Cloud credentials URI"
  let machine: ProviderContext
  let services: AlibabaServices

  func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let name = "ALIBABA_CLOUD_CREDENTIALS_URI"
    let location = SettingLocation(
      source: source, name: "The environment", remedy: "Set \(name) to a URL that returns a key.")
    guard let url = machine.variable(name) else { throw location.error(.notConfigured, "does not set \(name)") }
    return try await AlibabaPlan.uri(url).issue(at: location, on: machine, through: services)
  }
}

extension EnvironmentCredentialProvider {
  /// A provider of access keys from OSS's environment variables.
  ///
  /// The variables are `OSS_ACCESS_KEY_ID`, `OSS_ACCESS_KEY_SECRET` and, for a temporary key, `OSS_SESSION_TOKEN`.
  public static let oss = EnvironmentCredentialProvider(
    id: "OSS_ACCESS_KEY_ID", secret: "OSS_ACCESS_KEY_SECRET", tokens: ["OSS_SESSION_TOKEN"])

  /// A provider of access keys from Alibaba Cloud's environment variables.
  ///
  /// The variables are `ALIBABA_CLOUD_ACCESS_KEY_ID`, `ALIBABA_CLOUD_ACCESS_KEY_SECRET` and, for a temporary key,
  /// `ALIBABA_CLOUD_SECURITY_TOKEN`.
  public static let alibabaCloud = EnvironmentCredentialProvider(
    id: "ALIBABA_CLOUD_ACCESS_KEY_ID", secret: "ALIBABA_CLOUD_ACCESS_KEY_SECRET",
    tokens: ["ALIBABA_CLOUD_SECURITY_TOKEN"])
}
