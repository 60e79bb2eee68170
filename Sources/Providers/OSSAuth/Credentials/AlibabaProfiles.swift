// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

extension CredentialProvider where Self == ProfileCredentialProvider<AccessKey> {
  /// Returns a provider of access keys from a profile in the file that Alibaba Cloud's SDKs share.
  ///
  /// `enable = false` in a section disables the profile.
  ///
  /// - Parameters:
  ///   - profile: The section name. If `nil`, the profile in `ALIBABA_CLOUD_PROFILE`, or `default`.
  ///   - path: The path. If `nil`, that in `ALIBABA_CLOUD_CREDENTIALS_FILE`, or `~/.alibabacloud/credentials` or, if
  ///     there is none, `~/.alibabacloud/credentials.ini`.
  public static func alibabaSharedProfile(_ profile: String? = nil, path: String? = nil) -> Self {
    alibabaSharedProfile(profile, path: path, services: .real)
  }

  static func alibabaSharedProfile(_ profile: String? = nil, path: String? = nil, services: AlibabaServices) -> Self {
    let file = ConfigurationFile(
      source: "Alibaba Cloud shared profile", variable: "ALIBABA_CLOUD_CREDENTIALS_FILE",
      paths: ["~/.alibabacloud/credentials", "~/.alibabacloud/credentials.ini"],
      remedy: "Give it a section [default] with type = access_key, access_key_id and access_key_secret.")
    return Self(file, path: path) { (contents, context) throws(CredentialError) in
      let name = profile ?? context.variable("ALIBABA_CLOUD_PROFILE") ?? "default"
      let settings = try contents.section(name, isMistake: profile != nil)
      if settings.has("enable"), try !settings.flag("enable") {
        throw settings.location.error(
          profile != nil ? .failed : .notConfigured, "is disabled by “enable”", remedy: "Set enable = true to use it.")
      }
      return try await sharedPlan(settings).issue(at: settings.location, in: context, through: services)
    }
  }

  private static func sharedPlan(_ settings: SettingTable) throws(CredentialError) -> AlibabaPlan {
    let keyNames = SettingTable.KeyNames(id: "access_key_id", secret: "access_key_secret")
    let roleNames = SettingTable.RoleNames(arn: "role_arn", sessionName: "role_session_name", policy: "policy")
    let type = try settings.required("type")
    switch type.lowercased() {
    case "access_key": return .key(try settings.requiredKey(keyNames))
    case "sts":
      var temporaryKeyNames = keyNames
      temporaryKeyNames.token = "security_token"
      _ = try settings.required("security_token")
      return .key(try settings.requiredKey(temporaryKeyNames))
    case "ecs_ram_role": return .instanceRole(try settings.text("role_name"))
    case "ram_role_arn":
      return .role(try settings.role(roleNames), with: .key(try settings.requiredKey(keyNames)))
    case "oidc_role_arn":
      return .webIdentity(
        try settings.role(roleNames), providerARN: try settings.required("oidc_provider_arn"),
        tokenFile: try settings.required("oidc_token_file_path"))
    default:
      throw settings.location.malformed(
        "has the type \(type.shownIfName)", remedy: "Use access_key, sts, ecs_ram_role, ram_role_arn or oidc_role_arn.")
    }
  }

  /// Returns a provider of access keys from a profile of the OSS SDK for Java.
  ///
  /// - Parameters:
  ///   - profile: The section name, or `nil` for `default`.
  ///   - path: The file's path. If `nil`, the path in `OSS_CREDENTIAL_PROFILES_FILE`, or `~/.oss/credentials`.
  public static func ossSDKProfile(_ profile: String? = nil, path: String? = nil) -> Self {
    let file = ConfigurationFile(
      source: "OSS SDK profile", variable: "OSS_CREDENTIAL_PROFILES_FILE", paths: ["~/.oss/credentials"],
      remedy: "Give it a section [default] with oss_access_key_id and oss_secret_access_key.")
    return Self(file, path: path) { (contents, _) throws(CredentialError) in
      let settings = try contents.section(profile ?? "default", isMistake: profile != nil)
      let names = SettingTable.KeyNames(
        id: "oss_access_key_id", secret: "oss_secret_access_key", token: "oss_session_token")
      return IssuedCredential(try settings.requiredKey(names))
    }
  }

