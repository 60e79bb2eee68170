// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A provider that reads an access key from a profile of the OSS SDK for Java: `~/.oss/credentials`.
///
/// The file is read for each credential. `OSS_CREDENTIAL_PROFILES_FILE` specifies another path.
public struct OSSSDKProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "OSS SDK profile", variable: "OSS_CREDENTIAL_PROFILES_FILE", paths: ["~/.oss/credentials"],
    remedy: "Give it a section [default] with oss_access_key_id and oss_secret_access_key.")

  private let profile: String?
  private let path: String?

  /// The provider's name, for error messages.
  public var source: String { Self.file.source }

  /// Creates a provider for a profile of the OSS SDK for Java.
  ///
  /// - Parameters:
  ///   - profile: The section name, or `nil` for `default`.
  ///   - path: The file's path. If `nil`, the path that the environment specifies, or the default path.
  public init(profile: String? = nil, path: String? = nil) {
    self.profile = profile
    self.path = path
  }

  /// Returns the access key in the profile.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `notConfigured` if the file or the profile does not exist; `failed` or
  ///   `malformedAnswer` if a file or a profile that is specified cannot be used.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let contents = try Self.file.read(in: context, named: path)
    let document = try INIDocument(contents.bytes, at: contents.place)
    let name = profile ?? "default"
    guard let settings = try document.section(name, at: contents.part("section [\(name)]")) else {
      throw contents.place.missing(section: name, of: document, isMistake: profile != nil)
    }
    return IssuedCredential(
      try settings.requiredKey(
        .init(id: "oss_access_key_id", secret: "oss_secret_access_key", token: "oss_session_token")))
  }
}
