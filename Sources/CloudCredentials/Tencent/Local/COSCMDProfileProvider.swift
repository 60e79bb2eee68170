public import StorageAuth

/// The configuration of coscmd: the section `[common]` of `~/.cos.conf`.
///
/// The file is read anew each time.
public struct COSCMDProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "coscmd", paths: ["~/.cos.conf"], remedy: "Run coscmd config -a <secret_id> -s <secret_key>.")

  private let machine: ProviderContext
  private let path: String?

  /// The name of the source.
  public var source: String { Self.file.source }

  /// Names the file.
  ///
  /// - Parameters:
  ///   - path: The file, where it is not the usual one.
  ///   - machine: What may be touched.
  public init(path: String? = nil, machine: ProviderContext) {
    self.machine = machine
    self.path = path
  }

  /// The key of the file, or no key if it says `anonymous = true`.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if there is no such file, or it has no section `[common]`.
  public func credential() async throws(CredentialError) -> AccessKey {
    let contents = try Self.file.read(on: machine, named: path)
    let document = try INIDocument(contents.bytes, at: contents.place)
    guard let settings = try document.section("common", at: contents.part("section [common]")) else {
      throw contents.place.missing(section: "common", of: document, isMistake: false)
    }
    if try settings.flag("anonymous") { return .anonymous }
    let id = settings.has("secret_id") ? "secret_id" : "access_id"
    return try settings.requiredKey(.init(id: id, secret: "secret_key", token: "token"))
  }
}
