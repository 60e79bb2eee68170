// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A provider that reads an access key from the configuration of coscmd: the section `[common]` in `~/.cos.conf`.
///
/// The file is read for each credential.
public struct COSCMDProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "coscmd", paths: ["~/.cos.conf"], remedy: "Run coscmd config -a <secret_id> -s <secret_key>.")

  private let path: String?

  /// The provider's name, for error messages.
  public var source: String { Self.file.source }

  /// Creates a provider for a configuration file of coscmd.
  ///
  /// - Parameter path: The file's path, or `nil` for the default path.
  public init(path: String? = nil) {
    self.path = path
  }

  /// Returns the access key in the file, or the anonymous key if the file contains `anonymous = true`.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `notConfigured` if the file does not exist or has no section `[common]`; `failed`
  ///   or `malformedAnswer` if the file cannot be read or is invalid.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let contents = try Self.file.read(in: context, named: path)
    let document = try INIDocument(contents.bytes, at: contents.place)
    guard let settings = try document.section("common", at: contents.part("section [common]")) else {
      throw contents.place.missing(section: "common", of: document, isMistake: false)
    }
    if try settings.flag("anonymous") { return IssuedCredential(.anonymous) }
    let id = settings.has("secret_id") ? "secret_id" : "access_id"
    return IssuedCredential(try settings.requiredKey(.init(id: id, secret: "secret_key", token: "token")))
  }
}
