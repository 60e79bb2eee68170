// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

extension CredentialProvider where Self == ProfileCredentialProvider<AccessKey> {
  /// Returns a provider of access keys from a profile in the files that Amazon's tools and SDKs share.
  ///
  /// The files are `~/.aws/credentials` and `~/.aws/config`. `AWS_SHARED_CREDENTIALS_FILE` and `AWS_CONFIG_FILE` specify
  /// other paths. It is an error if neither file contains a profile that the caller or the environment specifies.
  ///
  /// A profile obtains a key in one of the following ways, of which the first applicable one is used:
  ///
  /// - A role (`role_arn`) that is assumed with the key of a `source_profile` or a `credential_source`, or with an
  ///   identity token (`web_identity_token_file`).
  /// - A key in the profile.
  /// - A command (`credential_process`).
  ///
  /// Profiles that require a code from the user (`mfa_serial`) or a login in a browser (`sso_…`, `login_session`) are not
  /// supported. The error for such a profile contains the command that exports the profile's key.
  ///
  /// - Parameter profile: The profile name. If `nil`, the profile that `AWS_DEFAULT_PROFILE` or `AWS_PROFILE` specifies,
  ///   or `default`.
  public static func amazonProfile(_ profile: String? = nil) -> Self {
    amazonProfile(profile, services: .real)
  }

  static func amazonProfile(_ profile: String? = nil, services: AmazonServices) -> Self {
    Self(source: AmazonFiles.source) { (context) throws(CredentialError) in
      let named = profile ?? AmazonFiles.chosenName(in: context)
      let name = named ?? "default"
      let files = try AmazonFiles(in: context)
      guard let profile = try files.profile(name) else { throw files.missing(name, isNamed: named != nil) }
      let reader = AmazonPlanReader(
        files: files, endpoint: try AmazonSettings(context, files: files, profile: profile).stsEndpoint,
        isNamed: named != nil)
      return try await reader.plan(for: profile).issue(at: profile.location, in: context, through: services)
    }
  }
}

/// A reader that turns profiles into the plans that they describe.
struct AmazonPlanReader {
  /// The settings that occur only in profiles that require a login in a browser.
  private static let loginNames = [
    "sso_session", "sso_start_url", "sso_account_id", "sso_role_name", "sso_region", "login_session",
  ]

  let files: AmazonFiles

  /// The STS endpoint that assumes the profile's roles.
  let endpoint: AmazonSTSEndpoint

  /// Whether the caller or the environment specifies the profile; if it cannot be used, the search then ends.
  let isNamed: Bool

  func plan(for profile: AmazonProfile, askedBy others: [String] = []) throws(CredentialError) -> AmazonPlan {
    let location = profile.location
    if let arn = try profile.text("role_arn") {
      return try role(arn, of: profile, askedBy: others)
    }
    if profile.section(with: "web_identity_token_file") != nil {
      throw location.malformed("has a “web_identity_token_file” but no “role_arn”")
    }
    if let key = try profile.key() { return .key(key) }
    if let command = try command(of: profile) { return .command(command) }
    if Self.loginNames.contains(where: { profile.section(with: $0) != nil }) {
      throw location.error(
        isNamed ? .failed : .notConfigured, "needs a login in a browser",
        remedy:
          "Log in, then export its key with aws configure export-credentials --profile \(profile.name) --format env.")
    }
    throw location.error(others.isEmpty ? .notConfigured : .failed, "has no key")
  }

  private func role(
    _ arn: String, of profile: AmazonProfile, askedBy others: [String]
  ) throws(CredentialError) -> AmazonPlan {
    let location = profile.location
    var role = AmazonRole(arn: arn, externalID: try profile.text("external_id"), endpoint: endpoint)
    if let name = try profile.text("role_session_name") { role.sessionName = name }
    if let seconds = try profile.section(with: "duration_seconds")?.settings.integer("duration_seconds") {
      role.duration = .seconds(seconds)
    }
    let ways = ["source_profile", "credential_source", "web_identity_token_file"].filter {
      profile.section(with: $0) != nil
    }
    guard ways.count == 1 else {
      let found = ways.isEmpty ? "none" : ways.map { "“\($0)”" }.joined(separator: " and ")
      throw location.malformed(
        "has a “role_arn” and, to assume the role, \(found)",
        remedy: "Give it one of source_profile, credential_source and web_identity_token_file.")
    }
    if let file = try profile.text("web_identity_token_file") { return .webIdentity(role, tokenFile: file) }
    if profile.section(with: "mfa_serial") != nil {
      throw location.error(
        isNamed ? .failed : .notConfigured, "requires a code from the user (“mfa_serial”)",
        remedy:
          "Export its key with aws configure export-credentials --profile \(profile.name) --format env.")
    }
    if let source = try profile.text("credential_source") {
      return .role(role, with: try credentialSource(source, at: location))
    }
    return .role(role, with: try source(of: profile, askedBy: others))
  }

