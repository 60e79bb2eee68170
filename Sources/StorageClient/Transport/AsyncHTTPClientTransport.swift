// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsyncHTTPClient
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// The default transport: AsyncHTTPClient over HTTP/1.1.
///
/// Connections are pooled and shared. The transport neither follows redirects nor decompresses bodies: the sent bytes
/// are those that were signed, and the received bytes are those that are stored.
public struct AsyncHTTPClientTransport: HTTPTransport {
  private let client: HTTPClient
  private let owner: Owner?
  private let timeouts: HTTPTimeouts

  /// A transport with the default timeouts, shared by all clients of the process without their own transport.
  public static let shared = AsyncHTTPClientTransport()

  /// Creates a transport with its own connections, which are closed when its last copy is released.
  ///
  /// - Parameters:
  ///   - timeouts: The time limits.
  ///   - connectionsPerHost: The maximum number of concurrent connections to one host; a soft limit.
  public init(timeouts: HTTPTimeouts = HTTPTimeouts(), connectionsPerHost: Int = 64) {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: HTTPClient.Configuration.Timeout(
        connect: TimeAmount(timeouts.connect), read: TimeAmount(timeouts.idle), write: TimeAmount(timeouts.idle)),
      decompression: .disabled)
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
    configuration.connectionPool.retryConnectionEstablishment = false
    // Tracing would create a span for every request, which contains the URL including its signature.
    configuration.tracing.tracer = nil
    configuration.checkStatuses()
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    owner = Owner(client: client)
    self.timeouts = timeouts
  }

  /// Creates a transport over an existing client, which its owner must shut down.
  ///
  /// - Parameters:
  ///   - client: The client. It must not follow redirects and must not decompress. AsyncHTTPClient 1.37.0 terminates
  ///     the process on a response with a status below 100; a transport with its own connections rejects such a
  ///     response, and a client that is passed in must reject it itself.
  ///   - request: The time limit for a request until the head of its response; `nil` for no limit.
  public init(client: HTTPClient, request: Duration? = nil) {
    self.client = client
    owner = nil
    timeouts = HTTPTimeouts(request: request)
  }

  /// Sends one request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - body: The body.
  /// - Returns: The head of the response, and its body as it arrives.
  /// - Throws: A `TransportError` if the request is invalid or there is no response.
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

  /// The maximum length of a URL in bytes.
  ///
  /// AsyncHTTPClient 1.37.0 terminates the process on a URL of more than 64 KB; the services accept far less.
  private static let longestURL = 60_000

  private static func checkLength(of request: HTTPRequest) throws(TransportError) {
    let parts = [request.scheme, request.authority, request.path]
    let count = parts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    guard count > longestURL else { return }
    throw TransportError(
      .invalidRequest, "The URL has \(count) bytes; at most \(longestURL) are sent.",
      remedy: "Shorten the key, the parameters or the session token.")
  }

  /// Returns the body of a response; it retains the owner of the connections until it has been read.
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

  /// A box that shuts the client down when its last reference is released.
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

/// The time limits of a transport.
public struct HTTPTimeouts: Sendable, Hashable {
  /// The time limit for establishing a connection.
  public var connect: Duration

  /// The time limit for a connection on which no bytes are sent or received.
  public var idle: Duration

  /// The time limit from the start of a request to the head of its response; `nil` for no limit.
  ///
  /// It includes the sending of the body.
  public var request: Duration?

  /// Creates the time limits.
  ///
  /// - Parameters:
  ///   - connect: The time limit for establishing a connection.
  ///   - idle: The time limit for a connection on which no bytes are sent or received.
  ///   - request: The time limit from the start of a request to the head of its response; `nil` for no limit.
  public init(connect: Duration = .seconds(10), idle: Duration = .seconds(60), request: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.request = request
  }
}
