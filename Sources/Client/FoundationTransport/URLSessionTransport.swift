// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
/// `URLSession` would change. It neither follows redirects nor stores cookies, responses or credentials. It uses the
/// system's proxies.
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

  /// Creates a transport with connections of its own, which are closed after its last copy and its last response.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the session, of which the transport makes a copy. In the copy, cookies,
  ///     caches, stored credentials and additional headers are disabled, and time limits are replaced. A background
  ///     configuration is not supported.
  ///   - timeouts: The time limits for requests. The idle limit replaces the limit for connections, because
  ///     `URLSession` does not report when a connection has been established.
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
    let exchange = URLSessionExchange(exact, on: sessions, timeouts: timeouts)
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
    copy.timeoutIntervalForRequest = Self.maximumInterval
    copy.timeoutIntervalForResource = Self.maximumInterval
    return copy
  }

  private static let maximumInterval: TimeInterval = 7 * 24 * 3_600
}

extension URLRequest {
  /// Creates a request with a presigned URL, for a task of a session that the app owns.
  ///
  /// ```swift
  /// let presigned = try await client.presign(
  ///   .put, "cat.jpg", contentType: "image/jpeg", validFor: .seconds(6 * 3_600))
  /// let task = session.uploadTask(with: try URLRequest(presigned), fromFile: file)
  /// ```
  ///
  /// - Parameters:
  ///   - presigned: The method, the URL and the headers that the URL's user must send.
  ///   - byteCount: The number of bytes in the body, or `nil` if the task determines it.
  /// - Throws: `TransportError` (`invalidRequest`) if the URL is invalid or `URLSession` would change the request.
  public init(_ presigned: PresignedRequest, bodyByteCount byteCount: Int64? = nil) throws(TransportError) {
    let rest = presigned.url.firstRange(of: "://").map { presigned.url[$0.upperBound...] } ?? ""
    let path = rest.drop { $0 != "/" && $0 != "?" }
    try self.init(
      signed: HTTPRequest(
        method: presigned.method, scheme: String(presigned.url.prefix { $0 != ":" }),
        authority: String(rest.prefix { $0 != "/" && $0 != "?" }),
        path: path.hasBytePrefix("/") ? String(path) : "/\(path)", headerFields: presigned.headers),
      bodyByteCount: byteCount)
  }

  /// Creates a request from a signed request, for a task of a session that the app owns.
  ///
  /// A signature in headers is valid for some minutes only. For a background session, whose tasks the system may start
  /// hours later, presign a URL.
  ///
  /// - Parameters:
  ///   - request: The signed request.
  ///   - byteCount: The number of bytes in the body, as in a signed `Content-Length`, or `nil` if the task sets it.
  /// - Throws: `TransportError` (`invalidRequest`) if `URLSession` would change the request and void its signature.
  public init(signed request: HTTPRequest, bodyByteCount byteCount: Int64? = nil) throws(TransportError) {
    let count = byteCount ?? request.headerFields[.contentLength].flatMap { Int64(digits: $0) } ?? 0
    self = try ExactRequest(request, body: .stream(ByteStream([]), length: count)).urlRequest
  }
}
