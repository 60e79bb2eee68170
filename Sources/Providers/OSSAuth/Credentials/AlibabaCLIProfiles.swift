// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

extension CredentialProvider where Self == ProfileCredentialProvider<AccessKey> {
  /// Returns a provider of access keys from a profile of Alibaba Cloud's command-line tool.
  ///
  /// `ALIBABA_CLOUD_CLI_PROFILE_DISABLED=true` disables the source, and `ALIBABA_CLOUD_DISABLE_EXTERNAL_PROCESS=true`
  /// forbids the modes `External` and `CredentialsURI`. `RsaKeyPair` and `BearerToken` are not supported. In the modes
  /// `CloudSSO` and `OAuth`, only the temporary key that a login in a browser has stored is used.
  ///
  /// - Parameters:
  ///   - profile: The profile name. If `nil`, the profile in `ALIBABA_CLOUD_PROFILE`, or the file's current profile.
  ///   - path: The file's path. If `nil`, the path in `ALIBABA_CLOUD_CONFIG_FILE`, or `~/.aliyun/config.json`.
  public static func alibabaCLIProfile(_ profile: String? = nil, path: String? = nil) -> Self {
    alibabaCLIProfile(profile, path: path, services: .real)
  }

  static func alibabaCLIProfile(_ profile: String? = nil, path: String? = nil, services: AlibabaServices) -> Self {
    let file = ConfigurationFile(
      source: "Alibaba Cloud CLI", variable: "ALIBABA_CLOUD_CONFIG_FILE", paths: ["~/.aliyun/config.json"],
      remedy: "Run aliyun configure.")
    return Self(source: file.source) { (context) throws(CredentialError) in
      let disablingVariable = "ALIBABA_CLOUD_CLI_PROFILE_DISABLED"
      if context.isTrue(disablingVariable) {
        throw CredentialError(
          .notConfigured, source: file.source, "\(disablingVariable) disables the profiles of the command-line tool.",
          remedy: "Unset it to use them.")
      }
      let profiles = try AlibabaCLIProfiles(try file.read(in: context, named: path), in: context)
      let chosenName = profile ?? context.variable("ALIBABA_CLOUD_PROFILE")
      let current = try profiles.current
      guard let name = chosenName ?? current else { throw profiles.noProfile }
      guard let plan = try profiles.plan(for: name) else {
        // A profile that only the environment names can be in another file, which the chain reads later.
        throw profiles.unknownProfile(name, isMistake: profile != nil || chosenName == nil)
      }
      return try await plan.issue(at: profiles.location(of: name), in: context, through: services)
    }
  }
}

/// The profiles in `~/.aliyun/config.json`, each of which describes a plan to obtain a key.
struct AlibabaCLIProfiles {
  private static let keyNames = SettingTable.KeyNames(
    id: "access_key_id", secret: "access_key_secret", token: "sts_token")
  private static let issuedKeyNames = SettingTable.KeyNames(
    id: "access_key_id", secret: "access_key_secret", token: "sts_token", expiration: "sts_expiration")
  private static let roleNames = SettingTable.RoleNames(
    arn: "ram_role_arn", sessionName: "ram_session_name", seconds: "expired_seconds", policy: "policy",
    externalID: "external_id", region: "sts_region", usesPrivateNetwork: "enable_vpc")

  /// The settings by which the tool infers a missing mode, in its order (`AutoModeRecognition` of aliyun-cli).
  private static let inferredModes: [(settings: [String], mode: String)] = [
    ([keyNames.id, keyNames.secret, "sts_token"], "StsToken"),
    ([keyNames.id, keyNames.secret, "ram_role_arn"], "RamRoleArn"), ([keyNames.id, keyNames.secret], "AK"),
    (["private_key", "key_pair_name"], "RsaKeyPair"), (["ram_role_name"], "EcsRamRole"),
    (["process_command"], "External"), (["oidc_provider_arn", "oidc_token_file", "ram_role_arn"], "OIDC"),
    (["cloud_sso_sign_in_url"], "CloudSSO"), (["bearer_token"], "BearerToken"),
  ]

  private static let commandTimeout = Duration.seconds(60)
  private static let forbiddingVariable = "ALIBABA_CLOUD_DISABLE_EXTERNAL_PROCESS"

  private let file: ConfigurationFile.Contents
  private let root: SettingTable
  private let now: Timestamp
  private let forbidsExternalSources: Bool
  private var profiles: [(name: String, settings: JSONObject)] = []

