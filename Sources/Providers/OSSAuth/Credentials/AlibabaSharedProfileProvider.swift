// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A provider of access keys from a profile in the file that Alibaba Cloud's SDKs share: `~/.alibabacloud/credentials`.
///
/// The profile contains a key, or specifies a service that issues keys. It is the `profile` parameter, the profile that
/// `ALIBABA_CLOUD_PROFILE` specifies, or `default`, in this order. The file is read for each credential.
/// `ALIBABA_CLOUD_CREDENTIALS_FILE` specifies another path.
public struct AlibabaSharedProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "Alibaba Cloud shared profile", variable: "ALIBABA_CLOUD_CREDENTIALS_FILE",
    paths: ["~/.alibabacloud/credentials"],
    remedy: "Give it a section [default] with type = access_key, access_key_id and access_key_secret.")

  private static let role = SettingTable.RoleNames(arn: "role_arn", sessionName: "role_session_name", policy: "policy")

  private let profile: String?
  private let path: String?
  private let services: AlibabaServices

  /// The provider's name, for error messages.
  public var source: String { Self.file.source }

  /// Creates a provider for a profile in the file that Alibaba Cloud's SDKs share.
  ///
  /// - Parameters:
  ///   - profile: The section name. If `nil`, the profile that the environment specifies, or `default`.
  ///   - path: The file's path. If `nil`, the path that the environment specifies, or the default path.
  public init(profile: String? = nil, path: String? = nil) {
    self.init(profile: profile, path: path, services: .real)
  }

  init(profile: String? = nil, path: String? = nil, services: AlibabaServices) {
    self.profile = profile
    self.path = path
    self.services = services
  }

  /// Returns the access key that the profile contains or that a service issues for the profile.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `failed` if the caller specifies a file or a profile that does not exist;
  ///   `notConfigured` if the default file or profile does not exist; `failed` or `malformedAnswer` if the profile
  ///   cannot be used; or the error of the service that the profile specifies.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let contents = try Self.file.read(in: context, named: path)
    let name = profile ?? context.variable("ALIBABA_CLOUD_PROFILE") ?? "default"
    let document = try INIDocument(contents.bytes, at: contents.place)
    let place = contents.part("section [\(name)]", remedy: Self.file.remedy)
    guard let settings = try document.section(name, at: place) else {
      throw contents.place.missing(section: name, of: document, isMistake: profile != nil)
    }
    return try await plan(settings).issue(at: place, in: context, through: services)
  }

  private func plan(_ settings: SettingTable) throws(CredentialError) -> AlibabaPlan {
    let names = SettingTable.KeyNames(id: "access_key_id", secret: "access_key_secret")
    let type = try settings.required("type")
    switch type.lowercased() {
    case "access_key": return .key(try settings.requiredKey(names))
    case "sts":
      var temporary = names
      temporary.token = "security_token"
      _ = try settings.required("security_token")
      return .key(try settings.requiredKey(temporary))
    case "ecs_ram_role": return .instanceRole(try settings.text("role_name"))
    case "ram_role_arn": return .role(try settings.role(Self.role), with: .key(try settings.requiredKey(names)))
    case "oidc_role_arn":
      return .webIdentity(
        try settings.role(Self.role), providerARN: try settings.required("oidc_provider_arn"),
        tokenFile: try settings.required("oidc_token_file_path"))
    default:
      throw settings.place.malformed(
        "has the type \(type.shownIfName)",
        remedy: "Use access_key, sts, ecs_ram_role, ram_role_arn or oidc_role_arn.")
    }
  }
}
