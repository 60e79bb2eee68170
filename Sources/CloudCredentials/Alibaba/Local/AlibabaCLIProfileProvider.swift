// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A provider that uses a profile of Alibaba Cloud's command-line tool: `~/.aliyun/config.json`.
///
/// The profile is the one given here, else the one that `ALIBABA_CLOUD_PROFILE` names, else the file's current one. The
/// file is read for each credential. `ALIBABA_CLOUD_CONFIG_FILE` sets another path, and
/// `ALIBABA_CLOUD_CLI_PROFILE_DISABLED=true` disables the source. All modes except `RsaKeyPair` are supported;
/// `CloudSSO` and `OAuth` require a login in a browser, so only the temporary key that such a login has stored is used,
/// until it expires.
public struct AlibabaCLIProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "Alibaba Cloud CLI", variable: "ALIBABA_CLOUD_CONFIG_FILE", paths: ["~/.aliyun/config.json"],
    remedy: "Run aliyun configure.")

  private let machine: ProviderContext
  private let profile: String?
  private let path: String?
  private let services: AlibabaServices

  /// The name of the provider, for errors.
  public var source: String { Self.file.source }

  /// Creates a provider for a profile.
  ///
  /// - Parameters:
  ///   - profile: The name of the profile, or `nil` for the one that the environment or the file names.
  ///   - path: The path of the file, or `nil` for the one that the environment names or the default path.
  ///   - machine: The context that gives access to the environment, files, commands and the network.
  public init(profile: String? = nil, path: String? = nil, machine: ProviderContext) {
    self.init(profile: profile, path: path, machine: machine, services: .real)
  }

  init(profile: String? = nil, path: String? = nil, machine: ProviderContext, services: AlibabaServices) {
    self.machine = machine
    self.profile = profile
    self.path = path
    self.services = services
  }

  /// Returns the key that the profile contains or leads to.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if there is no such file or profile, the source is disabled, or the
  ///   profile requires a login in a browser; `failed` or `malformedAnswer` if a profile that is set cannot be used; or
  ///   the error of the service or the command that the profile names.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Returns the key that the profile contains or leads to, with the name of the source that issued it.
  ///
  /// - Throws: A `CredentialError`, as ``credential()`` does.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let switchName = "ALIBABA_CLOUD_CLI_PROFILE_DISABLED"
    if machine.isTrue(switchName) {
      throw CredentialError(
        .notConfigured, source: source, "\(switchName) disables the profiles of the command-line tool.",
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