  /// Returns a provider of access keys from a profile of ossutil, version 1 or 2.
  ///
  /// Files of version 1 have only the section `[Credentials]`, which is used if there is no default profile. As in
  /// ossutil, the spellings `accessKeyID`, `access-key-id` and `access_key_id` of a setting are equivalent.
  ///
  /// - Parameters:
  ///   - profile: The profile name. If `nil`, the profile in `OSSUTIL_PROFILE`, or the default profile.
  ///   - path: The file's path. If `nil`, the path in `OSSUTIL_CONFIG_FILE`, or `~/.ossutilconfig`.
  public static func ossutilProfile(_ profile: String? = nil, path: String? = nil) -> Self {
    ossutilProfile(profile, path: path, services: .real)
  }

  static func ossutilProfile(_ profile: String? = nil, path: String? = nil, services: AlibabaServices) -> Self {
    let file = ConfigurationFile(
      source: "ossutil", variable: "OSSUTIL_CONFIG_FILE", paths: ["~/.ossutilconfig"], remedy: "Run ossutil config.")
    return Self(file, path: path) { (contents, context) throws(CredentialError) in
      let dialect = INIDocument.Dialect(section: normalizedName, key: normalizedName)
      let document = try INIDocument(contents.bytes, at: contents.location, dialect: dialect)
      let chosenName = profile ?? context.variable("OSSUTIL_PROFILE")
      let name = chosenName ?? "default"
      let sections = ["profile \(name)", name] + (name == "default" ? ["Credentials"] : [])
      for section in sections {
        let location = contents.part("section [\(section)]")
        guard let settings = try document.section(section, at: location) else { continue }
        return try await ossutilPlan(settings, contents).issue(at: location, in: context, through: services)
      }
      throw contents.location.missing(section: name, of: document, isMistake: chosenName != nil)
    }
  }

  /// Returns a section name or a key in lowercase without hyphens and underscores, so that all spellings are equal.
  @Sendable private static func normalizedName(_ name: String) -> String {
    name.lowercased().filter { $0 != "-" && $0 != "_" }
  }

  private static func ossutilPlan(
    _ settings: SettingTable, _ contents: ConfigurationFile.Contents
  ) throws(CredentialError) -> AlibabaPlan {
    let keyNames = SettingTable.KeyNames(id: "accesskeyid", secret: "accesskeysecret", token: "ststoken")
    let roleNames = SettingTable.RoleNames(
      arn: settings.has("ramrolearn") ? "ramrolearn" : "rolearn", sessionName: "rolesessionname",
      externalID: "externalid", region: "stsregion")
    let mode = try settings.text("mode") ?? (settings.has(roleNames.arn) ? "RamRoleArn" : "AK")
    switch mode.lowercased() {
    case "ak", "ststoken":
      guard let key = try settings.key(keyNames) else { throw settings.location.error(.notConfigured, "has no key") }
      return .key(key)
    case "ramrolearn": return .role(try settings.role(roleNames), with: .key(try settings.requiredKey(keyNames)))
    case "ecsramrole": return .instanceRole(try settings.text(["ecsrolename", "ramrolename"]))
    case "oidcrolearn", "oidc":
      return .webIdentity(
        try settings.role(roleNames), providerARN: try settings.required("oidcproviderarn"),
        tokenFile: try settings.required("oidctokenfilepath"))
    case "process": return try ossutilCommand(settings, contents)
    case "credentialsuri": return .uri(try settings.required("credentialsuri"))
    case "anonymous": return .key(.anonymous)
    default: throw settings.location.malformed("has the mode \(mode.shownIfName), which is unknown")
    }
  }

  /// The time after which ossutil ends a command unless the profile sets another time, and the maximum time.
  private static var defaultCommandSeconds: Int64 { 15 }
  private static var maximumCommandSeconds: Int64 { 600 }

  private static func ossutilCommand(
    _ settings: SettingTable, _ contents: ConfigurationFile.Contents
  ) throws(CredentialError) -> AlibabaPlan {
    let line = try settings.required("credentialprocess")
    // The command is run without a shell, to which these characters have a special meaning.
    guard !line.contains(where: { "|&;<>$`".contains($0) }), let command = CredentialCommand(splitting: line) else {
      throw settings.location.malformed(
        "has a “credentialProcess” that needs a shell", remedy: "Put it into a script, and name the script.")
    }
    try contents.checkThatCommandsMayBeRun(for: settings.location)
    let seconds = try settings.integer("credentialprocesstimeout") ?? defaultCommandSeconds
    return .command(command, timeout: .seconds(min(max(seconds, 1), maximumCommandSeconds)))
  }
}
