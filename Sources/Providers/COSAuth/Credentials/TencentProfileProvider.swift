// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A provider that reads an access key from a profile of the file that Tencent Cloud's SDKs share.
///
/// The file is `~/.tencentcloud/credentials` or, if that file does not exist, `/etc/tencentcloud/credentials`. It is
/// read for each credential. `TENCENTCLOUD_CREDENTIALS_FILE` specifies another path.
public struct TencentProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "Tencent Cloud profile", variable: "TENCENTCLOUD_CREDENTIALS_FILE",
    paths: ["~/.tencentcloud/credentials", "/etc/tencentcloud/credentials"],
    remedy: "Give it a section [default] with secret_id and secret_key.")

  private let profile: String?
  private let path: String?

  /// The provider's name, for error messages.
  public var source: String { Self.file.source }

  /// Creates a provider for a profile in the file that Tencent Cloud's SDKs share.
  ///
  /// - Parameters:
  ///   - profile: The section name, or `nil` for `default`.
  ///   - path: The file's path. If `nil`, the path that the environment specifies, or the default paths.
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
    return IssuedCredential(try settings.requiredKey(.init(id: "secret_id", secret: "secret_key", token: "token")))
  }
}
