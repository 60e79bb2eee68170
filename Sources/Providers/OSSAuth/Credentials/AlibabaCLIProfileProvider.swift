// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A provider of access keys from a profile of Alibaba Cloud's command-line tool: `~/.aliyun/config.json`.
///
/// The profile contains a key, or specifies a service or a command that issues keys. It is the `profile` parameter, the
/// profile that `ALIBABA_CLOUD_PROFILE` specifies, or the file's current profile, in this order. The file is read for
/// each credential. `ALIBABA_CLOUD_CONFIG_FILE` specifies another path, and `ALIBABA_CLOUD_CLI_PROFILE_DISABLED=true`
/// disables the source.
///
/// All modes except `RsaKeyPair` are supported. `CloudSSO` and `OAuth` require a login in a browser, so only the
/// temporary key that such a login has stored is used, until the key expires.
public struct AlibabaCLIProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "Alibaba Cloud CLI", variable: "ALIBABA_CLOUD_CONFIG_FILE", paths: ["~/.aliyun/config.json"],
    remedy: "Run aliyun configure.")

  private let profile: String?
  private let path: String?
  private let services: AlibabaServices

  /// The provider's name, for error messages.
  public var source: String { Self.file.source }

  /// Creates a provider for a profile of Alibaba Cloud's command-line tool.
  ///
  /// - Parameters:
  ///   - profile: The profile name. If `nil`, the profile that the environment or the file specifies.
  ///   - path: The file's path. If `nil`, the path that the environment specifies, or the default path.
  public init(profile: String? = nil, path: String? = nil) {
    self.init(profile: profile, path: path, services: .real)
  }

  init(profile: String? = nil, path: String? = nil, services: AlibabaServices) {
    self.profile = profile
    self.path = path
    self.services = services
  }

  /// Returns the access key that the profile contains or that a service or command issues for the profile.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `failed` if the caller specifies a file or a profile that does not exist;
  ///   `notConfigured` if the default file or profile does not exist, the source is disabled, or the profile requires a
  ///   login in a browser; `failed` or `malformedAnswer` if the profile cannot be used; or the error of the service or
  ///   the command that the profile specifies.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let switchName = "ALIBABA_CLOUD_CLI_PROFILE_DISABLED"
    if context.isTrue(switchName) {
      throw CredentialError(
        .notConfigured, source: source, "\(switchName) disables the profiles of the command-line tool.",
        remedy: "Unset it to use them.")
    }
    let profiles = try AlibabaCLIProfiles(try Self.file.read(in: context, named: path), at: context.time.now)
    let named = profile ?? context.variable("ALIBABA_CLOUD_PROFILE")
    let current = try profiles.current
    guard let name = named ?? current else { throw profiles.nothing }
    guard let plan = try profiles.plan(for: name) else {
      throw profiles.unknown(name, isMistake: profile != nil || named == nil)
    }
    return try await plan.issue(at: profiles.place(of: name), in: context, through: services)
  }
}
