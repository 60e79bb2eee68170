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
  let services: AlibabaServices

  /// Assumes the pod's role and returns a temporary key.
  ///
  /// The source counts as not configured if only `ALIBABA_CLOUD_ROLE_ARN` is set, because other tools set that variable
  /// too.
  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let location = SettingLocation(source: source, name: "The environment", remedy: "Set all three of them, or none.")
    let values = try context.variables(
      [Self.roleName, Self.providerName, Self.fileName], unlessUnset: [Self.providerName, Self.fileName], at: location)
    var role = AlibabaRolePlan(arn: values[0])
    if let name = context.variable("ALIBABA_CLOUD_ROLE_SESSION_NAME") { role.sessionName = name }
    if let region = context.variable("ALIBABA_CLOUD_STS_REGION") {
      let isPrivate = context.isTrue("ALIBABA_CLOUD_VPC_ENDPOINT_ENABLED")
      guard let endpoint = AlibabaSTSEndpoint(region: region, isPrivate: isPrivate) else {
        throw location.error(
          .failed, "sets an invalid ALIBABA_CLOUD_STS_REGION", remedy: "Write it like cn-hangzhou.")
      }
      role.endpoint = endpoint
    }
    return try await AlibabaPlan.webIdentity(role, providerARN: values[1], tokenFile: values[2])
      .issue(at: location, in: context, through: services)
  }
}

/// A provider of temporary keys for an instance's role, whose name `ALIBABA_CLOUD_ECS_METADATA` can specify.
///
/// `ALIBABA_CLOUD_ECS_METADATA_DISABLED=true` disables the provider.
struct AlibabaInstanceRoleProvider: CredentialProvider {
  static let v1SwitchName = "ALIBABA_CLOUD_IMDSV1_DISABLED"

  let source = AlibabaInstanceMetadataProvider.sourceName
  let services: AlibabaServices
  private let sighting = ServiceSighting()

  init(services: AlibabaServices) {
    self.services = services
  }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let switchName = "ALIBABA_CLOUD_ECS_METADATA_DISABLED"
    if context.isTrue(switchName) {
      throw CredentialError(
        .notConfigured, source: source, "\(switchName) disables the metadata service.", remedy: "Unset it to use it.")
    }
    let provider = services.instanceRole(
      context.variable("ALIBABA_CLOUD_ECS_METADATA"), !context.isTrue(Self.v1SwitchName), sighting)
    return try await provider.issue(in: context)
  }
}

/// A provider of keys from the URL that the environment variable `ALIBABA_CLOUD_CREDENTIALS_URI` specifies.
struct AlibabaCredentialsURIProvider: CredentialProvider {
  let source = "Alibaba Cloud credentials URI"
  let services: AlibabaServices

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let name = "ALIBABA_CLOUD_CREDENTIALS_URI"
    let location = SettingLocation(
      source: source, name: "The environment", remedy: "Set \(name) to a URL that returns a key.")
    guard let url = context.variable(name) else { throw location.error(.notConfigured, "does not set \(name)") }
    return try await AlibabaPlan.uri(url).issue(at: location, in: context, through: services)
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