  private func credentialSource(_ name: String, at location: SettingLocation) throws(CredentialError) -> AmazonPlan {
    switch name {
    case "Environment": return .environment
    case "EcsContainer": return .container
    case "Ec2InstanceMetadata": return .instanceRole
    default:
      throw location.malformed(
        "has the “credential_source” \(name.shownIfName)",
        remedy: "Use Environment, EcsContainer or Ec2InstanceMetadata.")
    }
  }

  /// Returns the plan to obtain the key of a profile's source profile.
  ///
  /// A key there takes precedence over a role, so that a profile may be its own source profile.
  private func source(of profile: AmazonProfile, askedBy others: [String]) throws(CredentialError) -> AmazonPlan {
    let name = try profile.text("source_profile") ?? ""
    guard let source = try files.profile(name) else {
      throw profile.location.malformed("has the source profile “\(name)”, which is not there")
    }
    if let key = try source.key() { return .key(key) }
    let path = others + [profile.name]
    if path.contains(name) {
      let circle = (path + [name]).map { "“\($0)”" }.joined(separator: " to ")
      throw profile.location.malformed("forms a cycle: \(circle)")
    }
    return try plan(for: source, askedBy: path)
  }

  private func command(of profile: AmazonProfile) throws(CredentialError) -> CredentialCommand? {
    guard let section = profile.section(with: "credential_process") else { return nil }
    guard let line = try section.settings.text("credential_process"),
      let command = CredentialCommand(splitting: line)
    else {
      throw section.settings.location.malformed("has a “credential_process” with an open quotation mark")
    }
    try section.file.checkThatCommandsMayBeRun(for: section.settings.location)
    return command
  }
}

extension ProcessOutputFormat {
  /// The format in which a `credential_process` of Amazon's tools prints a key.
  ///
  /// The output is `{"Version": 1, "AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"}`. The session token
  /// and the expiration are optional. Page: "Process credential provider" in the AWS SDKs and Tools Reference Guide.
  public static let amazon = ProcessOutputFormat(fields: "Version 1, AccessKeyId and SecretAccessKey") {
    (response) throws(CredentialError) in
    guard let version = try response.integer("Version") else { throw response.location.malformed("has no “Version”") }
    guard version == 1 else { throw response.location.malformed("has the Version \(version), but only 1 is supported") }
    return try response.requiredKey(
      .init(id: "AccessKeyId", secret: "SecretAccessKey", token: "SessionToken", expiration: "Expiration"))
  }
}

/// The parsed files that Amazon's tools share: `~/.aws/credentials` and `~/.aws/config`.
///
/// Page: "Shared config and credentials files" in the AWS SDKs and Tools Reference Guide.
struct AmazonFiles {
  static let source = "Amazon profile"

  private static let credentials = ConfigurationFile(
    source: source, variable: "AWS_SHARED_CREDENTIALS_FILE", paths: ["~/.aws/credentials"],
    remedy: "Run aws configure.")
  private static let config = ConfigurationFile(
    source: source, variable: "AWS_CONFIG_FILE", paths: ["~/.aws/config"], remedy: "Run aws configure.")

  /// The dialect of INI files that Amazon's tools read.
  ///
  /// Section names are case-sensitive, and quotation marks and repeated whitespace in them are ignored.
  private static let dialect = INIDocument.Dialect(
    section: { name in
      name.filter { $0 != "\"" }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    },
    removesQuotes: false, hasNestedSettings: true)

  private struct File {
    let contents: ConfigurationFile.Contents
    let document: INIDocument
  }

  private let credentials: File?
  private let config: File?

  /// Reads the two files; one may be missing unless an environment variable specifies it.
  init(in context: ProviderContext) throws(CredentialError) {
    credentials = try Self.read(Self.credentials, in: context)
    config = try Self.read(Self.config, in: context)
  }

  private static func read(_ file: ConfigurationFile, in context: ProviderContext) throws(CredentialError) -> File? {
    // `/dev/null` is the usual way to disable a file, whatever the home directory contains.
    if let variable = file.variable, context.variable(variable) == "/dev/null" { return nil }
    let contents: ConfigurationFile.Contents
    do throws(CredentialError) {
      contents = try file.read(in: context)
    } catch {
      guard error.code == .notConfigured else { throw error }
      return nil
    }
    return File(contents: contents, document: try INIDocument(contents.bytes, at: contents.location, dialect: dialect))
  }

