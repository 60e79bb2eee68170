// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A provider of temporary keys from your own server, which holds the permanent key and decides which rights a client
/// gets.
///
/// The response's `Date` header or, for COS, its start time supplies the server's time; a wrong clock on this machine
/// then does not affect the credential's lifetime.
///
/// ```swift
/// let keys = AppServerCredentialProvider("https://app.example.com/distribute-token.json", transport: transport)
/// let own = AppServerCredentialProvider(source: "shop", transport: transport) {
///   AppServerRequest("https://shop.example.com/sts", method: .post, headers: [.authorization: await login.header()])
/// }
/// ```
public struct AppServerCredentialProvider: CredentialProvider {
  /// The name of the provider, for errors.
  public let source: String

  private let shape: AppServerShape
  private let exchange: ServiceExchange
  private let allowsPlainHTTP: Bool
  private let makeRequest: @Sendable @concurrent () async throws -> AppServerRequest

  /// Creates a provider that sends a GET request without a login to a URL.
  ///
  /// - Parameters:
  ///   - url: The URL; `https`, or `http` on this machine.
  ///   - shape: The format of the server's response.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed, where an eavesdropper on the network can read
  ///     the keys.
  ///   - timeout: The timeout for one request and its response.
  ///   - transport: The transport that sends the request.
  ///   - time: The clocks.
  public init(
    _ url: String, shape: AppServerShape = .automatic, allowsPlainHTTP: Bool = false,
    timeout: Duration = .seconds(15), transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    let name = ServiceURL(url).map { "app server \($0.visible)" } ?? "app server"
    self.init(
      source: name, shape: shape, allowsPlainHTTP: allowsPlainHTTP, timeout: timeout, transport: transport, time: time
    ) { AppServerRequest(url) }
  }

  /// Creates a provider that sends a request which is created for each credential.
  ///
  /// - Parameters:
  ///   - source: The name of the provider, for errors; it must not contain secrets.
  ///   - shape: The format of the server's response.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed, where an eavesdropper on the network can read
  ///     the keys.
  ///   - timeout: The timeout for creating the request and receiving its response.
  ///   - transport: The transport that sends the request.
  ///   - time: The clocks.
  ///   - request: Creates the request, with the app's login. A `CredentialError` that it throws is passed on unchanged;
  ///     a `CancellationError` becomes `cancelled` and any other error `failed`.
  public init(
    source: String = "app server", shape: AppServerShape = .automatic, allowsPlainHTTP: Bool = false,
    timeout: Duration = .seconds(15), transport: any HTTPTransport, time: any SigningClock = .system,
    request: @escaping @Sendable @concurrent () async throws -> AppServerRequest
  ) {
    self.source = source
    self.shape = shape
    self.allowsPlainHTTP = allowsPlainHTTP
    exchange = ServiceExchange(source: source, transport: transport, time: time, timeout: timeout)
    makeRequest = request
  }

  /// Requests a temporary key from the server.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `rejected` if the server refuses the request or requires a login; `malformedAnswer`
  ///   if the response has no usable key; `failed` or `timeout` if the server cannot be reached; or the error of the
  ///   closure that creates the request.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Requests a temporary key from the server and reads the server's time.
  ///
  /// - Returns: A temporary key with the server's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let answer = try await exchange.send { () async throws(CredentialError) in try await prepare() }
    return try AppServerAnswer(source: source, answer: answer).issued(as: shape)
  }

  private func prepare() async throws(CredentialError) -> PreparedCall {
    let request: AppServerRequest
    do {
      request = try await makeRequest()
    } catch let error as CredentialError {
      throw error
    } catch is CancellationError {
      throw CredentialError(.cancelled, source: source, "The request was not created.", remedy: "Retry.")
    } catch {
      throw CredentialError(
        .failed, source: source, "The request could not be created: the app threw \(type(of: error)).",
        remedy: "Check why the app's closure throws.", isRetryable: true)
    }
    let address = try RequestCheck(source: source).address(request.url, allowsPlainHTTP: allowsPlainHTTP)
    let call = address.call(request.method, headers: request.headers, body: request.body)
    return PreparedCall(call, masks: call.confidentialWords)
  }
}
