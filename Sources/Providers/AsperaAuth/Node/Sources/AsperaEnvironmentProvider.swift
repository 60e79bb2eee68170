// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A credential provider for a Node API that reads environment variables on every request.
///
/// One of three sets of variables must be set: `ASPERA_NODE_USER` and `ASPERA_NODE_PASSWORD` for a node user,
/// `ASPERA_ACCESS_KEY_ID` and `ASPERA_ACCESS_KEY_SECRET` for an access key, or `ASPERA_ACCESS_KEY_ID` and
/// `ASPERA_NODE_TOKEN` for a bearer token. IBM defines no variables for this purpose; the names are specific to this
/// package.
///
/// If none of the variables is set, the provider is not configured, and a chain skips it. An incomplete set of
/// variables is an error, and so are variables from more than one set.
public struct AsperaEnvironmentProvider: CredentialProvider {
  private static let names = NodeAccessSettings.Names(
    user: "ASPERA_NODE_USER", password: "ASPERA_NODE_PASSWORD", accessKey: "ASPERA_ACCESS_KEY_ID",
    secret: "ASPERA_ACCESS_KEY_SECRET", token: "ASPERA_NODE_TOKEN")

  /// The provider name that errors and events show.
  public var source: String { "environment (Aspera)" }

  /// Creates a provider that reads environment variables.
  public init() {}

  /// Reads the credential from the environment variables.
  ///
  /// An empty variable counts as not set. White space around a value is removed.
  ///
  /// - Parameter context: The context whose environment variables are read.
  /// - Returns: The credential.
  /// - Throws: A `CredentialError` that contains the variable names: `notConfigured` if no variable is set, `failed` if
  ///   a set is incomplete, if variables from more than one set are present, or if a value cannot be used.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let names = Self.names
    let location = SettingLocation(
      source: source, name: "The environment",
      remedy: "Set \(names.user) and \(names.password), or \(names.accessKey) and either \(names.secret) or "
        + "\(names.token), and unset the others.")
    var values: [String: String] = [:]
    for name in names.all { values[name] = context.variable(name) }
    let settings = NodeAccessSettings(names: names, values: values, location: location)
    guard let access = try settings.access(at: context.time.now) else {
      throw location.error(.notConfigured, "sets none of \(names.all.joined(separator: ", "))")
    }
    return IssuedCredential(access)
  }
}

extension AsperaEnvironmentProvider: Redacted {
  /// A description that contains the provider name.
  public var description: String { "AsperaEnvironmentProvider(\(source))" }
}
