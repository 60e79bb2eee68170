// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// A plan to obtain an access key, as a profile of Amazon's tools describes it.
indirect enum AmazonPlan: Sendable {
  case key(AccessKey)
  /// The key in Amazon's environment variables.
  case environment
  /// A key for the current ECS task or pod, from the container platform.
  case container
  /// A key for the instance's role, from the metadata service as the named profile configures it.
  case instanceRole(profile: String)
  /// A key for a role, which the key of another plan assumes.
  case role(AmazonRole, with: AmazonPlan)
  case webIdentity(AmazonRole, tokenFile: String)
  case command(CredentialCommand)

  /// Returns the provider that carries out the plan; `location` is that of the profile.
  func provider(
    at location: SettingLocation, in context: ProviderContext, through services: AmazonServices
  ) -> any CredentialProvider<AccessKey> {
    switch self {
    case .key(let key): return StaticCredentialProvider(key, source: location.source)
    case .environment: return EnvironmentCredentialProvider.aws
    case .container: return services.container()
    case .instanceRole(let profile): return services.instanceRole(profile)
    case .role(let role, let plan):
      return services.role(role, plan.provider(at: location, in: context, through: services))
    case .webIdentity(let role, let tokenFile):
      return services.webIdentity(role, context.token(in: tokenFile, for: location))
    case .command(let command): return ProcessCredentialProvider(command, format: .amazon)
    }
  }

  /// Returns a key from the plan, whose errors name the profile's location.
  func issue(
    at location: SettingLocation, in context: ProviderContext, through services: AmazonServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: location, in: context, through: services).issue(for: location, in: context)
  }
}

/// A reader that turns profiles into the plans that they describe.
struct AmazonPlanReader {
  /// The settings that occur only in profiles that require a login in a browser.
  private static let loginNames = [
    "sso_session", "sso_start_url", "sso_account_id", "sso_role_name", "sso_region", "login_session",
  ]

  let files: AmazonFiles
  let endpoint: AmazonSTSEndpoint
  /// Whether the caller or the environment specifies the profile, so that an unusable profile ends the search.
  let isNamed: Bool

  /// Returns the plan of a profile; the dependents are the profiles that led to it through their source profiles.
  func plan(for profile: AmazonProfile, asSourceOf dependents: [String] = []) throws(CredentialError) -> AmazonPlan {
    let location = profile.location
    if let arn = try profile.text("role_arn") { return try rolePlan(arn, of: profile, dependents: dependents) }
    if profile.section(with: "web_identity_token_file") != nil {
      throw location.malformed("has a “web_identity_token_file” but no “role_arn”")
    }
    if let key = try profile.key() { return .key(key) }
    if let command = try command(of: profile) { return .command(command) }
    if Self.loginNames.contains(where: { profile.section(with: $0) != nil }) {
      throw interactionError("needs a login in a browser", of: profile, dependents: dependents)
    }
    throw location.error(dependents.isEmpty ? .notConfigured : .failed, "has no key")
  }

  /// Returns the error of a profile whose key only its user can obtain; it ends the search if the profile is named.
  private func interactionError(_ need: String, of profile: AmazonProfile, dependents: [String]) -> CredentialError {
    profile.location.error(
      isNamed || !dependents.isEmpty ? .failed : .notConfigured, need,
      remedy:
        "Log in, then export its key with aws configure export-credentials --profile \(profile.name) --format env.")
  }

  /// Returns the plan to assume a role with exactly one of the three sources that a profile can name.
  private func rolePlan(
    _ arn: String, of profile: AmazonProfile, dependents: [String]
  ) throws(CredentialError) -> AmazonPlan {
    let location = profile.location
    var role = AmazonRole(arn: arn, externalID: try profile.text("external_id"), endpoint: endpoint)
    if let name = try profile.text("role_session_name") { role.sessionName = name }
    if let seconds = try profile.section(with: "duration_seconds")?.settings.integer("duration_seconds") {
      role.duration = .seconds(seconds)
    }
    let keySources = ["source_profile", "credential_source", "web_identity_token_file"]
      .filter { profile.section(with: $0) != nil }
    guard keySources.count == 1 else {
      let stated = keySources.isEmpty ? "none" : keySources.map { "“\($0)”" }.joined(separator: " and ")
      throw location.malformed(
        "has a “role_arn” and, to assume the role, \(stated)",
        remedy: "Give it one of source_profile, credential_source and web_identity_token_file.")
    }
    if let file = try profile.text("web_identity_token_file") { return .webIdentity(role, tokenFile: file) }
    if profile.section(with: "mfa_serial") != nil {
      throw interactionError("requires a code from the user (“mfa_serial”)", of: profile, dependents: dependents)
    }
    if let source = try profile.text("credential_source") {
      // As in botocore, the settings of the metadata service are those of the profile that was chosen.
      let instanceRole = AmazonPlan.instanceRole(profile: dependents.first ?? profile.name)
      return .role(role, with: try plan(forCredentialSource: source, instanceRole: instanceRole, at: location))
    }
    return .role(role, with: try sourcePlan(of: profile, dependents: dependents))
  }

  private func plan(
    forCredentialSource source: String, instanceRole: AmazonPlan, at location: SettingLocation
  ) throws(CredentialError) -> AmazonPlan {
    switch source {
    case "Environment": return .environment
    case "EcsContainer": return .container
    case "Ec2InstanceMetadata": return instanceRole
    default:
      throw location.malformed(
        "has the “credential_source” \(source.shownIfName)",
        remedy: "Use Environment, EcsContainer or Ec2InstanceMetadata.")
    }
  }

  /// Returns the plan of the source profile, whose key precedes its role, so that a profile may be its own source.
  private func sourcePlan(of profile: AmazonProfile, dependents: [String]) throws(CredentialError) -> AmazonPlan {
    let name = try profile.text("source_profile") ?? ""
    guard let source = try files.profile(name) else {
      throw profile.location.malformed("has the source profile “\(name)”, which is not there")
    }
    if let key = try source.key() { return .key(key) }
    let path = dependents + [profile.name]
    if path.contains(name) {
      let cycle = (path + [name]).map { "“\($0)”" }.joined(separator: " to ")
      throw profile.location.malformed("forms a cycle: \(cycle)")
    }
    return try plan(for: source, asSourceOf: path)
  }

  private func command(of profile: AmazonProfile) throws(CredentialError) -> CredentialCommand? {
    guard let section = profile.section(with: "credential_process") else { return nil }
    guard let line = try section.settings.text("credential_process"), let command = CredentialCommand(splitting: line)
    else { throw section.settings.location.malformed("has a “credential_process” with an open quotation mark") }
    try section.file.checkThatCommandsMayBeRun(for: section.settings.location)
    return command
  }
}

/// The providers that request keys from Amazon's services, each created by a closure that tests can replace.
struct AmazonServices: Sendable {
  typealias Provider = any CredentialProvider<AccessKey>

  var instanceRole: @Sendable (_ profile: String?) -> Provider
  var container: @Sendable () -> Provider
  var role: @Sendable (AmazonRole, _ keys: Provider) -> Provider
  var webIdentity: @Sendable (AmazonRole, _ token: @escaping IdentityTokenSource) -> Provider

  static let real = AmazonServices(
    instanceRole: { AmazonInstanceRoleProvider(profileName: $0) }, container: { AmazonContainerProvider() },
    role: { AmazonAssumeRoleProvider($0, credentials: $1) },
    webIdentity: { AmazonWebIdentityProvider($0, token: $1) })
}
