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

  /// Whether the caller or the environment specifies the profile.
  ///
  /// A profile that cannot be used then ends the search.
  let isNamed: Bool

  /// Returns the plan to obtain a key that a profile describes.
  func plan(for profile: AmazonProfile) throws(CredentialError) -> AmazonPlan {
    try plan(for: profile, askedBy: [])
  }

  private func plan(for profile: AmazonProfile, askedBy others: [String]) throws(CredentialError) -> AmazonPlan {
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
    var role = AmazonRolePlan(arn: arn, externalID: try profile.text("external_id"), endpoint: endpoint)
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
  /// A key in the source profile takes precedence over the source profile's role, so that a profile may be its own
  /// source profile.
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
