public import StorageAuth

/// A profile of ossutil: `~/.ossutilconfig`, as version 1 and version 2 write it.
///
/// The profile is the one that is named here, or by `OSSUTIL_PROFILE`, or `default`; version 1 has only its section
/// `[Credentials]`, which is used where there is no default profile. Spellings of a key are the same to ossutil, and so
/// they are here: `accessKeyID`, `access-key-id` and `access_key_id`. `OSSUTIL_CONFIG_FILE` names another file.
public struct OSSUtilProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "ossutil", variable: "OSSUTIL_CONFIG_FILE", paths: ["~/.ossutilconfig"], remedy: "Run ossutil config.")

  private static let key = SettingTable.KeyNames(id: "accesskeyid", secret: "accesskeysecret", token: "ststoken")

  private static let dialect = INIDocument.Dialect(section: plain, key: plain)

  /// The one spelling of a name that stands for all of them.
  @Sendable private static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != "-" && $0 != "_" }
  }

  /// What only a shell understands.
  private static let shellWords = "|&;<>$`"

  private let machine: ProviderContext
  private let profile: String?
  private let path: String?
  private let services: AlibabaServices

  /// The name of the source.
  public var source: String { Self.file.source }

  /// Names the profile.
  ///
  /// - Parameters:
  ///   - profile: The name of the profile; if it is not given, the environment names it, or it is the default.
  ///   - path: The file, where it is not the usual one.
  ///   - machine: What may be touched.
  public init(profile: String? = nil, path: String? = nil, machine: ProviderContext) {
    self.init(profile: profile, path: path, machine: machine, services: .real)
  }

  init(profile: String? = nil, path: String? = nil, machine: ProviderContext, services: AlibabaServices) {
    self.machine = machine
    self.profile = profile
    self.path = path
    self.services = services
  }

  /// The key that the profile leads to.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if there is no such file, no such profile or no key in it.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// The key that the profile leads to, with the name of the source that gave it.
  ///
  /// - Throws: A `CredentialError`, as ``credential()`` does.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let contents = try Self.file.read(on: machine, named: path)
    let document = try INIDocument(contents.bytes, at: contents.place, dialect: Self.dialect)
    let named = profile ?? machine.variable("OSSUTIL_PROFILE")
    let name = named ?? "default"
    let sections = ["profile \(name)", name] + (name == "default" ? ["Credentials"] : [])
    for section in sections {
      let place = contents.part("section [\(section)]")
      guard let settings = try document.section(section, at: place) else { continue }
      return try await plan(settings, contents).issue(at: place, on: machine, through: services)
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
      throw settings.place.malformed("has the mode \(mode.shownIfName), which nobody knows")
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
