// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A provider of access keys from a profile of ossutil, version 1 or 2: `~/.ossutilconfig`.
///
/// The profile contains a key, or specifies a service or a command that issues keys. It is the `profile` parameter, the
/// profile that `OSSUTIL_PROFILE` specifies, or `default`, in this order. Files of version 1 have only the section
/// `[Credentials]`, which is used if there is no default profile. As in ossutil, the spellings `accessKeyID`,
/// `access-key-id` and `access_key_id` of a setting are equivalent. `OSSUTIL_CONFIG_FILE` specifies another path.
public struct OSSUtilProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "ossutil", variable: "OSSUTIL_CONFIG_FILE", paths: ["~/.ossutilconfig"], remedy: "Run ossutil config.")

  private static let key = SettingTable.KeyNames(id: "accesskeyid", secret: "accesskeysecret", token: "ststoken")

  private static let dialect = INIDocument.Dialect(section: plain, key: plain)

  /// Returns a section name or key in lowercase without hyphens and underscores, so that all spellings are equal.
  @Sendable private static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != "-" && $0 != "_" }
  }

  /// The characters that have a special meaning in a shell.
  private static let shellWords = "|&;<>$`"

  private let profile: String?
  private let path: String?
  private let services: AlibabaServices

  /// The provider's name, for error messages.
  public var source: String { Self.file.source }

  /// Creates a provider for a profile of ossutil.
  ///
  /// - Parameters:
  ///   - profile: The profile name. If `nil`, the profile that the environment specifies, or the default profile.
  ///   - path: The file's path. If `nil`, the path that the environment specifies, or the default path.
  public init(profile: String? = nil, path: String? = nil) {
    self.init(profile: profile, path: path, services: .real)
  }

  init(profile: String? = nil, path: String? = nil, services: AlibabaServices) {
    self.profile = profile
    self.path = path
    self.services = services
  }

  /// Returns the access key that the profile contains or that a service or command issues for the profile.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `failed` if the caller specifies a file or a profile that does not exist;
  ///   `notConfigured` if the default file or profile does not exist, or the profile contains no key; `failed` or
  ///   `malformedAnswer` if the profile cannot be used; or the error of the service or the command that the profile
  ///   specifies.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let contents = try Self.file.read(in: context, named: path)
    let document = try INIDocument(contents.bytes, at: contents.place, dialect: Self.dialect)
    let named = profile ?? context.variable("OSSUTIL_PROFILE")
    let name = named ?? "default"
    let sections = ["profile \(name)", name] + (name == "default" ? ["Credentials"] : [])
    for section in sections {
      let place = contents.part("section [\(section)]")
      guard let settings = try document.section(section, at: place) else { continue }
      return try await plan(settings, contents).issue(at: place, in: context, through: services)
    }
    throw contents.place.missing(section: name, of: document, isMistake: named != nil)
  }

  private func plan(
    _ settings: SettingTable, _ contents: ConfigurationFile.Contents
  ) throws(CredentialError) -> AlibabaPlan {
    let role = SettingTable.RoleNames(
      arn: settings.has("ramrolearn") ? "ramrolearn" : "rolearn", sessionName: "rolesessionname",
      externalID: "externalid", region: "stsregion")
    let mode = try settings.text("mode") ?? (settings.has(role.arn) ? "RamRoleArn" : "AK")
    switch mode.lowercased() {
    case "ak", "ststoken":
      guard let key = try settings.key(Self.key) else { throw settings.place.error(.notConfigured, "has no key") }
      return .key(key)
    case "ramrolearn":
      return .role(try settings.role(role), with: .key(try settings.requiredKey(Self.key)))
    case "ecsramrole":
      return .instanceRole(try settings.text(["ecsrolename", "ramrolename"]))
    case "oidcrolearn", "oidc":
      return .webIdentity(
        try settings.role(role), providerARN: try settings.required("oidcproviderarn"),
        tokenFile: try settings.required("oidctokenfilepath"))
    case "process": return try command(settings, contents)
    case "credentialsuri":
      return .uri(try settings.required("credentialsuri"))
    case "anonymous": return .key(.anonymous)
    default:
      throw settings.place.malformed("has the mode \(mode.shownIfName), which is unknown")
    }
  }

  private func command(
    _ settings: SettingTable, _ contents: ConfigurationFile.Contents
  ) throws(CredentialError) -> AlibabaPlan {
    let line = try settings.required("credentialprocess")
    guard !line.contains(where: { Self.shellWords.contains($0) }), let command = CredentialCommand(splitting: line)
    else {
      throw settings.place.malformed(
        "has a “credentialProcess” that needs a shell", remedy: "Put it into a script, and name the script.")
    }
    try contents.checkThatCommandsMayBeRun(for: settings.place)
    let seconds = try settings.integer("credentialprocesstimeout") ?? 15
    return .command(command, timeout: .seconds(min(max(seconds, 1), 600)))
  }
}
