// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

extension CredentialProvider where Self == ProfileCredentialProvider<AccessKey> {
  /// Returns a provider of access keys from a profile of Alibaba Cloud's command-line tool: `~/.aliyun/config.json`.
  ///
  /// `ALIBABA_CLOUD_CONFIG_FILE` specifies another path, and `ALIBABA_CLOUD_CLI_PROFILE_DISABLED=true` disables the
  /// source. All modes except `RsaKeyPair` are supported. `CloudSSO` and `OAuth` require a login in a browser, so only
  /// the temporary key that such a login has stored is used, until the key expires.
  ///
  /// - Parameters:
  ///   - profile: The profile name. If `nil`, the profile that `ALIBABA_CLOUD_PROFILE` specifies, or the file's current
  ///     profile.
  ///   - path: The file's path. If `nil`, the path that the environment specifies, or the default path.
  public static func alibabaCLIProfile(_ profile: String? = nil, path: String? = nil) -> Self {
    alibabaCLIProfile(profile, path: path, services: .real)
  }

  static func alibabaCLIProfile(_ profile: String? = nil, path: String? = nil, services: AlibabaServices) -> Self {
    let file = ConfigurationFile(
      source: "Alibaba Cloud CLI", variable: "ALIBABA_CLOUD_CONFIG_FILE", paths: ["~/.aliyun/config.json"],
      remedy: "Run aliyun configure.")
    return Self(source: file.source) { (context) throws(CredentialError) in
      let switchName = "ALIBABA_CLOUD_CLI_PROFILE_DISABLED"
      if context.isTrue(switchName) {
        throw CredentialError(
          .notConfigured, source: file.source, "\(switchName) disables the profiles of the command-line tool.",
          remedy: "Unset it to use them.")
      }
      let profiles = try AlibabaCLIProfiles(try file.read(in: context, named: path), at: context.time.now)
      let named = profile ?? context.variable("ALIBABA_CLOUD_PROFILE")
      let current = try profiles.current
      guard let name = named ?? current else { throw profiles.nothing }
      guard let plan = try profiles.plan(for: name) else {
        throw profiles.unknown(name, isMistake: profile != nil || named == nil)
      }
      return try await plan.issue(at: profiles.location(of: name), in: context, through: services)
    }
  }
}

/// The profiles in `~/.aliyun/config.json`, each of which describes a plan to obtain a key.
struct AlibabaCLIProfiles {
  private static let key = SettingTable.KeyNames(id: "access_key_id", secret: "access_key_secret", token: "sts_token")
  private static let issuedKey = SettingTable.KeyNames(
    id: "access_key_id", secret: "access_key_secret", token: "sts_token", expiration: "sts_expiration")

  private static let role = SettingTable.RoleNames(
    arn: "ram_role_arn", sessionName: "ram_session_name", seconds: "expired_seconds", policy: "policy",
    externalID: "external_id", region: "sts_region", usesPrivateNetwork: "enable_vpc")

  private static let commandTimeout = Duration.seconds(60)

  private let file: ConfigurationFile.Contents
  private let root: SettingTable
  private let now: Timestamp
  private var profiles: [(name: String, settings: JSONObject)] = []

  /// Parses the file; expirations of stored keys are compared with the current time.
  init(_ file: ConfigurationFile.Contents, at now: Timestamp) throws(CredentialError) {
    self.file = file
    self.now = now
    root = try SettingTable(json: file.bytes, at: file.location)
    for (index, element) in try root.array("profiles").enumerated() {
      guard case .object(let settings) = element, case .string(let name)? = settings["name"] else {
        throw file.part("profile number \(index + 1)").malformed("has no “name”")
      }
      profiles.append((name, settings))
    }
  }

  /// The name of the current profile: `default` if the file has profiles but specifies none.
  var current: String? {
    get throws(CredentialError) {
      if let name = try root.text("current") { return name }
      return profiles.isEmpty ? nil : "default"
    }
  }

  var nothing: CredentialError { file.location.error(.notConfigured, "has no profile") }

  /// Returns the error for an unknown profile, with the code `failed` if the profile must be in this file.
  func unknown(_ name: String, isMistake: Bool) -> CredentialError {
    let known = profiles.isEmpty ? "none" : profiles.map { "“\($0.name)”" }.joined(separator: ", ")
    return file.location.error(
      isMistake ? .failed : .notConfigured, "has no profile “\(name)”; its profiles: \(known)",
      remedy: "Name one of them, or run aliyun configure --profile \(name).")
  }

