// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A provider of credentials from a profile in a configuration file of a vendor's tools or SDKs.
///
/// Each provider's module defines a static member for each file format. The file is read for each credential.
///
/// ```swift
/// let credentials = CredentialCache(.alibabaCLIProfile("production"))
/// ```
///
/// A profile contains a credential, or specifies a service or a command that issues credentials. A default file or a
/// default profile that does not exist counts as not configured, so that a chain continues with its next source. A file
/// or a profile that the caller specifies must exist, and each file must be valid: see the errors of ``issue(in:)``.
public struct ProfileCredentialProvider<Value: Credential>: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let read: @Sendable (ProviderContext) async throws(CredentialError) -> IssuedCredential<Value>

  package init(
    source: String, read: @escaping @Sendable (ProviderContext) async throws(CredentialError) -> IssuedCredential<Value>
  ) {
    self.source = source
    self.read = read
  }

  package init(
    _ file: ConfigurationFile, path: String?,
    read:
      @escaping @Sendable (
        ConfigurationFile.Contents, ProviderContext
      ) async throws(CredentialError) -> IssuedCredential<Value>
  ) {
    self.init(source: file.source) { (context) throws(CredentialError) in
      try await read(try file.read(in: context, named: path), context)
    }
  }

  /// Returns the credential that the profile contains, or that a service or a command issues for the profile.
  ///
  /// - Parameter context: The context whose files and variables are read, and in which services and commands run.
  /// - Throws: A `CredentialError`: `notConfigured` if the default file or the default profile does not exist or has no
  ///   credential; `failed` or `malformedResponse` if another one cannot be used; or that of the service or command.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Value> {
    try await read(context)
  }
}

extension ProfileCredentialProvider: Redacted {
  /// A description that contains the provider's name.
  public var description: String { "ProfileCredentialProvider(\(source))" }
}

extension ConfigurationFile.Contents {
  /// Returns the settings in the section for a profile of an INI file.
  ///
  /// - Parameter isMistake: Whether the caller specified the profile, so that it must exist.
  package func section(_ profile: String, isMistake: Bool) throws(CredentialError) -> SettingTable {
    let document = try INIDocument(bytes, at: location)
    guard let settings = try document.section(profile, at: part("section [\(profile)]")) else {
      throw location.missing(section: profile, of: document, isMistake: isMistake)
    }
    return settings
  }
}
