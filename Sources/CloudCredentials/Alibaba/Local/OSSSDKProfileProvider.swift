public import StorageAuth

/// A profile of the OSS SDK for Java: `~/.oss/credentials`.
///
/// `OSS_CREDENTIAL_PROFILES_FILE` names another file, which is read anew each time.
public struct OSSSDKProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "OSS SDK profile", variable: "OSS_CREDENTIAL_PROFILES_FILE", paths: ["~/.oss/credentials"],
    remedy: "Give it a section [default] with oss_access_key_id and oss_secret_access_key.")

  private let machine: ProviderContext
  private let profile: String?
  private let path: String?

  /// The name of the source.
  public var source: String { Self.file.source }

  /// Names the profile.
  ///
  /// - Parameters:
  ///   - profile: The name of the section; `default` if it is not given.
  ///   - path: The file, where it is not the usual one.
  ///   - machine: What may be touched.
  public init(profile: String? = nil, path: String? = nil, machine: ProviderContext) {
    self.machine = machine
    self.profile = profile
    self.path = path
  }

  /// The key of the profile.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if there is no such file or profile.
  public func credential() async throws(CredentialError) -> AccessKey {
    let contents = try Self.file.read(on: machine, named: path)
    let document = try INIDocument(contents.bytes, at: contents.place)
    let name = profile ?? "default"
    guard let settings = try document.section(name, at: contents.part("section [\(name)]")) else {
      throw contents.place.missing(section: name, of: document, isMistake: profile != nil)
    }
    return try settings.requiredKey(
      .init(id: "oss_access_key_id", secret: "oss_secret_access_key", token: "oss_session_token"))
  }
}
