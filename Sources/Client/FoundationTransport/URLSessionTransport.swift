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
  /// The transport makes a copy of `configuration`, in which cookies, caches, stored credentials and additional headers
  /// are disabled, and time limits are replaced. A background configuration is not supported. The idle limit of
  /// `timeouts` replaces the limit for connections, because `URLSession` does not report when a connection has been
  /// established.
  public init(configuration: URLSessionConfiguration = .default, timeouts: HTTPTimeouts = HTTPTimeouts()) {
    sessions = Sessions(configuration: .transport(basedOn: configuration))
    self.timeouts = timeouts
  }

  /// Sends one HTTP request, whose body is read as it is sent.
  ///
  /// - Returns: The head of the response, and its body as it arrives.
  /// - Throws: A `TransportError` if `URLSession` would change the request, or no response arrives.
  public func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    let exactRequest = try ExactRequest(request, body: body)
    let exchange = URLSessionExchange(exactRequest, on: sessions, timeouts: timeouts)
    let head = await withTaskCancellationHandler {
      await exchange.start()
      return await exchange.head()
    } onCancel: {
      exchange.end(.failure(.cancelled(host: exactRequest.host)))
    }
    let response = try head.get()
    var reply = HTTPStreamingResponse(response: response, body: ResponseReader(exchange).stream)
    if exactRequest.hasResponseBody(response), !response.marksEndOfBody {
      reply.endsWithConnection = { [weak exchange] in exchange?.endsWithConnection ?? true }
    }
    return reply
  }
}

extension URLSessionConfiguration {
  /// Returns a copy of a configuration that neither stores nor adds anything.
  static func transport(basedOn configuration: URLSessionConfiguration) -> URLSessionConfiguration {
    let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
    copy.urlCache = nil
    copy.requestCachePolicy = .reloadIgnoringLocalCacheData
    copy.httpCookieStorage = nil
    copy.httpCookieAcceptPolicy = .never
    copy.httpShouldSetCookies = false
    copy.urlCredentialStorage = nil
    copy.httpAdditionalHeaders = nil
    // The transport measures the limits itself: a session also counts the time in which a reader or a source is slow.
    copy.timeoutIntervalForRequest = Self.maximumInterval
    copy.timeoutIntervalForResource = Self.maximumInterval
    return copy
  }

  /// A week, which is the session's own default for a resource.
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
  /// `byteCount` is the number of bytes in the body, or `nil` if the task determines it.
  ///
  /// - Throws: `TransportError` (`invalidRequest`) if the URL is invalid or `URLSession` would change the request.
  public init(_ presigned: PresignedRequest, bodyByteCount byteCount: Int64? = nil) throws(TransportError) {
    let schemeEnd = presigned.url.firstRange(of: "://")
    let authorityAndPath = schemeEnd.map { presigned.url[$0.upperBound...] } ?? ""
    let authority = authorityAndPath.prefix { $0 != "/" && $0 != "?" }
    let path = authorityAndPath[authority.endIndex...]
    let request = HTTPRequest(
      method: presigned.method, scheme: String(presigned.url.bytes(before: ":")), authority: String(authority),
      path: path.hasBytePrefix("/") ? String(path) : "/\(path)", headerFields: presigned.headers)
    try self.init(signed: request, bodyByteCount: byteCount)
  }

  /// Creates a request from a signed request, for a task of a session that the app owns.
  ///
  /// A signature in headers is valid for some minutes only. Presign a URL for a background session, which may wait hours.
  ///
  /// `byteCount` is the number of bytes in the body, as in a signed `Content-Length`, or `nil` if the task sets it.
  ///
  /// - Throws: `TransportError` (`invalidRequest`) if `URLSession` would change the request and void its signature.
  public init(signed request: HTTPRequest, bodyByteCount byteCount: Int64? = nil) throws(TransportError) {
    let count = byteCount ?? request.headerFields[.contentLength].flatMap { Int64(digits: $0) } ?? 0
    self = try ExactRequest(request, body: .stream(ByteStream([]), length: count)).urlRequest
  }
}
