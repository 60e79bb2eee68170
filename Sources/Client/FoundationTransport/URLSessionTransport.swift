// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A transport that sends requests with `URLSession`, without SwiftNIO.
///
/// The transport sends the path and the headers of a request as they were signed, and rejects a request that
/// `URLSession` would change. It neither follows redirects nor stores cookies, responses or credentials. Proxies are those
/// of the system.
///
/// `URLSession` decodes a compressed response before the transport receives it. The transport therefore requests
/// `identity` encoding, and rejects a response with another `Content-Encoding`.
///
/// ```swift
/// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), transport: URLSessionTransport.shared)
/// ```
public struct URLSessionTransport: HTTPTransport {
  private let sessions: Sessions
  private let timeouts: HTTPTimeouts

  /// A transport with the default configuration and timeouts.
  public static let shared = URLSessionTransport()

  /// Creates a transport with separate connections, which are closed when the last copy of the transport is released and
  /// the last response has been read.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the session, of which the transport makes a copy. In the copy, cookies,
  ///     caches, stored credentials and additional headers are disabled, and time limits are replaced. A background
  ///     configuration is not supported.
  ///   - timeouts: The time limits for requests. `URLSession` does not report when a connection has been established, so
  ///     that the idle limit applies to this as well, instead of the limit for connections.
  public init(configuration: URLSessionConfiguration = .default, timeouts: HTTPTimeouts = HTTPTimeouts()) {
    sessions = Sessions(configuration: .transport(basedOn: configuration))
    self.timeouts = timeouts
  }

  /// Sends one HTTP request.
  ///
  /// - Parameters:
  ///   - request: The head of the request.
  ///   - body: The body of the request, which is read as it is sent.
  /// - Returns: The head of the response, and its body as it arrives.
  /// - Throws: A `TransportError` if `URLSession` would change the request, or no response arrives.
  public func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    let exact = try ExactRequest(request, body: body)
    let exchange = Exchange(exact, on: sessions, timeouts: timeouts)
    let head = await withTaskCancellationHandler {
      await exchange.start()
      return await exchange.head()
    } onCancel: {
      exchange.end(.failure(.cancelled(host: exact.host)))
    }
    let response = try head.get()
    var reply = HTTPStreamingResponse(response: response, body: ResponseReader(exchange).stream)
    if exact.hasResponseBody(response), !response.marksEndOfBody {
      reply.endsWithConnection = { [weak exchange] in exchange?.endsWithConnection ?? true }
    }
    return reply
  }
}

extension URLSessionConfiguration {
  /// Returns a copy of a configuration with the rules of a transport.
  static func transport(basedOn configuration: URLSessionConfiguration) -> URLSessionConfiguration {
    let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
    copy.urlCache = nil
    copy.requestCachePolicy = .reloadIgnoringLocalCacheData
    copy.httpCookieStorage = nil
    copy.httpCookieAcceptPolicy = .never
    copy.httpShouldSetCookies = false
    copy.urlCredentialStorage = nil
    copy.httpAdditionalHeaders = nil
    // The transport measures the limits itself, because a session also counts the time in which a reader or the source
    // of a body is slow.
    copy.timeoutIntervalForRequest = Self.longestInterval
    copy.timeoutIntervalForResource = Self.longestInterval
    return copy
  }

  private static let longestInterval: TimeInterval = 7 * 24 * 3_600
}
