public import StorageAuth

/// The configuration of coscli: `cos.base` in `~/.cos.yaml`.
///
/// coscli scrambles the keys in this file with a word that is in every copy of it, unless `disableencryption` is `"true"`.
/// Only plain keys are read; scrambled ones are recognised, and declined. The mode `CvmRole` asks the instance.
public struct COSCLIProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "coscli", paths: ["~/.cos.yaml"], remedy: "Run coscli config init.")

  private let machine: ProviderContext
  private let path: String?
  private let services: TencentServices

  /// The name of the source.
  public var source: String { Self.file.source }

  /// Names the file.
  ///
  /// - Parameters:
  ///   - path: The file, where it is not the usual one.
  ///   - machine: What may be touched.
  public init(path: String? = nil, machine: ProviderContext) {
    self.init(path: path, machine: machine, services: .real)
  }

  init(path: String? = nil, machine: ProviderContext, services: TencentServices) {
    self.machine = machine
    self.path = path
    self.services = services
  }

  /// The key of the file, or of the instance.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if there is no such file, or its keys are scrambled.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// The key of the file, or of the instance with its time.
  ///
  /// - Throws: A `CredentialError`, as ``credential()`` does.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let contents = try Self.file.read(on: machine, named: path)
    let place = contents.part("mapping cos.base")
    guard let base = try YAMLMapping(contents.bytes, path: ["cos", "base"], at: contents.place) else {
      throw contents.place.error(.notConfigured, "has no mapping cos.base")
    }
    let settings = SettingTable(base.values, at: place)
    let mode = try settings.text("mode") ?? "SecretKey"
    switch mode.lowercased() {
    case "secretkey": return IssuedCredential(try key(settings))
    case "cvmrole":
      return try await services.instanceRole(try settings.text("cvmrolename"), machine).issue(for: place)
    default: throw place.malformed("has the mode \(mode.shownIfName), which nobody knows")
    }
  }

  private func key(_ settings: SettingTable) throws(CredentialError) -> AccessKey {
    guard settings.has("secretid") || settings.has("secretkey") else {
      throw settings.place.error(.notConfigured, "has no key")
    }
    guard try settings.flag("disableencryption") else {
      throw settings.place.error(
        .notConfigured, "has keys that coscli has scrambled, which other programs do not read",
        remedy: "Set disableencryption to \"true\" with the keys in plain, or name another source.")
    }
    return try settings.requiredKey(.init(id: "secretid", secret: "secretkey", token: "sessiontoken"))
  }
}