  func location(of name: String) -> SettingLocation {
    file.part("profile “\(name)”", remedy: "Run aliyun configure --profile \(name).")
  }

  func plan(for name: String, askedBy others: [String] = []) throws(CredentialError) -> AlibabaPlan? {
    let found = profiles.filter { $0.name == name }
    guard let profile = found.first else { return nil }
    let location = self.location(of: name)
    if found.count > 1 { throw location.malformed("is defined \(found.count) times", remedy: "Remove all but one.") }
    let settings = SettingTable(profile.settings, at: location)
    let mode = try settings.text("mode") ?? "AK"
    switch mode.lowercased() {
    case "ak":
      guard let key = try settings.key(.init(id: Self.key.id, secret: Self.key.secret)) else {
        throw location.error(.notConfigured, "has no key")
      }
      return .key(key)
    case "ststoken":
      _ = try settings.required("sts_token")
      let key = try settings.requiredKey(Self.issuedKey)
      if key.expires(within: .zero, at: now) {
        throw location.error(.failed, "has a key that expired at \(key.ending)")
      }
      return .key(key)
    case "ramrolearn": return .role(try settings.role(Self.role), with: .key(try settings.requiredKey(Self.key)))
    case "ramrolearnwithrolename":
      return .role(try settings.role(Self.role), with: .instanceRole(try settings.text("ram_role_name")))
    case "chainableramrolearn":
      return .role(try settings.role(Self.role), with: try source(of: settings, named: name, askedBy: others))
    case "ecsramrole": return .instanceRole(try settings.text("ram_role_name"))
    case "oidc":
      return .webIdentity(
        try settings.role(Self.role), providerARN: try settings.required("oidc_provider_arn"),
        tokenFile: try settings.required("oidc_token_file"))
    case "external": return .command(try command(settings), timeout: Self.commandTimeout)
    case "credentialsuri": return .uri(try settings.required("credentials_uri"))
    case "cloudsso", "oauth": return .key(try keyOfLogin(settings, mode: mode))
    case "rsakeypair":
      throw location.error(
        .failed, "has the mode RsaKeyPair, which is not supported", remedy: "Use the mode AK or RamRoleArn.")
    default:
      throw location.malformed("has the mode \(mode.shownIfName), which is unknown")
    }
  }

  private func source(
    of settings: SettingTable, named name: String, askedBy others: [String]
  ) throws(CredentialError) -> AlibabaPlan {
    let sourceName = try settings.required("source_profile")
    let path = others + [name]
    if path.contains(sourceName) {
      let circle = (path + [sourceName]).map { "“\($0)”" }.joined(separator: " to ")
      throw settings.location.malformed("forms a cycle: \(circle)")
    }
    guard let plan = try plan(for: sourceName, askedBy: path) else {
      throw settings.location.malformed("has the source profile “\(sourceName)”, which is not there")
    }
    return plan
  }

  private func command(_ settings: SettingTable) throws(CredentialError) -> CredentialCommand {
    guard let command = CredentialCommand(splitting: try settings.required("process_command")) else {
      throw settings.location.malformed("has a “process_command” with an open quotation mark")
    }
    try file.checkThatCommandsMayBeRun(for: settings.location)
    return command
  }

  /// Returns the temporary key that a login in a browser has stored, until it expires.
  private func keyOfLogin(_ settings: SettingTable, mode: String) throws(CredentialError) -> AccessKey {
    let key = try settings.key(Self.issuedKey)
    if let key, key.sessionToken != nil, key.expiration != nil, !key.expires(within: .zero, at: now) { return key }
    let state = key?.expiration == nil ? "and holds no key" : "and its key expired at \(key?.ending ?? "")"
    throw settings.location.error(.notConfigured, "has the mode \(mode), which needs a login in a browser, \(state)")
  }
}

