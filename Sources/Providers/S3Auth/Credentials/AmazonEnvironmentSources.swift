// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CredentialSources
internal import StorageAuth

extension EnvironmentCredentialProvider {
  /// A provider of access keys from Amazon's environment variables.
  ///
  /// The variables are `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for a temporary key, `AWS_SESSION_TOKEN`
  /// (formerly `AWS_SECURITY_TOKEN`) and `AWS_CREDENTIAL_EXPIRATION`.
  public static let aws = EnvironmentCredentialProvider(
    id: "AWS_ACCESS_KEY_ID", secret: "AWS_SECRET_ACCESS_KEY", tokens: ["AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN"],
    expiration: "AWS_CREDENTIAL_EXPIRATION")
}

/// A provider of temporary keys for a role, which it assumes with an identity token of a pod or a job.
///
/// The token file, the role and the session name are specified by the environment variables
/// `AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN` and `AWS_ROLE_SESSION_NAME`.
struct AmazonWebIdentityRoleProvider: CredentialProvider {
  private static let fileName = "AWS_WEB_IDENTITY_TOKEN_FILE"
  private static let roleName = "AWS_ROLE_ARN"

  let source = "Amazon web identity"
  let machine: ProviderContext
  let services: AmazonServices

  func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Assumes the role and returns a temporary key.
  ///
  /// The source counts as not configured if only `AWS_ROLE_ARN` is set, because other tools set that variable too.
  func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let location = SettingLocation(source: source, name: "The environment", remedy: "Set both of them, or none.")
    let values = try machine.variables([Self.fileName, Self.roleName], unlessUnset: [Self.fileName], at: location)
    var role = AmazonRolePlan(arn: values[1])
    if let name = machine.variable("AWS_ROLE_SESSION_NAME") { role.sessionName = name }
    role.endpoint = try AmazonSettings(machine).stsEndpoint
    return try await AmazonPlan.webIdentity(role, tokenFile: values[0]).issue(
      at: location, on: machine, through: services)
  }
}

/// A provider of temporary keys for an instance's role, configured by environment variables.
///
/// `AWS_EC2_METADATA_DISABLED=true` disables the provider. `AWS_EC2_METADATA_SERVICE_ENDPOINT` specifies another URL of
/// the metadata service, `AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE=IPv6` selects the vendor's IPv6 address, and
/// `AWS_EC2_METADATA_V1_DISABLED=true` forbids requests without a token (IMDSv1).
struct AmazonInstanceRoleProvider: CredentialProvider {
  private static let switchName = "AWS_EC2_METADATA_DISABLED"
  private static let modeName = "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"

  private let machine: ProviderContext
  private let provider: AmazonInstanceMetadataProvider

  var source: String { provider.source }

  init(machine: ProviderContext) {
    self.machine = machine
    let isIPv6 = machine.variable(Self.modeName)?.lowercased() == "ipv6"
    provider = AmazonInstanceMetadataProvider(
      allowsV1: !machine.isTrue("AWS_EC2_METADATA_V1_DISABLED"),
      endpoint: machine.variable("AWS_EC2_METADATA_SERVICE_ENDPOINT")
        ?? (isIPv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254"),
      transport: machine.transport, time: machine.time)
  }

  func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let location = SettingLocation(
      source: source, name: "The environment", remedy: "Unset it to use the metadata service.")
    if machine.isTrue(Self.switchName) {
      throw location.error(.notConfigured, "disables the metadata service with \(Self.switchName)")
    }
    if let mode = machine.variable(Self.modeName), !["ipv4", "ipv6"].contains(mode.lowercased()) {
      throw location.error(
        .failed, "sets \(Self.modeName) to \(mode.shownIfName)", remedy: "Set it to IPv4 or IPv6, or unset it.")
    }
    return try await provider.issue()
  }
}