  init(_ file: ConfigurationFile.Contents, in context: ProviderContext) throws(CredentialError) {
    self.file = file
    now = context.time.now
    forbidsExternalSources = context.variable(Self.forbiddingVariable) == "1" || context.isTrue(Self.forbiddingVariable)
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

  var noProfile: CredentialError { file.location.error(.notConfigured, "has no profile") }

  /// Returns the error for an unknown profile, with the code `failed` if the profile must be in this file.
  func unknownProfile(_ name: String, isMistake: Bool) -> CredentialError {
    let profileNames = profiles.isEmpty ? "none" : profiles.map { "“\($0.name)”" }.joined(separator: ", ")
    return file.location.error(
      isMistake ? .failed : .notConfigured, "has no profile “\(name)”; its profiles: \(profileNames)",
      remedy: "Name one of them, or run aliyun configure --profile \(name).")
  }

  func location(of name: String) -> SettingLocation {
    file.part("profile “\(name)”", remedy: "Run aliyun configure --profile \(name).")
  }

  /// Returns the plan of a profile, if there is one; the dependents led to the profile through their source profiles.
  func plan(for name: String, asSourceOf dependents: [String] = []) throws(CredentialError) -> AlibabaPlan? {
    let namesakes = profiles.filter { $0.name == name }
    guard let profile = namesakes.first else { return nil }
    let location = self.location(of: name)
    if namesakes.count > 1 {
      throw location.malformed("is defined \(namesakes.count) times", remedy: "Remove all but one.")
    }
    let settings = SettingTable(profile.settings, at: location)
    let inferredMode = Self.inferredModes.first { $0.settings.allSatisfy(settings.has) }?.mode
    let mode = try settings.text("mode") ?? inferredMode ?? "AK"
    switch mode.lowercased() {
    case "ak":
      guard let key = try settings.key(.init(id: Self.keyNames.id, secret: Self.keyNames.secret)) else {
        throw location.error(.notConfigured, "has no key")
      }
      return .key(key)
    case "ststoken":
      _ = try settings.required("sts_token")
      let key = try settings.requiredKey(Self.issuedKeyNames)
      if key.expires(within: .zero, at: now) {
        throw location.error(.failed, "has a key that expired at \(key.expirationText)")
      }
      return .key(key)
    case "ramrolearn":
      return .role(try settings.role(Self.roleNames), with: .key(try settings.requiredKey(Self.keyNames)))
    case "ramrolearnwithrolename":
      return .role(try settings.role(Self.roleNames), with: .instanceRole(try settings.text("ram_role_name")))
    case "chainableramrolearn":
      return .role(
        try settings.role(Self.roleNames), with: try sourcePlan(of: settings, named: name, asSourceOf: dependents))
    case "ecsramrole": return .instanceRole(try settings.text("ram_role_name"))
    case "oidc":
      return .webIdentity(
        try settings.role(Self.roleNames), providerARN: try settings.required("oidc_provider_arn"),
        tokenFile: try settings.required("oidc_token_file"))
    case "external" where forbidsExternalSources, "credentialsuri" where forbidsExternalSources:
      throw location.error(
        .failed, "has the mode \(mode), which \(Self.forbiddingVariable) forbids",
        remedy: "Unset the variable, or use a profile of another mode.")
    case "external": return .command(try command(in: settings), timeout: Self.commandTimeout)
    case "credentialsuri": return .uri(try settings.required("credentials_uri"))
    case "cloudsso", "oauth": return .key(try loginKey(in: settings, mode: mode))
    case "rsakeypair", "bearertoken":
      throw location.error(
        .failed, "has the mode \(mode), which is not supported", remedy: "Use the mode AK or RamRoleArn.")
    default: throw location.malformed("has the mode \(mode.shownIfName), which is unknown")
    }
  }

  private func sourcePlan(
    of settings: SettingTable, named name: String, asSourceOf dependents: [String]
  ) throws(CredentialError) -> AlibabaPlan {
    let sourceName = try settings.required("source_profile")
    let path = dependents + [name]
    if path.contains(sourceName) {
      let cycle = (path + [sourceName]).map { "“\($0)”" }.joined(separator: " to ")
      throw settings.location.malformed("forms a cycle: \(cycle)")
    }
    guard let plan = try plan(for: sourceName, asSourceOf: path) else {
      throw settings.location.malformed("has the source profile “\(sourceName)”, which is not there")
    }
    return plan
  }

  private func command(in settings: SettingTable) throws(CredentialError) -> CredentialCommand {
    guard let command = CredentialCommand(splitting: try settings.required("process_command")) else {
      throw settings.location.malformed("has a “process_command” with an open quotation mark")
    }
    try file.checkThatCommandsMayBeRun(for: settings.location)
    return command
  }

  /// Returns the temporary key that a login in a browser has stored, unless the key has expired.
  private func loginKey(in settings: SettingTable, mode: String) throws(CredentialError) -> AccessKey {
    func unusable(_ reason: String) -> CredentialError {
      settings.location.error(.notConfigured, "has the mode \(mode), which needs a login in a browser, and \(reason)")
    }
    guard let key = try settings.key(Self.issuedKeyNames) else { throw unusable("holds no key") }
    guard key.sessionToken != nil else { throw unusable("its key has no session token") }
    guard key.expiration != nil else { throw unusable("its key has no expiration time") }
    guard !key.expires(within: .zero, at: now) else { throw unusable("its key expired at \(key.expirationText)") }
    return key
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
