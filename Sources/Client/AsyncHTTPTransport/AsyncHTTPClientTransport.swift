// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsyncHTTPClient
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
public import StorageAuth
internal import SystemPackage

/// A transport that sends requests with AsyncHTTPClient over HTTP/1.1.
///
/// Connections are pooled and shared. The transport neither follows redirects nor decompresses bodies, so the sent
/// bytes are the signed bytes, and the received bytes are the stored bytes.
public struct AsyncHTTPClientTransport: HTTPTransport {
  private let clients: ProxiedClients
  private let timeouts: HTTPTimeouts

  /// A transport with the default timeouts, shared by all clients in the process that were created without a transport.
  public static let shared = AsyncHTTPClientTransport()

  /// Creates a transport with separate connections, which are closed when the last copy of the transport is released.
  ///
  /// `connectionsPerHost` is the maximum number of concurrent connections to one host, at least 1. A request that waits
  /// for a connection longer than `timeouts.connect` fails.
  public init(timeouts: HTTPTimeouts = HTTPTimeouts(), connectionsPerHost: Int = 64) {
    self.init(Self.configuration(timeouts, connectionsPerHost), proxies: .direct, timeouts: timeouts)
  }

  /// Creates a transport with separate connections, which connects through proxies or trusts other authorities.
  ///
  /// ```swift
  /// let transport = try AsyncHTTPClientTransport(proxy: .environment, trustedRoots: .file("/etc/ssl/private-ca.pem"))
  /// ```
  ///
  /// `proxy` contains the proxies, and the hosts that are reached without them. `trustedRoots` are the certificate
  /// authorities that may issue the certificates of services; their file is read once, by this initializer. The other
  /// parameters are those of ``init(timeouts:connectionsPerHost:)``.
  ///
  /// - Throws: A `TransportError` with the code `invalidConfiguration` if the file of authorities cannot be used.
  public init(
    timeouts: HTTPTimeouts = HTTPTimeouts(), connectionsPerHost: Int = 64, proxy: ProxyConfiguration,
    trustedRoots: TrustedRoots = .system
  ) throws(TransportError) {
    var configuration = Self.configuration(timeouts, connectionsPerHost)
    configuration.tlsConfiguration = try trustedRoots.tlsConfiguration()
    self.init(configuration, proxies: proxy, timeouts: timeouts)
  }

  private init(_ configuration: HTTPClient.Configuration, proxies: ProxyConfiguration, timeouts: HTTPTimeouts) {
    clients = ProxiedClients(configuration, proxies: proxies)
    self.timeouts = timeouts
  }

  private static func configuration(_ timeouts: HTTPTimeouts, _ connectionsPerHost: Int) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: HTTPClient.Configuration.Timeout(connect: TimeAmount(timeouts.connect)), decompression: .disabled)
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, connectionsPerHost)
    configuration.connectionPool.retryConnectionEstablishment = false
    // Tracing would create a span for every request, which contains the URL including its signature.
    configuration.tracing.tracer = nil
    configuration.addHandlers(idleLimit: TimeAmount(timeouts.idle))
    return configuration
  }

  /// Creates a transport over an existing HTTP client, which its owner must shut down.
  ///
  /// - Parameters:
  ///   - client: The HTTP client. It must not follow redirects and must not decompress. AsyncHTTPClient 1.37.0
  ///     terminates the process on a response with a status below 100. A transport with its own connections rejects
  ///     such a response, limits the time without data, and reads a response that precedes the end of an upload; an
  ///     existing client must do that itself.
  ///   - request: The time limit from the start of a request to the head of its response, or `nil` for no limit.
  public init(client: HTTPClient, request: Duration? = nil) {
    clients = ProxiedClients(client)
    timeouts = HTTPTimeouts(request: request)
  }

  /// Sends one HTTP request.
  ///
  /// - Returns: The head of the response, and its body as it arrives.
  /// - Throws: A `TransportError` if the request is invalid or no response arrives.
  public func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    let host = request.authority ?? ""
    try Self.checkURLLength(of: request)
    try request.checkPath()
    let (client, proxy) = clients.client(for: request)
    do {
      let deadline = timeouts.request.map { NIODeadline.now() + TimeAmount($0) } ?? .distantFuture
      let clientRequest = HTTPClientRequest(request, body: body, on: client.eventLoopGroup)
      let clientResponse = try await client.execute(clientRequest, deadline: deadline)
      var response = HTTPStreamingResponse(
        response: HTTPResponse(clientResponse), body: stream(clientResponse.body, from: host))
      if clientResponse.version.major < 2, request.method != .head, !response.response.marksEndOfBody {
        response.endsWithConnection = { true }
      }
      return response
    } catch { throw TransportError(error, host: host, proxy: proxy) }
  }

  /// The maximum length of a URL in bytes; AsyncHTTPClient 1.37.0 terminates the process on a URL of more than 64 KB.
  private static let urlByteLimit = 60_000

  private static func checkURLLength(of request: HTTPRequest) throws(TransportError) {
    let byteCount = [request.scheme, request.authority, request.path].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    guard byteCount > urlByteLimit else { return }
    throw TransportError(
      .invalidRequest, "The URL has \(byteCount) bytes; at most \(urlByteLimit) are sent.",
      remedy: "Shorten the key, the parameters or the session token.")
  }

  /// Returns a stream of a response body, which keeps the connections open until it has been read.
  private func stream(_ body: HTTPClientResponse.Body, from host: String) -> ByteStream {
    ByteStream(chunks: { [clients] in
      var iterator = body.makeAsyncIterator()
      return {
        defer { withExtendedLifetime(clients) {} }
        do { return try await iterator.nextElement() } catch {
          throw TransportError(error, host: host)
        }
      }
    })
  }
}

