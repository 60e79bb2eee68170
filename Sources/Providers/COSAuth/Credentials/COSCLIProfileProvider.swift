// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

/// A provider of access keys from the configuration of coscli: `cos.base` in `~/.cos.yaml`.
///
/// coscli obfuscates the keys in this file with a constant that every copy of coscli contains, unless
/// `disableencryption` is `"true"`. Only plain keys are read; obfuscated keys are detected and reported as
/// `notConfigured`. In the mode `CvmRole`, the key is requested for the instance's role.
public struct COSCLIProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "coscli", paths: ["~/.cos.yaml"], remedy: "Run coscli config init.")

  private let machine: ProviderContext
  private let path: String?
  private let services: TencentServices

  /// The provider's name, for error messages.
  public var source: String { Self.file.source }

  /// Creates a provider for a configuration file of coscli.
  ///
  /// - Parameters:
  ///   - path: The file's path, or `nil` for the default path.
  ///   - machine: The context that gives access to files and the network.
  public init(path: String? = nil, machine: ProviderContext) {
    self.init(path: path, machine: machine, services: .real)
  }

  init(path: String? = nil, machine: ProviderContext, services: TencentServices) {
    self.machine = machine
    self.path = path
    self.services = services
  }

  /// Returns the access key in the file, or a temporary key for the instance's role.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if the file does not exist, the file has no key, or the keys are
  ///   obfuscated; `failed` or `malformedResponse` if a file that is specified cannot be used; or the error of the
  ///   metadata service.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Returns the access key in the file, or a temporary key for the instance's role with the metadata service's time.
  ///
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let contents = try Self.file.read(on: machine, named: path)
    let location = contents.part("mapping cos.base")
    guard let base = try YAMLMapping(contents.bytes, path: ["cos", "base"], at: contents.location) else {
      throw contents.location.error(.notConfigured, "has no mapping cos.base")
    }
    let settings = SettingTable(base.values, at: location)
    let mode = try settings.text("mode") ?? "SecretKey"
    switch mode.lowercased() {
    case "secretkey": return IssuedCredential(try key(settings))
    case "cvmrole":
      return try await services.instanceRole(try settings.text("cvmrolename"), machine).issue(for: location)
    default: throw location.malformed("has the mode \(mode.shownIfName), which is unknown")
    }
  }

  private func key(_ settings: SettingTable) throws(CredentialError) -> AccessKey {
    guard settings.has("secretid") || settings.has("secretkey") else {
      throw settings.location.error(.notConfigured, "has no key")
    }
    guard try settings.flag("disableencryption") else {
      throw settings.location.error(
        .notConfigured, "has keys that coscli has obfuscated, which other programs cannot read",
        remedy: "Set disableencryption to \"true\" with the keys in plain, or name another source.")
    }
    return try settings.requiredKey(.init(id: "secretid", secret: "secretkey", token: "sessiontoken"))
  }
}