extension ProcessOutputFormat {
  /// The format in which programs for Alibaba's tools print a key, which is the `standard` format.
  ///
  /// The output is either `{"AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration"}` as in the OSS SDKs, or
  /// `{"mode", "access_key_id", "access_key_secret", "sts_token", "expiration"}` as in the command-line tool's mode
  /// `External`. The token and the expiration are optional.
  public static let alibabaCloud = standard
}

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

  static func alibabaSharedProfile(_ profile: String? = nil, path: String? = nil, services: AlibabaServices) -> Self {
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

  /// Returns a provider that reads an access key from a profile of the OSS SDK for Java: `~/.oss/credentials`.
  ///
  /// `OSS_CREDENTIAL_PROFILES_FILE` specifies another path.
  ///
  /// - Parameters:
  ///   - profile: The section name, or `nil` for `default`.
  ///   - path: The file's path. If `nil`, the path that the environment specifies, or the default path.
  public static func ossSDKProfile(_ profile: String? = nil, path: String? = nil) -> Self {
    let file = ConfigurationFile(
      source: "OSS SDK profile", variable: "OSS_CREDENTIAL_PROFILES_FILE", paths: ["~/.oss/credentials"],
      remedy: "Give it a section [default] with oss_access_key_id and oss_secret_access_key.")
    return Self(file, path: path) { (contents, _) throws(CredentialError) in
      let settings = try contents.section(profile ?? "default", isMistake: profile != nil)
      return IssuedCredential(
        try settings.requiredKey(
          .init(id: "oss_access_key_id", secret: "oss_secret_access_key", token: "oss_session_token")))
    }
  }

  /// Returns a provider of access keys from a profile of ossutil, version 1 or 2: `~/.ossutilconfig`.
  ///
  /// Files of version 1 have only the section `[Credentials]`, which is used if there is no default profile. As in
  /// ossutil, the spellings `accessKeyID`, `access-key-id` and `access_key_id` of a setting are equivalent.
  /// `OSSUTIL_CONFIG_FILE` specifies another path.
  ///
  /// - Parameters:
  ///   - profile: The profile name. If `nil`, the profile that `OSSUTIL_PROFILE` specifies, or the default profile.
  ///   - path: The file's path. If `nil`, the path that the environment specifies, or the default path.
  public static func ossutilProfile(_ profile: String? = nil, path: String? = nil) -> Self {
    ossutilProfile(profile, path: path, services: .real)
  }

  static func ossutilProfile(_ profile: String? = nil, path: String? = nil, services: AlibabaServices) -> Self {
    let file = ConfigurationFile(
      source: "ossutil", variable: "OSSUTIL_CONFIG_FILE", paths: ["~/.ossutilconfig"], remedy: "Run ossutil config.")
    return Self(file, path: path) { (contents, context) throws(CredentialError) in
      let dialect = INIDocument.Dialect(section: ossutilName, key: ossutilName)
      let document = try INIDocument(contents.bytes, at: contents.location, dialect: dialect)
      let named = profile ?? context.variable("OSSUTIL_PROFILE")
      let name = named ?? "default"
      let sections = ["profile \(name)", name] + (name == "default" ? ["Credentials"] : [])
      for section in sections {
        let location = contents.part("section [\(section)]")
        guard let settings = try document.section(section, at: location) else { continue }
        return try await ossutilPlan(settings, contents).issue(at: location, in: context, through: services)
      }
      throw contents.location.missing(section: name, of: document, isMistake: named != nil)
    }
  }

  /// Returns a section name or key in lowercase without hyphens and underscores, so that all spellings are equal.
  @Sendable private static func ossutilName(_ name: String) -> String {
    name.lowercased().filter { $0 != "-" && $0 != "_" }
  }

  private static func ossutilPlan(
    _ settings: SettingTable, _ contents: ConfigurationFile.Contents
  ) throws(CredentialError) -> AlibabaPlan {
    let key = SettingTable.KeyNames(id: "accesskeyid", secret: "accesskeysecret", token: "ststoken")
    let role = SettingTable.RoleNames(
      arn: settings.has("ramrolearn") ? "ramrolearn" : "rolearn", sessionName: "rolesessionname",
      externalID: "externalid", region: "stsregion")
    let mode = try settings.text("mode") ?? (settings.has(role.arn) ? "RamRoleArn" : "AK")
    switch mode.lowercased() {
    case "ak", "ststoken":
      guard let key = try settings.key(key) else { throw settings.location.error(.notConfigured, "has no key") }
      return .key(key)
    case "ramrolearn":
      return .role(try settings.role(role), with: .key(try settings.requiredKey(key)))
    case "ecsramrole":
      return .instanceRole(try settings.text(["ecsrolename", "ramrolename"]))
    case "oidcrolearn", "oidc":
      return .webIdentity(
        try settings.role(role), providerARN: try settings.required("oidcproviderarn"),
        tokenFile: try settings.required("oidctokenfilepath"))
    case "process": return try ossutilCommand(settings, contents)
    case "credentialsuri":
      return .uri(try settings.required("credentialsuri"))
    case "anonymous": return .key(.anonymous)
    default:
      throw settings.location.malformed("has the mode \(mode.shownIfName), which is unknown")
    }
  }

  private static func ossutilCommand(
    _ settings: SettingTable, _ contents: ConfigurationFile.Contents
  ) throws(CredentialError) -> AlibabaPlan {
    let line = try settings.required("credentialprocess")
    // The characters that have a special meaning in a shell.
    guard !line.contains(where: { "|&;<>$`".contains($0) }), let command = CredentialCommand(splitting: line)
    else {
      throw settings.location.malformed(
        "has a “credentialProcess” that needs a shell", remedy: "Put it into a script, and name the script.")
    }
    try contents.checkThatCommandsMayBeRun(for: settings.location)
    let seconds = try settings.integer("credentialprocesstimeout") ?? 15
    return .command(command, timeout: .seconds(min(max(seconds, 1), 600)))
  }
}

