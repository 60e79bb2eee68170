// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A provider of temporary keys that your own server issues.
///
/// The server holds the permanent key and decides which rights a client gets. The server's time is read from the
/// response's `Date` header or, for COS, from the start time in the response. A wrong clock on this machine then does
/// not affect the credential's lifetime.
///
/// ```swift
/// let keys = AppServerCredentialProvider("https://app.example.com/distribute-token.json", transport: transport)
/// let own = AppServerCredentialProvider(source: "shop", transport: transport) {
///   AppServerRequest("https://shop.example.com/sts", method: .post, headers: [.authorization: await login.header()])
/// }
/// ```
public struct AppServerCredentialProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let format: AppServerFormat
  private let exchange: ServiceExchange
  private let allowsPlainHTTP: Bool
  private let makeRequest: @Sendable @concurrent () async throws -> AppServerRequest

  /// Creates a provider that sends a GET request without a login to a URL.
  ///
  /// - Parameters:
  ///   - url: The server's URL with the scheme `https`, or `http` if the server runs on this machine.
  ///   - format: The format of the server's response.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed. An eavesdropper on the network can then read
  ///     the keys.
  ///   - timeout: The time limit for one request and its response.
  ///   - transport: The transport that sends the request.
  ///   - time: The clocks that the provider uses.
  public init(
    _ url: String, format: AppServerFormat = .automatic, allowsPlainHTTP: Bool = false,
    timeout: Duration = .seconds(15), transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    let name = ServiceURL(url).map { "app server \($0.visible)" } ?? "app server"
    self.init(
      source: name, format: format, allowsPlainHTTP: allowsPlainHTTP, timeout: timeout, transport: transport, time: time
    ) { AppServerRequest(url) }
  }

  /// Creates a provider that sends a separately created request for each credential.
  ///
  /// - Parameters:
  ///   - source: The provider's name, for error messages; it must not contain secrets.
  ///   - format: The format of the server's response.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed. An eavesdropper on the network can then read
  ///     the keys.
  ///   - timeout: The time limit for creating the request and receiving its response.
  ///   - transport: The transport that sends the request.
  ///   - time: The clocks that the provider uses.
  ///   - request: A closure that creates the request, with the app's login. A `CredentialError` that the closure throws
  ///     is passed on unchanged. A `CancellationError` becomes the error `cancelled`, and any other error becomes
  ///     `failed`.
  public init(
    source: String = "app server", format: AppServerFormat = .automatic, allowsPlainHTTP: Bool = false,
    timeout: Duration = .seconds(15), transport: any HTTPTransport, time: any SigningClock = .system,
    request: @escaping @Sendable @concurrent () async throws -> AppServerRequest
  ) {
    self.source = source
    self.format = format
    self.allowsPlainHTTP = allowsPlainHTTP
    exchange = ServiceExchange(source: source, transport: transport, time: time, timeout: timeout)
    makeRequest = request
  }

  /// Requests a temporary key from the app server.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `rejected` if the server refuses the request or requires a login; `malformedResponse`
  ///   if the response has no usable key; `failed` or `timeout` if the server cannot be reached; or the error of the
  ///   closure that creates the request.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Requests a temporary key from the app server and reads the server's time from the response.
  ///
  /// - Returns: A temporary key and the server's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let response = try await exchange.send { () async throws(CredentialError) in try await prepare() }
    return try AppServerResponse(source: source, response: response).issued(as: format)
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
    var headers = request.headers
    ActiveSpan.inject(into: &headers)
    let call = address.call(request.method, headers: headers, body: request.body)
    return PreparedCall(call, masks: call.confidentialWords)
  }
}
