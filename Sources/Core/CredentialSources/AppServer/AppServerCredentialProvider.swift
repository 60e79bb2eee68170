// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
  ///     passed on. A `CancellationError` becomes the error `cancelled`, and any other error the `underlying` one of
  ///     `failed`.
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
        remedy: "See the underlying error of the app's closure.", isRetryable: true, underlying: error)
    }
    let address = try RequestCheck(source: source).address(request.url, allowsPlainHTTP: allowsPlainHTTP)
    var headers = request.headers
    ActiveSpan.inject(into: &headers)
    let call = address.call(request.method, headers: headers, body: request.body)
    return PreparedCall(call, masks: call.confidentialWords)
  }
}

extension CredentialProvider where Self == AppServerCredentialProvider {
  /// Returns a provider that requests temporary keys from the app's own server, at a URL that requires no login.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.appServer("https://app.example.com/distribute-token.json"))
  /// ```
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
///
/// ```swift
/// AppServerRequest("https://app.example.com/sts", headers: [.authorization: "Bearer \(session.token)"])
/// ```
public struct AppServerRequest: Sendable {
  /// The app server's URL with the scheme `https`, or `http` if the server runs on this machine.
  public var url: String

  /// The HTTP method of the request.
  public var method: HTTPRequest.Method

  /// The headers of the request, to which the provider adds `Content-Length`.
  public var headers: HTTPFields

  /// The body of the request.
  public var body: [UInt8]

  /// Creates a request to an app server.
  ///
  /// - Parameters:
  ///   - url: The server's URL with the scheme `https`, or `http` if the server runs on this machine.
  ///   - method: The HTTP method.
  ///   - headers: The headers, including the app's login.
  ///   - body: The body.
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

/// A provider of temporary keys that an app's own server issues, each for the access that a request needs.
///
/// The provider posts the scope to the server as the list that Tencent Cloud's SDKs post: `[{"action": […], "bucket": …,
/// "region": …, "prefix": …}]`. `RequestedScope` of `StorageAuthServer` reads it, for every service. The server decides
/// whether the user may have the scope.
///
/// ```swift
/// let keys = ScopedAppServerProvider("https://app.example.com/sts", region: "cn-hangzhou") {
///   [.authorization: await login.header()]
/// }
/// ```
public struct ScopedAppServerProvider: ScopedCredentialProvider {
  private let url: String
  private let region: String
  private let format: AppServerFormat
  private let allowsPlainHTTP: Bool
  private let headers: @Sendable @concurrent () async throws -> HTTPFields

  /// Creates a provider that posts each scope to a URL.
  ///
  /// - Parameters:
  ///   - url: The server's URL with the scheme `https`, or `http` if the server runs on this machine.
  ///   - region: The region of the buckets, which the list of scopes contains.
  ///   - format: The format of the server's response.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed. An eavesdropper can then read the keys.
  ///   - headers: A closure that returns the app's login headers, called for each request.
  public init(
    _ url: String, region: String, format: AppServerFormat = .automatic, allowsPlainHTTP: Bool = false,
    headers: @escaping @Sendable @concurrent () async throws -> HTTPFields = { [:] }
  ) {
    self.url = url
    self.region = region
    self.format = format
    self.allowsPlainHTTP = allowsPlainHTTP
    self.headers = headers
  }

  /// Returns a provider that requests keys for one scope.
  ///
  /// - Parameter scope: The scope of the keys; a key or prefix that ends with `*` results in a `CredentialError`.
  public func provider(for scope: CredentialScope) -> any CredentialProvider<AccessKey> {
    let source = ServiceURL(url).map { "app server \($0.visible)" } ?? "app server"
    return AppServerCredentialProvider(
      source: source, format: format, allowsPlainHTTP: allowsPlainHTTP
    ) { [url, region, headers] in
      let body = try Self.document(of: scope, region: region, source: source)
      var fields = try await headers()
      fields[.contentType] = "application/json"
      return AppServerRequest(url, method: .post, headers: fields, body: body)
    }
  }

  private static func document(
    of scope: CredentialScope, region: String, source: String
  ) throws(CredentialError) -> [UInt8] {
    let elements = try scope.rules.map { rule throws(CredentialError) -> JSONValue in
      let actions = AccessAction.allCases.filter(rule.actions.contains).flatMap(Self.names)
      return [
        "action": .array(actions.map { .string($0) }), "bucket": .string(rule.bucket), "region": .string(region),
        "prefix": .string(try pattern(of: rule.objects, source)),
      ]
    }
    return JSONValue.array(elements).serialized
  }

  /// Returns object keys in the notation of the list: one key or, with a trailing `*`, all keys with a prefix.
  ///
  /// The slash at the start is not a part of the key.
  private static func pattern(of objects: ObjectScope, _ source: String) throws(CredentialError) -> String {
    let (text, suffix) =
      switch objects {
      case .all: ("", "*")
      case .prefix(let text): (text, "*")
      case .key(let text): (text, "")
      }
    guard !text.utf8.contains(UInt8(ascii: "*")), objects != .key("") else {
      throw CredentialError(
        .failed, source: source, "The list of scopes cannot express an empty key, or a key with *.",
        remedy: "Use another key, or widen the scope to a prefix without *.")
    }
    return "/\(text)\(suffix)"
  }

  private static func names(of action: AccessAction) -> [String] {
    switch action {
    case .read: ["name/cos:GetObject", "name/cos:HeadObject"]
    case .write:
      [
        "name/cos:PutObject", "name/cos:InitiateMultipartUpload", "name/cos:ListMultipartUploads", "name/cos:ListParts",
        "name/cos:UploadPart", "name/cos:CompleteMultipartUpload", "name/cos:AbortMultipartUpload",
      ]
    case .delete: ["name/cos:DeleteObject", "name/cos:DeleteMultipleObjects"]
    case .list: ["name/cos:GetBucket"]
    }
  }
}

extension ScopedAppServerProvider: Redacted {
  /// A description that contains the URL without its query.
  public var description: String { "ScopedAppServerProvider(\(ServiceURL(url)?.visible ?? Secret.mask))" }
}
