public import StorageAuth

/// The profile of Alibaba Cloud's command line: `~/.aliyun/config.json`.
///
/// The profile is the one that is named here, or by `ALIBABA_CLOUD_PROFILE`, or the file's current one. The file is read
/// anew each time. `ALIBABA_CLOUD_CONFIG_FILE` names another file, `ALIBABA_CLOUD_CLI_PROFILE_DISABLED=true` turns the
/// source off. All modes but `RsaKeyPair` are carried out; `CloudSSO` and `OAuth` need a login in a browser, so only a
/// key that such a login has left behind is used, as long as it lives.
public struct AlibabaCLIProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "Alibaba Cloud CLI", variable: "ALIBABA_CLOUD_CONFIG_FILE", paths: ["~/.aliyun/config.json"],
    remedy: "Run aliyun configure.")

  private let machine: ProviderContext
  private let profile: String?
  private let path: String?
  private let services: AlibabaServices

  /// The name of the source.
  public var source: String { Self.file.source }

  /// Names the profile.
  ///
  /// - Parameters:
  ///   - profile: The name of the profile; if it is not given, the environment or the file names it.
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
  /// - Throws: A `CredentialError`: `notConfigured` if there is no such file or profile, or the profile needs a login in a
  ///   browser.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// The key that the profile leads to, with the name of the source that gave it.
  ///
  /// - Throws: A `CredentialError`, as ``credential()`` does.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let switchName = "ALIBABA_CLOUD_CLI_PROFILE_DISABLED"
    if machine.isTrue(switchName) {
      throw CredentialError(
        .notConfigured, source: source, "\(switchName) turns the command line's profiles off.",
        remedy: "Unset it to use them.")
    }
    let profiles = try AlibabaCLIProfiles(try Self.file.read(on: machine, named: path), at: machine.time.now)
    let named = profile ?? machine.variable("ALIBABA_CLOUD_PROFILE")
    let current = try profiles.current
    guard let name = named ?? current else { throw profiles.nothing }
    guard let plan = try profiles.plan(for: name) else {
      throw profiles.unknown(name, isMistake: profile != nil || named == nil)
    }
    return try await plan.issue(at: profiles.place(of: name), on: machine, through: services)
  }
}
