// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

extension CredentialProvider where Self == ProfileCredentialProvider<AccessKey> {
  /// Returns a provider of access keys from a profile in the file that Alibaba Cloud's SDKs share:
  /// `~/.alibabacloud/credentials`.
  ///
  /// `ALIBABA_CLOUD_CREDENTIALS_FILE` specifies another path.
  ///
  /// - Parameters:
  ///   - profile: The section name. If `nil`, the profile that `ALIBABA_CLOUD_PROFILE` specifies, or `default`.
  ///   - path: The file's path. If `nil`, the path that the environment specifies, or the default path.
  public static func alibabaSharedProfile(_ profile: String? = nil, path: String? = nil) -> Self {
    alibabaSharedProfile(profile, path: path, services: .real)
  }

  static func alibabaSharedProfile(
    _ profile: String? = nil, path: String? = nil, services: AlibabaServices
  ) -> Self {
    let file = ConfigurationFile(
      source: "Alibaba Cloud shared profile", variable: "ALIBABA_CLOUD_CREDENTIALS_FILE",
      paths: ["~/.alibabacloud/credentials"],
      remedy: "Give it a section [default] with type = access_key, access_key_id and access_key_secret.")
    return Self(file, path: path) { (contents, context) throws(CredentialError) in
      let name = profile ?? context.variable("ALIBABA_CLOUD_PROFILE") ?? "default"
      let settings = try contents.section(name, isMistake: profile != nil)
      return try await sharedPlan(settings).issue(at: settings.location, in: context, through: services)
    }
  }

  private static func sharedPlan(_ settings: SettingTable) throws(CredentialError) -> AlibabaPlan {
    let names = SettingTable.KeyNames(id: "access_key_id", secret: "access_key_secret")
    let role = SettingTable.RoleNames(arn: "role_arn", sessionName: "role_session_name", policy: "policy")
    let type = try settings.required("type")
    switch type.lowercased() {
    case "access_key": return .key(try settings.requiredKey(names))
    case "sts":
      var temporary = names
      temporary.token = "security_token"
      _ = try settings.required("security_token")
      return .key(try settings.requiredKey(temporary))
    case "ecs_ram_role": return .instanceRole(try settings.text("role_name"))
    case "ram_role_arn": return .role(try settings.role(role), with: .key(try settings.requiredKey(names)))
    case "oidc_role_arn":
      return .webIdentity(
        try settings.role(role), providerARN: try settings.required("oidc_provider_arn"),
        tokenFile: try settings.required("oidc_token_file_path"))
    default:
      throw settings.location.malformed(
        "has the type \(type.shownIfName)",
        remedy: "Use access_key, sts, ecs_ram_role, ram_role_arn or oidc_role_arn.")
    }
  }
}
