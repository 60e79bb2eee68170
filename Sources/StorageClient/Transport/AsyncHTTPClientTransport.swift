public import AsyncHTTPClient
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// The transport that is used unless another one is named: AsyncHTTPClient over HTTP/1.1.
///
/// Connections are kept and shared. Redirects are not followed and nothing is decompressed: what is sent is what was
/// signed, and what arrives is what is stored.
public struct AsyncHTTPClientTransport: HTTPTransport {
  private let client: HTTPClient
  private let owner: Owner?
  private let timeouts: HTTPTimeouts

  /// A transport with the default timeouts, shared by everyone in the process who names no other.
  public static let shared = AsyncHTTPClientTransport()

  /// Makes a transport with connections of its own; they are closed when the last copy of it is gone.
  ///
  /// - Parameters:
  ///   - timeouts: How long to wait.
  ///   - connectionsPerHost: How many connections are kept busy at once to one host.
  public init(timeouts: HTTPTimeouts = HTTPTimeouts(), connectionsPerHost: Int = 64) {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: HTTPClient.Configuration.Timeout(
        connect: TimeAmount(timeouts.connect), read: TimeAmount(timeouts.idle), write: TimeAmount(timeouts.idle)),
      decompression: .disabled)
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
    configuration.connectionPool.retryConnectionEstablishment = false
    // A span would be made for every request, and tell the URL with the signature in it.
    configuration.tracing.tracer = nil
    configuration.checkStatuses()
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    owner = Owner(client: client)
    self.timeouts = timeouts
  }

  /// Makes a transport over a client that somebody else shuts down.
  ///
  /// - Parameters:
  ///   - client: The client. It must not follow redirects and must not decompress. AsyncHTTPClient 1.37.0 ends the
  ///     process on an answer with a status below 100; a transport that makes its own connections refuses such an answer,
  ///     and a client that is passed in has to refuse it itself.
  ///   - request: How long a request may take until the head of its answer; unlimited if not given.
  public init(client: HTTPClient, request: Duration? = nil) {
    self.client = client
    owner = nil
    timeouts = HTTPTimeouts(request: request)
  }

  /// Sends one request.
  public func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    let host = request.authority ?? ""
    try Self.checkLength(of: request)
    do {
      let deadline = timeouts.request.map { NIODeadline.now() + TimeAmount($0) } ?? .distantFuture
      let answer = try await client.execute(HTTPClientRequest(request, body: body), deadline: deadline)
      return HTTPStreamingResponse(response: HTTPResponse(answer), body: stream(answer.body, from: host))
    } catch {
      throw TransportError(error, host: host)
    }
  }

  /// The most bytes of a URL.
  ///
  /// AsyncHTTPClient 1.37.0 ends the process on one of more than 64 KB; the services take far less.
  private static let longestURL = 60_000

  private static func checkLength(of request: HTTPRequest) throws(TransportError) {
    let parts = [request.scheme, request.authority, request.path]
    let count = parts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    guard count > longestURL else { return }
    throw TransportError(
      .invalidRequest, "The URL has \(count) bytes; at most \(longestURL) are sent.",
      remedy: "Shorten the key, the parameters or the session token.")
  }

  /// The body of an answer; it keeps the connections alive until it has been read.
  private func stream(_ body: HTTPClientResponse.Body, from host: String) -> ByteStream {
    ByteStream(chunks: { [owner] in
      var iterator = body.makeAsyncIterator()
      return {
        defer { withExtendedLifetime(owner) {} }
        do {
          return try await iterator.next(isolation: #isolation)
        } catch {
          throw TransportError(error, host: host)
        }
      }
    })
  }

  /// Shuts the client down when nobody can use it any more.
  private final class Owner: Sendable {
    let client: HTTPClient

    init(client: HTTPClient) {
      self.client = client
    }

    deinit {
      client.shutdown { _ in }
    }
  }
}

/// How long a transport waits.
public struct HTTPTimeouts: Sendable, Hashable {
  /// Until a connection is made.
  public var connect: Duration

  /// While nothing is sent and nothing arrives.
  public var idle: Duration

  /// From the start of a request to the head of its answer, the sending of the body included; unlimited if not given.
  public var request: Duration?

  /// Sets the times.
  public init(connect: Duration = .seconds(10), idle: Duration = .seconds(60), request: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.request = request
  }
}
