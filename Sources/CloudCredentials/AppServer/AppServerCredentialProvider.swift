internal import HTTPTypes
public import StorageAuth

/// Temporary keys from one's own server, which holds the permanent key and decides who gets what.
///
/// The answer's `Date` header or, for COS, its start time tells the server's time; a wrong clock here does no harm then.
///
/// ```swift
/// let keys = AppServerCredentialProvider("https://app.example.com/distribute-token.json", transport: transport)
/// let own = AppServerCredentialProvider(source: "shop", transport: transport) {
///   AppServerRequest("https://shop.example.com/sts", method: .post, headers: [.authorization: await login.header()])
/// }
/// ```
public struct AppServerCredentialProvider: CredentialProvider {
  /// The name of the source.
  public let source: String

  private let shape: AppServerShape
  private let exchange: ServiceExchange
  private let allowsPlainHTTP: Bool
  private let makeRequest: @Sendable @concurrent () async throws -> AppServerRequest

  /// Asks an address that needs no login, with GET.
  ///
  /// - Parameters:
  ///   - url: The address; `https`, or `http` on this machine.
  ///   - shape: How the server writes credentials.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed: whoever listens on the way has the keys then.
  ///   - timeout: The most time for one answer.
  ///   - transport: Sends the request.
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

  /// Asks with a request that is made anew for each credential.
  ///
  /// - Parameters:
  ///   - source: The name of the source, for errors; without secrets.
  ///   - shape: How the server writes credentials.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed: whoever listens on the way has the keys then.
  ///   - timeout: The most time for making the request and for its answer.
  ///   - transport: Sends the request.
  ///   - time: The clocks.
  ///   - request: Makes the request, with the app's login. What it throws is passed on if it is a `CredentialError`.
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

  /// Asks the server.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `rejected` if the server refuses, or wants a login; `malformedAnswer` if it answers
  ///   with something else; `failed` and `timeout` if it cannot be reached.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Asks the server, and hears its time.
  ///
  /// - Returns: A temporary key, with the server's time.
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
      throw CredentialError(.cancelled, source: source, "The request was not made.", remedy: "Ask again.")
    } catch {
      throw CredentialError(
        .failed, source: source, "The request could not be made: the app threw \(type(of: error)).",
        remedy: "See why the app's closure throws.", isRetryable: true)
    }
    let address = try RequestCheck(source: source).address(request.url, allowsPlainHTTP: allowsPlainHTTP)
    let call = address.call(request.method, headers: request.headers, body: request.body)
    return PreparedCall(call, masks: call.confidentialWords)
  }
}
