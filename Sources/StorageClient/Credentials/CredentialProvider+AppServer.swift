public import CloudCredentials
public import StorageAuth

extension CredentialProvider where Self == AppServerCredentialProvider {
  /// Temporary keys from one's own server, at an address that needs no login.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.appServer("https://app.example.com/distribute-token.json"))
  /// ```
  ///
  /// - Parameters:
  ///   - url: The address; `https`, or `http` on this machine.
  ///   - shape: How the server writes credentials.
  public static func appServer(
    _ url: String, shape: AppServerShape = .automatic
  ) -> AppServerCredentialProvider {
    AppServerCredentialProvider(url, shape: shape, transport: AsyncHTTPClientTransport.shared)
  }
}

extension AppServerCredentialProvider {
  /// Asks with a request that is made anew for each credential, over the shared transport.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   AppServerCredentialProvider { AppServerRequest("https://app.example.com/sts", headers: await login.headers()) })
  /// ```
  ///
  /// - Parameters:
  ///   - source: The name of the source, for errors; without secrets.
  ///   - shape: How the server writes credentials.
  ///   - request: Makes the request, with the app's login.
  public init(
    source: String = "app server", shape: AppServerShape = .automatic,
    request: @escaping @Sendable @concurrent () async throws -> AppServerRequest
  ) {
    self.init(source: source, shape: shape, transport: AsyncHTTPClientTransport.shared, request: request)
  }
}

extension CredentialProvider where Self == CredentialsURIProvider {
  /// Temporary keys from an address that answers as the one of `ALIBABA_CLOUD_CREDENTIALS_URI` does.
  ///
  /// - Parameter url: The address; `https`, or `http` on this machine.
  public static func credentialsURI(_ url: String) -> CredentialsURIProvider {
    CredentialsURIProvider(url, transport: AsyncHTTPClientTransport.shared)
  }
}

extension CredentialProvider where Self == ProcessCredentialProvider {
  /// Keys that a command prints as JSON.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.process(["/usr/local/bin/vault-key", "--account", "photos"]))
  /// ```
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - environment: Variables for the command, in addition to those of this process.
  ///   - timeout: How long the command may take.
  public static func process(
    _ command: CredentialCommand, environment: [String: String] = [:], timeout: Duration = .seconds(60)
  ) -> ProcessCredentialProvider {
    ProcessCredentialProvider(command, environment: environment, timeout: timeout, machine: .system)
  }
}