  /// Returns the profile name that the environment specifies; botocore reads `AWS_DEFAULT_PROFILE` first.
  static func chosenName(in context: ProviderContext) -> String? {
    context.variable("AWS_DEFAULT_PROFILE") ?? context.variable("AWS_PROFILE")
  }

  func profile(_ name: String) throws(CredentialError) -> AmazonProfile? {
    var configured = try section("profile \(name)", of: config)
    if configured == nil, name == "default" { configured = try section(name, of: config) }
    let sections = [try section(name, of: credentials), configured].compactMap(\.self)
    return sections.isEmpty ? nil : AmazonProfile(name: name, sections: sections)
  }

  func services(_ name: String) throws(CredentialError) -> SettingTable? {
    try section("services \(name)", of: config)?.settings
  }

  private func section(_ name: String, of file: File?) throws(CredentialError) -> AmazonProfile.Section? {
    guard let file else { return nil }
    let location = file.contents.part("section [\(name)]")
    guard let settings = try file.document.section(name, at: location) else { return nil }
    return AmazonProfile.Section(settings: settings, file: file.contents)
  }

  /// Returns the error for an unknown profile, with the code `failed` if the caller or the environment names it.
  func missing(_ name: String, isNamed: Bool) -> CredentialError {
    let files = [credentials, config].compactMap { $0?.contents.path }
    let known = (credentials?.document.names ?? []) + (config?.document.names ?? [])
    let message =
      files.isEmpty
      ? "There is no profile “\(name)”: there is no file ~/.aws/credentials or ~/.aws/config."
      : "There is no profile “\(name)” in \(files.joined(separator: " or ")); the sections there: "
        + (known.isEmpty ? "none." : known.map { "[\($0)]" }.joined(separator: ", ") + ".")
    return CredentialError(
      isNamed ? .failed : .notConfigured, source: Self.source, message,
      remedy: "Run aws configure --profile \(name), or name another profile.")
  }
}

/// A profile whose settings are merged from `~/.aws/credentials` and `~/.aws/config`.
struct AmazonProfile {
  struct Section {
    let settings: SettingTable
    let file: ConfigurationFile.Contents
  }

  let name: String

  /// The profile's sections; the section in `~/.aws/credentials` comes first.
  let sections: [Section]

  /// The profile's location for error messages, with the paths of all files that contain the profile.
  var location: SettingLocation {
    SettingLocation(
      source: AmazonFiles.source,
      name: "The profile “\(name)” in \(sections.map(\.file.path).joined(separator: " and "))",
      remedy: "Run aws configure --profile \(name).")
  }

  /// Returns a string setting from the first section that contains it.
  func text(_ name: String) throws(CredentialError) -> String? {
    try section(with: name)?.settings.text(name)
  }

  func section(with name: String) -> Section? {
    sections.first { $0.settings.has(name) }
  }

  /// Returns the access key in the profile, whose ID, secret and token come from the same file.
  func key() throws(CredentialError) -> AccessKey? {
    for section in sections {
      let names = SettingTable.KeyNames(
        id: "aws_access_key_id", secret: "aws_secret_access_key",
        token: section.settings.has("aws_session_token") ? "aws_session_token" : "aws_security_token")
      if let key = try section.settings.key(names) { return key }
    }
    return nil
  }
}

/// A plan to obtain an access key, as a profile of Amazon's tools describes it.
indirect enum AmazonPlan: Sendable {
  case key(AccessKey)
  /// The key in Amazon's environment variables.
  case environment
  /// A key for the current ECS task or pod, from the container platform.
  case container
  /// A key for the instance's role, from the metadata service.
  case instanceRole
  /// A role that is assumed with the key of another plan.
  case role(AmazonRole, with: AmazonPlan)
  /// A role that is assumed with an identity token from a file.
  case webIdentity(AmazonRole, tokenFile: String)
  /// A command that prints a key.
  case command(CredentialCommand)

  func provider(
    at location: SettingLocation, in context: ProviderContext, through services: AmazonServices
  ) -> any CredentialProvider<AccessKey> {
    switch self {
    case .key(let key): return StaticCredentialProvider(key, source: location.source)
    case .environment: return EnvironmentCredentialProvider.aws
    case .container: return services.container()
    case .instanceRole: return services.instanceRole()
    case .role(let role, let plan):
      return services.role(role, plan.provider(at: location, in: context, through: services))
    case .webIdentity(let role, let tokenFile):
      return services.webIdentity(role, context.token(in: tokenFile, for: location))
    case .command(let command): return ProcessCredentialProvider(command, format: .amazon)
    }
  }

  func issue(
    at location: SettingLocation, in context: ProviderContext, through services: AmazonServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: location, in: context, through: services).issue(for: location, in: context)
  }
}
