// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// The manifest defines STORAGE_AUTH_NIO for Linux and macOS with the trait `Client`.

internal import Logging

#if STORAGE_AUTH_NIO
  public import AsyncHTTPTransport

  extension HTTPTransport where Self == AsyncHTTPClientTransport {
    /// The shared transport of this platform, which clients use unless another transport is specified.
    ///
    /// It is `AsyncHTTPClientTransport.shared` on Linux and macOS, and `URLSessionTransport.shared` on the other
    /// systems and without the package trait `Client`.
    public static var platformDefault: AsyncHTTPClientTransport { .shared }
  }
#else
  public import FoundationTransport

  extension HTTPTransport where Self == URLSessionTransport {
    /// The shared transport of this platform, which clients use unless another transport is specified.
    public static var platformDefault: URLSessionTransport { .shared }
  }
#endif

extension ProviderContext {
  /// The provider context of this machine: environment, files, clocks, network, and subprocesses if the platform can.
  ///
  /// The home directory is the value of `HOME`, as for the vendors' tools, or else the user's home directory. Warnings,
  /// such as a warning about a secret file that other users can read, are logged with the label `storage-auth`.
  public static var system: ProviderContext {
    #if STORAGE_AUTH_NIO
      let commands: (any CommandRunner)? = SubprocessCommandRunner()
    #else
      let commands: (any CommandRunner)? = nil
    #endif
    var context = ProviderContext(transport: .platformDefault, commands: commands)
    let logger = Logger(label: "storage-auth")
    context.onWarning = { logger.warning("\($0)") }
    return context
  }

  package static func system(_ transport: any HTTPTransport, _ time: any SigningClock) -> ProviderContext {
    var context = system
    context.transport = transport
    context.time = time
    return context
  }
}

extension CredentialCache {
  /// Creates a cache that fetches its credentials from a provider, with this machine's network, commands and files.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.appServer("https://app.example.com/distribute-token.json"))
  /// ```
  ///
  /// - Parameters:
  ///   - provider: The source of the credentials, which receives the context `ProviderContext.system`.
  ///   - configuration: The cache's refresh times, backoff and timeout.
  ///   - events: The observers that receive the cache's events.
  public convenience init(
    _ provider: some CredentialProvider<Value>,
    configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(), events: EventHub = EventHub()
  ) { self.init(provider, in: .system, configuration: configuration, events: events) }
}

extension ScopedCredentialCache {
  /// Creates a cache that fetches credentials from a scoped provider, with this machine's network, commands and files.
  ///
  /// - Parameters:
  ///   - provider: The source of the credentials, whose providers receive the context `ProviderContext.system`.
  ///   - scopeLimit: The maximum number of scopes with cached credentials, at least 1.
  ///   - configuration: The refresh times, backoff and timeout of each scope's cache.
  ///   - events: The observers that receive the events of the caches of all scopes.
  public convenience init(
    _ provider: some ScopedCredentialProvider<Value>, scopeLimit: Int = 256,
    configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(), events: EventHub = EventHub()
  ) { self.init(provider, in: .system, scopeLimit: scopeLimit, configuration: configuration, events: events) }
}

extension CredentialProvider {
  /// Fetches a credential from the provider's source, in the context of this process.
  ///
  /// - Returns: A credential that is valid when the method returns.
  /// - Throws: The `CredentialError` of the provider.
  public func credential() async throws(CredentialError) -> Value { try await credential(in: .system) }
}
