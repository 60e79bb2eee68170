// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

/// A provider that reads an access key from the configuration of coscmd: the section `[common]` in `~/.cos.conf`.
///
/// The file is read for each credential.
public struct COSCMDProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "coscmd", paths: ["~/.cos.conf"], remedy: "Run coscmd config -a <secret_id> -s <secret_key>.")

  private let machine: ProviderContext
  private let path: String?

  /// The provider's name, for error messages.
  public var source: String { Self.file.source }

  /// Creates a provider for a configuration file of coscmd.
  ///
  /// - Parameters:
  ///   - path: The file's path, or `nil` for the default path.
  ///   - machine: The context that gives access to files.
  public init(path: String? = nil, machine: ProviderContext) {
    self.machine = machine
    self.path = path
  }

  /// Returns the access key in the file, or the anonymous key if the file contains `anonymous = true`.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if the file does not exist or has no section `[common]`; `failed`
  ///   or `malformedResponse` if the file cannot be read or is invalid.
  public func credential() async throws(CredentialError) -> AccessKey {
    let contents = try Self.file.read(on: machine, named: path)
    let document = try INIDocument(contents.bytes, at: contents.location)
    guard let settings = try document.section("common", at: contents.part("section [common]")) else {
      throw contents.location.missing(section: "common", of: document, isMistake: false)
    }
    if try settings.flag("anonymous") { return .anonymous }
    let id = settings.has("secret_id") ? "secret_id" : "access_id"
    return try settings.requiredKey(.init(id: id, secret: "secret_key", token: "token"))
  }
}