extension AsyncHTTPClientTransport: Redacted {
  /// The name of the type; the configuration of the HTTP clients contains the login of the proxy.
  public var description: String { "AsyncHTTPClientTransport" }
}

/// The HTTP clients of a transport, each with its own proxy, because AsyncHTTPClient has one proxy for each client.
///
/// Clients that were created here are shut down when the last reference to this object is released.
private final class ProxiedClients: Sendable {
  private let directClient: HTTPClient
  private let proxiedClients: [(proxy: ProxyServer, client: HTTPClient)]
  private let proxies: ProxyConfiguration
  private let ownsClients: Bool

  init(_ client: HTTPClient) {
    directClient = client
    proxiedClients = []
    proxies = .direct
    ownsClients = false
  }

  init(_ configuration: HTTPClient.Configuration, proxies: ProxyConfiguration) {
    func makeClient(_ proxy: HTTPClient.Configuration.Proxy?) -> HTTPClient {
      var configuration = configuration
      configuration.proxy = proxy
      return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
    directClient = makeClient(nil)
    var servers = [proxies.https].compactMap(\.self)
    if let http = proxies.http, http != proxies.https { servers.append(http) }
    proxiedClients = servers.map { ($0, makeClient($0.clientProxy)) }
    self.proxies = proxies
    ownsClients = true
  }

  deinit {
    guard ownsClients else { return }
    for client in [directClient] + proxiedClients.map(\.client) { client.shutdown { _ in } }
  }

  /// Returns the client for the proxy of a request's host, or the one without a proxy.
  func client(for request: HTTPRequest) -> (client: HTTPClient, proxy: ProxyServer?) {
    guard let server = proxies.server(for: request.authority ?? "", scheme: request.scheme ?? "https"),
      let proxied = proxiedClients.first(where: { $0.proxy == server })
    else { return (directClient, nil) }
    return (proxied.client, server)
  }
}

extension ProxyServer {
  fileprivate var clientProxy: HTTPClient.Configuration.Proxy {
    .server(
      host: host, port: port, authorization: user.map { .basic(username: $0, password: password?.reveal() ?? "") })
  }
}

extension TrustedRoots {
  /// Returns the TLS settings with these authorities, or `nil` for the defaults of AsyncHTTPClient.
  func tlsConfiguration() throws(TransportError) -> TLSConfiguration? {
    guard let path else { return nil }
    let certificates = try Self.certificates(path)
    var tls = TLSConfiguration.makeClientConfiguration()
    if includesSystem {
      tls.additionalTrustRoots = [.certificates(certificates)]
    } else {
      tls.trustRoots = .certificates(certificates)
    }
    return tls
  }

  private static func certificates(_ path: String) throws(TransportError) -> [NIOSSLCertificate] {
    // The file is opened first because the reader of certificates does not tell a missing file from an invalid one.
    do { try FileDescriptor.open(FilePath(path), .readOnly).close() } catch {
      throw unusableFile(path, "cannot be read: \((error as? Errno)?.description ?? "\(error)")")
    }
    guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
      throw unusableFile(path, "contains no certificate in PEM form, or an invalid one")
    }
    return certificates
  }

  private static func unusableFile(_ path: String, _ reason: String) -> TransportError {
    TransportError(
      .invalidConfiguration, "The file of certificate authorities \(path) \(reason).",
      remedy: "Name a PEM file with the certificates of the authorities that issued those of the services.")
  }
}