/// A plan to obtain an access key, as a profile of Alibaba Cloud's tools describes it.
indirect enum AlibabaPlan: Sendable {
  case key(AccessKey)
  /// A key for a role of the instance, or for the instance's own role, from the metadata service.
  case instanceRole(String?)
  /// A role that is assumed with the key of another plan.
  case role(AlibabaRole, with: AlibabaPlan)
  /// A role that is assumed with an identity token from a file.
  case webIdentity(AlibabaRole, providerARN: String, tokenFile: String)
  /// A command that prints a key.
  case command(CredentialCommand, timeout: Duration)
  case uri(String)

  func provider(
    at location: SettingLocation, in context: ProviderContext, through services: AlibabaServices
  ) -> any CredentialProvider<AccessKey> {
    switch self {
    case .key(let key): return StaticCredentialProvider(key, source: location.source)
    case .instanceRole(let name):
      return services.instanceRole(name, !context.isTrue(AlibabaInstanceRoleProvider.v1SwitchName), ServiceSighting())
    case .role(let role, let plan):
      return services.role(role, plan.provider(at: location, in: context, through: services))
    case .webIdentity(let role, let providerARN, let tokenFile):
      return services.webIdentity(role, providerARN, context.token(in: tokenFile, for: location))
    case .command(let command, let timeout):
      return ProcessCredentialProvider(command, timeout: timeout)
    case .uri(let url): return services.uri(url)
    }
  }

  func issue(
    at location: SettingLocation, in context: ProviderContext, through services: AlibabaServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: location, in: context, through: services).issue(for: location, in: context)
  }
}

extension SettingTable {
  /// The names of the settings that describe a role, or `nil` for settings that a file format does not have.
  struct RoleNames {
    var arn: String
    var sessionName: String
    var seconds: String?
    var policy: String?
    var externalID: String?
    var region: String?
    var usesPrivateNetwork: String?
  }

  func role(_ names: RoleNames) throws(CredentialError) -> AlibabaRole {
    func text(_ name: String?) throws(CredentialError) -> String? {
      guard let name else { return nil }
      return try self.text(name)
    }
    var role = AlibabaRole(arn: try required(names.arn), endpoint: .global)
    if let name = try text(names.sessionName) { role.sessionName = name }
    if let name = names.seconds, let seconds = try integer(name), seconds != 0 { role.duration = .seconds(seconds) }
    role.policy = try text(names.policy)
    role.externalID = try text(names.externalID)
    if let region = try text(names.region) {
      let isPrivate = try names.usesPrivateNetwork.map(flag) ?? false
      guard let endpoint = AlibabaSTSEndpoint(region: region, isPrivate: isPrivate) else {
        throw location.malformed("has no region in “\(names.region ?? "")”")
      }
      role.endpoint = endpoint
    }
    return role
  }
}

extension AlibabaSTSEndpoint {
  /// Creates the endpoint for a region, unless the region contains a character that could change the host.
  init?(region: String, isPrivate: Bool) {
    guard region.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else { return nil }
    self = isPrivate ? .vpc(region) : .region(region)
  }
}
