// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

extension CredentialProvider where Self == ProfileCredentialProvider<AccessKey> {
  /// Returns a provider of access keys from a profile in the files that Amazon's tools and SDKs share.
  ///
  /// The files are `~/.aws/credentials` and `~/.aws/config`, unless `AWS_SHARED_CREDENTIALS_FILE` and `AWS_CONFIG_FILE`
  /// specify other paths. A profile that the caller or the environment specifies must be in one of them.
  ///
  /// A profile obtains a key in the first applicable one of the following ways:
  ///
  /// - A role (`role_arn`) with a `source_profile`, a `credential_source` or a `web_identity_token_file`.
  /// - A key in the profile.
  /// - A command (`credential_process`).
  ///
  /// Profiles that require a code from the user (`mfa_serial`) or a login in a browser (`sso_…`, `login_session`) are
  /// not supported. Their error contains the command that exports the profile's key.
  ///
  /// - Parameter profile: The profile name. If `nil`, the one in `AWS_DEFAULT_PROFILE` or `AWS_PROFILE`, or `default`.
  public static func amazonProfile(_ profile: String? = nil) -> Self { amazonProfile(profile, services: .real) }

  static func amazonProfile(_ profile: String? = nil, services: AmazonServices) -> Self {
    Self(source: AmazonFiles.source) { (context) throws(CredentialError) in
      let chosenName = profile ?? AmazonFiles.chosenName(in: context)
      let name = chosenName ?? "default"
      let files = try AmazonFiles(in: context)
      guard let profile = try files.profile(name) else { throw files.unknownProfile(name, isNamed: chosenName != nil) }
      // Only a role needs the endpoint; an invalid setting of the endpoint does not matter to other sources of keys.
      let endpoint: AmazonSTSEndpoint =
        profile.section(with: "role_arn") == nil
        ? .global : try AmazonSettings.configuredSTSEndpoint(in: context, files: files, profile: profile)
      let reader = AmazonPlanReader(files: files, endpoint: endpoint, isNamed: chosenName != nil)
      return try await reader.plan(for: profile).issue(at: profile.location, in: context, through: services)
    }
  }
}

extension ProcessOutputFormat {
  /// The format in which a `credential_process` of Amazon's tools prints a key.
  ///
  /// The output is `{"Version": 1, "AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"}`, with an optional
  /// token and expiration. Page: "Process credential provider" in the AWS SDKs and Tools Reference Guide.
  public static let amazon = ProcessOutputFormat(fields: "Version 1, AccessKeyId and SecretAccessKey") {
    (response) throws(CredentialError) in
    guard let version = try response.integer("Version") else { throw response.location.malformed("has no “Version”") }
    guard version == 1 else { throw response.location.malformed("has the Version \(version), but only 1 is supported") }
    return try response.requiredKey(
      .init(id: "AccessKeyId", secret: "SecretAccessKey", token: "SessionToken", expiration: "Expiration"))
  }
}

/// A profile whose settings are merged from `~/.aws/credentials` and `~/.aws/config`.
struct AmazonProfile {
  struct Section {
    let settings: SettingTable
    let file: ConfigurationFile.Contents
  }

  let name: String
  /// The profile's sections, starting with that of `~/.aws/credentials`.
  let sections: [Section]

  var location: SettingLocation {
    SettingLocation(
      source: AmazonFiles.source,
      name: "The profile “\(name)” in \(sections.map(\.file.path).joined(separator: " and "))",
      remedy: "Run aws configure --profile \(name).")
  }

  func text(_ name: String) throws(CredentialError) -> String? { try section(with: name)?.settings.text(name) }
  func section(with name: String) -> Section? { sections.first { $0.settings.has(name) } }

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
