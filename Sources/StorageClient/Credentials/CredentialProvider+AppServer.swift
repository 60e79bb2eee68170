// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CloudCredentials
public import StorageAuth

extension CredentialProvider where Self == AppServerCredentialProvider {
  /// Returns a provider of temporary keys from the app's own server, at a URL that requires no login.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.appServer("https://app.example.com/distribute-token.json"))
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL; `https`, or `http` on this machine.
  ///   - shape: The format of the server's response.
  public static func appServer(
    _ url: String, shape: AppServerShape = .automatic
  ) -> AppServerCredentialProvider {
    AppServerCredentialProvider(url, shape: shape, transport: AsyncHTTPClientTransport.shared)
  }
}

extension AppServerCredentialProvider {
  /// Creates a provider that sends a new request for each credential, over the shared transport.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   AppServerCredentialProvider { AppServerRequest("https://app.example.com/sts", headers: await login.headers()) })
  /// ```
  ///
  /// - Parameters:
  ///   - source: The name of the provider in errors; it must not contain secrets.
  ///   - shape: The format of the server's response.
  ///   - request: Creates the request, with the app's login.
  public init(
    source: String = "app server", shape: AppServerShape = .automatic,
    request: @escaping @Sendable @concurrent () async throws -> AppServerRequest
  ) {
    self.init(source: source, shape: shape, transport: AsyncHTTPClientTransport.shared, request: request)
  }
}

extension CredentialProvider where Self == CredentialsURIProvider {
  /// Returns a provider of temporary keys from a URL with the response format of `ALIBABA_CLOUD_CREDENTIALS_URI`.
  ///
  /// - Parameter url: The URL; `https`, or `http` on this machine.
  public static func credentialsURI(_ url: String) -> CredentialsURIProvider {
    CredentialsURIProvider(url, transport: AsyncHTTPClientTransport.shared)
  }
}

extension CredentialProvider where Self == ProcessCredentialProvider {
  /// Returns a provider of keys that a command prints as JSON.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.process(["/usr/local/bin/vault-key", "--account", "photos"]))
  /// ```
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - environment: Environment variables for the command, in addition to those of this process.
  ///   - timeout: The time limit of the command.
  public static func process(
    _ command: CredentialCommand, environment: [String: String] = [:], timeout: Duration = .seconds(60)
  ) -> ProcessCredentialProvider {
    ProcessCredentialProvider(command, environment: environment, timeout: timeout, machine: .system)
  }
}
