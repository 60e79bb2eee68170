// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

extension CredentialProvider where Self == AppServerCredentialProvider {
  /// Returns a provider that requests temporary keys from the app's own server, at a URL that requires no login.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.appServer("https://app.example.com/distribute-token.json"))
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL of the server: `https`, or `http` on this machine.
  ///   - format: The format of the server's response.
  public static func appServer(
    _ url: String, format: AppServerFormat = .automatic
  ) -> AppServerCredentialProvider {
    AppServerCredentialProvider(url, format: format, transport: .platformDefault)
  }
}

extension AppServerCredentialProvider {
  /// Creates a provider that requests each temporary key from the app's own server with a new request.
  ///
  /// The requests are sent over the shared transport.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   AppServerCredentialProvider { AppServerRequest("https://app.example.com/sts", headers: await login.headers()) })
  /// ```
  ///
  /// - Parameters:
  ///   - source: The provider's name in error messages, without secrets.
  ///   - format: The format of the server's response.
  ///   - request: A closure that creates a request with the app's login.
  public init(
    source: String = "app server", format: AppServerFormat = .automatic,
    request: @escaping @Sendable @concurrent () async throws -> AppServerRequest
  ) {
    self.init(source: source, format: format, transport: .platformDefault, request: request)
  }
}

extension CredentialProvider where Self == ProcessCredentialProvider {
  /// Returns a provider that runs a command and reads the keys that the command prints as JSON.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.process(["/usr/local/bin/vault-key", "--account", "photos"]))
  /// ```
  ///
  /// - Parameters:
  ///   - command: The command that prints the keys.
  ///   - environment: Environment variables for the command, in addition to those of this process.
  ///   - timeout: The time limit for each run of the command.
  public static func process(
    _ command: CredentialCommand, environment: [String: String] = [:], timeout: Duration = .seconds(60)
  ) -> ProcessCredentialProvider {
    ProcessCredentialProvider(command, environment: environment, timeout: timeout, machine: .system)
  }
}
