// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A provider of temporary keys that your own server issues.
///
/// The server holds the permanent key and decides which rights a client gets. The server's time comes from the header
/// `Date` or, for COS, from the start time in the response, so that a wrong clock on this machine has no effect.
///
/// ```swift
/// let keys = CredentialCache(.appServer("https://app.example.com/distribute-token.json"))
/// let own = AppServerCredentialProvider(source: "shop") {
///   AppServerRequest("https://shop.example.com/sts", method: .post, headers: [.authorization: await login.header()])
/// }
/// ```
public struct AppServerCredentialProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let format: AppServerFormat
  private let allowsPlainHTTP: Bool
  private let makeRequest: @Sendable @concurrent () async throws -> AppServerRequest

  /// Creates a provider that sends a GET request without a login to a URL.
  ///
  /// - Parameters:
  ///   - url: The server's URL with the scheme `https`, or `http` if the server runs on this machine.
  ///   - format: The format of the server's response.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed. An eavesdropper can then read the keys.
  public init(_ url: String, format: AppServerFormat = .automatic, allowsPlainHTTP: Bool = false) {
    let name = ServiceURL(url).map { "app server \($0.visible)" } ?? "app server"
    self.init(source: name, format: format, allowsPlainHTTP: allowsPlainHTTP) { AppServerRequest(url) }
  }

  /// Creates a provider that sends a separately created request for each credential.
  ///
  /// - Parameters:
  ///   - source: The provider's name, for error messages; it must not contain secrets.
  ///   - format: The format of the server's response.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed. An eavesdropper can then read the keys.
  ///   - request: A closure that creates the request, with the app's login. A `CredentialError` that it throws is
  ///     passed on; a `CancellationError` becomes `cancelled`, and any other error the `underlying` one of `failed`.
  public init(
    source: String = "app server", format: AppServerFormat = .automatic, allowsPlainHTTP: Bool = false,
    request: @escaping @Sendable @concurrent () async throws -> AppServerRequest
  ) {
    self.source = source
    self.format = format
    self.allowsPlainHTTP = allowsPlainHTTP
    makeRequest = request
  }

  /// Requests a temporary key from the app server and reads the server's time from the response.
  ///
  /// Creating the request and receiving its response may take 15 seconds, unless the context has another limit.
  ///
  /// - Parameter context: The context whose transport sends the request.
  /// - Returns: A temporary key and the server's time.
  /// - Throws: A `CredentialError`: `rejected` if the server refuses or requires a login; `malformedResponse` without a
  ///   usable key; `failed` or `timeout` if the server cannot be reached; or the error of the closure.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let exchange = try ServiceExchange(source: source, in: context, timeout: .seconds(15))
    let response = try await exchange.send { () async throws(CredentialError) in try await preparedCall() }
    return try AppServerResponse(source: source, response: response).credential(as: format)
  }

  private func preparedCall() async throws(CredentialError) -> PreparedCall {
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
        remedy: "See the underlying error of the app's closure.", isRetryable: true, underlying: error)
    }
    let address = try RequestCheck(source: source).address(request.url, allowsPlainHTTP: allowsPlainHTTP)
    var headers = request.headers
    ActiveSpan.inject(into: &headers)
    let call = address.call(request.method, headers: headers, body: request.body)
    return PreparedCall(call, masks: call.confidentialValues)
  }
}

extension CredentialProvider where Self == AppServerCredentialProvider {
  /// Returns a provider that requests temporary keys from the app's own server, at a URL that requires no login.
  ///
  /// The parameters are those of the initializer of ``AppServerCredentialProvider``.
  public static func appServer(
    _ url: String, format: AppServerFormat = .automatic, allowsPlainHTTP: Bool = false
  ) -> AppServerCredentialProvider {
    AppServerCredentialProvider(url, format: format, allowsPlainHTTP: allowsPlainHTTP)
  }
}

/// A request to an app server, created for each credential so that it can carry the app's current login.
///
/// The headers and the body may contain a login: `print`, `dump` and `Mirror` do not show them.
public struct AppServerRequest: Sendable {
  /// The app server's URL with the scheme `https`, or `http` if the server runs on this machine.
  public var url: String
  /// The HTTP method of the request.
  public var method: HTTPRequest.Method
  /// The headers of the request, to which the provider adds `Content-Length`.
  public var headers: HTTPFields
  /// The body of the request.
  public var body: [UInt8]

  /// Creates a request to an app server; the parameters are the properties.
  public init(_ url: String, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: [UInt8] = []) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
  }
}

extension AppServerRequest: Redacted {
  /// A description that contains the method and the URL without its query.
  public var description: String { "AppServerRequest(\(method) \(ServiceURL(url)?.visible ?? Secret.mask))" }
}
