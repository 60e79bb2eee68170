public import StorageAuth

/// A profile of the file that Tencent Cloud's SDKs share: `~/.tencentcloud/credentials`, or else
/// `/etc/tencentcloud/credentials`.
///
/// The file is read anew each time. `TENCENTCLOUD_CREDENTIALS_FILE` names another file.
public struct TencentProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "Tencent Cloud profile", variable: "TENCENTCLOUD_CREDENTIALS_FILE",
    paths: ["~/.tencentcloud/credentials", "/etc/tencentcloud/credentials"],
    remedy: "Give it a section [default] with secret_id and secret_key.")

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
    return try settings.requiredKey(.init(id: "secret_id", secret: "secret_key", token: "token"))
  }
}
