// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A provider of access keys from the configuration of coscli: `cos.base` in `~/.cos.yaml`.
///
/// coscli obfuscates the keys in this file with a constant that every copy of coscli contains, unless
/// `disableencryption` is `"true"`. Only plain keys are read; obfuscated keys are detected and reported as
/// `notConfigured`. In the mode `CvmRole`, the key is requested for the instance's role.
public struct COSCLIProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "coscli", paths: ["~/.cos.yaml"], remedy: "Run coscli config init.")

  private let path: String?
  private let services: TencentServices

  /// The provider's name, for error messages.
  public var source: String { Self.file.source }

  /// Creates a provider for a configuration file of coscli.
  ///
  /// - Parameter path: The file's path, or `nil` for the default path.
  public init(path: String? = nil) {
    self.init(path: path, services: .real)
  }

  init(path: String? = nil, services: TencentServices) {
    self.path = path
    self.services = services
  }

  /// Returns the access key in the file, or a temporary key for the instance's role with the metadata service's time.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `notConfigured` if the file does not exist, the file has no key, or the keys are
  ///   obfuscated; `failed` or `malformedAnswer` if a file that is specified cannot be used; or the error of the
  ///   metadata service.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let contents = try Self.file.read(in: context, named: path)
    let place = contents.part("mapping cos.base")
    guard let base = try YAMLMapping(contents.bytes, path: ["cos", "base"], at: contents.place) else {
      throw contents.place.error(.notConfigured, "has no mapping cos.base")
    }
    let settings = SettingTable(base.values, at: place)
    let mode = try settings.text("mode") ?? "SecretKey"
    switch mode.lowercased() {
    case "secretkey": return IssuedCredential(try key(settings))
    case "cvmrole":
      return try await services.instanceRole(try settings.text("cvmrolename")).issue(for: place, in: context)
    default: throw place.malformed("has the mode \(mode.shownIfName), which is unknown")
    }
  }

  private func key(_ settings: SettingTable) throws(CredentialError) -> AccessKey {
    guard settings.has("secretid") || settings.has("secretkey") else {
      throw settings.place.error(.notConfigured, "has no key")
    }
    guard try settings.flag("disableencryption") else {
      throw settings.place.error(
        .notConfigured, "has keys that coscli has obfuscated, which other programs cannot read",
        remedy: "Set disableencryption to \"true\" with the keys in plain, or name another source.")
    }
    return try settings.requiredKey(.init(id: "secretid", secret: "secretkey", token: "sessiontoken"))
  }
}
