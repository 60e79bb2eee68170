public import StorageAuth

/// A profile of Tencent Cloud's command line: `~/.tccli/<profile>.credential`.
///
/// The profile is the one that is named here, or by `TCCLI_PROFILE`, or `default`. The file is read anew each time. The
/// types `oauth` and `sso` need a login in a browser, so only the key that such a login has left behind is used, as long
/// as it lives.
public struct TCCLIProfileProvider: CredentialProvider {
  private static let key = SettingTable.KeyNames(
    id: "secretId", secret: "secretKey", token: "token", expiration: "expiresAt")

  private let machine: ProviderContext
  private let profile: String?

  /// The name of the source.
  public let source = "Tencent Cloud CLI"

  /// Names the profile.
  ///
  /// - Parameters:
  ///   - profile: The name of the profile; if it is not given, the environment names it, or it is `default`.
  ///   - machine: What may be touched.
  public init(profile: String? = nil, machine: ProviderContext) {
    self.machine = machine
    self.profile = profile
  }

  /// The key of the profile.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if there is no such profile that nobody named, or it needs a login in
  ///   a browser.
  public func credential() async throws(CredentialError) -> AccessKey {
    let named = profile ?? machine.variable("TCCLI_PROFILE")
    let name = named ?? "default"
    guard !name.contains("/"), name != "..", name != "." else {
      throw CredentialError(
        .failed, source: source, "“\(name)” is not the name of a profile.", remedy: "Name one that tccli made.")
    }
    let path = "~/.tccli/\(name).credential"
    let file = ConfigurationFile(source: source, paths: [path], remedy: "Run tccli configure --profile \(name).")
    let contents = try file.read(on: machine, named: named == nil ? nil : path)
    let settings = try SettingTable(json: contents.bytes, at: contents.place)
    guard let key = try settings.key(Self.key) else { throw contents.place.error(.notConfigured, "has no key") }
    let type = try settings.text("type") ?? "secret"
    switch type {
    case "secret": return key
    case "oauth", "sso":
      if key.expiration != nil, !key.expires(within: .zero, at: machine.time.now) { return key }
      throw contents.place.error(
        .notConfigured, "has the type \(type), which needs a login in a browser, and its key ended at \(key.ending)",
        remedy: "Run tccli \(type == "sso" ? "sso" : "auth") login --profile \(name).")
    default:
      throw contents.place.malformed("has the type \(type.shownIfName), which nobody knows")
    }
  }
}
