// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageCrypto

/// An HTTP client that sends signed requests.
///
/// A transport sends exactly the given request, with the path byte for byte and the host from the authority. It adds no
/// header that changes the request's meaning, follows no redirects and decodes no content. Requests contain their
/// authorization: never log a request.
///
/// ```swift
/// struct Recorder: HTTPTransport {
///   func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
///     HTTPStreamingResponse(response: HTTPResponse(status: .ok), body: ByteStream([]))
///   }
/// }
/// ```
public protocol HTTPTransport: Sendable {
  /// Sends a signed HTTP request and returns the response.
  ///
  /// - Parameters:
  ///   - request: The signed request, whose `Content-Length` header is the length of the body.
  ///   - body: The body of the request.
  /// - Returns: The status and the headers, as soon as they arrive, with the body as a stream from the connection.
  /// - Throws: A ``TransportError`` if no response arrives.
  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse
}

/// An HTTP response whose body is read as it arrives.
public struct HTTPStreamingResponse: Sendable {
  /// The status and the headers of the response.
  public var response: HTTPResponse
  /// The body of the response, which can be iterated at most once; releasing it unread closes the connection.
  public var body: ByteStream
  /// A closure that returns, after the body, whether only the end of the connection marked the body's end.
  ///
  /// Such a body may be incomplete without a failure.
  package var endsWithConnection: @Sendable () -> Bool = { false }

  /// Creates a response from a status, headers and a body; the parameters are the properties.
  public init(response: HTTPResponse, body: ByteStream) {
    self.response = response
    self.body = body
  }
}

extension HTTPResponse {
  /// Whether the head of a response says where its body ends: by `chunked` as the last coding, or by `Content-Length`.
  package var marksEndOfBody: Bool {
    // Responses with these status codes have no body (RFC 9112, section 6.3).
    if status.code == 204 || status.code == 304 { return true }
    if let codings = headerFields.value(of: .transferEncoding), !codings.isEmpty {
      return codings.parts(between: ",").last?.trimmingBlanks.asciiLowercased.isIdentical(to: "chunked") ?? false
    }
    return headerFields.index(of: .contentLength) != nil
  }
}

/// The time limits of a transport for connections and requests.
public struct HTTPTimeouts: Sendable, Hashable {
  /// The time limit for establishing a connection.
  public var connect: Duration
  /// The time limit for a connection on which no bytes are sent or received.
  public var idle: Duration
  /// The time limit from the start of a request, including its body, to the response's head, or `nil` for no limit.
  public var request: Duration?

  /// Creates the time limits of a transport; the parameters are the properties.
  public init(connect: Duration = .seconds(10), idle: Duration = .seconds(60), request: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.request = request
  }
}

/// The certificate authorities that a transport trusts.
///
/// ```swift
/// let transport = try AsyncHTTPClientTransport(proxy: .direct, trustedRoots: .file("/etc/ssl/private-ca.pem"))
/// ```
public struct TrustedRoots: Sendable, Hashable {
  /// The path of a PEM file with further authorities, or `nil`.
  package let path: String?
  package let includesSystem: Bool
  /// The authorities that the system trusts.
  public static let system = TrustedRoots(path: nil, includesSystem: true)
  /// Returns the authorities of a PEM file with one certificate or several, in place of the system's.
  public static func file(_ path: String) -> TrustedRoots { TrustedRoots(path: path, includesSystem: false) }
  /// Returns the system's authorities and the authorities of a PEM file with one certificate or several.
  public static func systemAndFile(_ path: String) -> TrustedRoots { TrustedRoots(path: path, includesSystem: true) }
}

extension HTTPRequest {
  /// Returns a copy of the request to which a function has applied a change.
  package func with(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
    var request = self
    change(&request)
    return request
  }

  /// Checks that the path with its query can be part of a URL, so that an HTTP client need not change it.
  ///
  /// A changed path makes the signature wrong. Clients encode characters that a URL cannot contain (RFC 3986, sections
  /// 3.3 and 3.4), append a path without a slash to the host, or replace one that is not UTF-8 (Foundation).
  package func checkPath() throws(TransportError) {
    let path = path ?? "/"
    guard path.utf8.first == UInt8(ascii: "/") else { throw invalidPath("does not start with a slash") }
    guard path.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "-._~!$&'()*+,;=:@/?%".utf8.contains($0) }) else {
      throw invalidPath("contains a character that must be percent-encoded")
    }
    guard path.hasByte("%") else { return }
    guard let bytes = path.percentDecodedBytes() else {
      throw invalidPath("contains a percent sign without two hexadecimal digits")
    }
    guard String(utf8: bytes) != nil else { throw invalidPath("is not in UTF-8") }
  }

  private func invalidPath(_ problem: String) -> TransportError {
    TransportError(
      .invalidRequest, "The path of the request to \(authority ?? "") \(problem).",
      remedy: "Encode the path before the request is signed.")
  }
}

/// The body of an HTTP request, with its length.
///
/// The length is always known, because it is part of the signed request; a source of unknown length is split into parts
/// first. A body can be sent again after a failure, so a stream must start over for each iteration.
public struct HTTPBody: Sendable {
  /// The content of a request body.
  public enum Content: Sendable {
    /// The request has no body.
    case none
    /// The body consists of bytes in memory.
    case bytes([UInt8])
    /// The body is a stream of bytes that are read while they are sent.
    case stream(ByteStream)
  }

  /// The number of bytes in the body.
  public let length: Int64
  /// The content of the body.
  public let content: Content

  /// The body of a request that has no content.
  public static let none = HTTPBody(length: 0, content: .none)

  /// Creates a body from bytes in memory.
  public static func bytes(_ bytes: [UInt8]) -> HTTPBody {
    HTTPBody(length: Int64(bytes.count), content: .bytes(bytes))
  }

  /// Creates a body from a stream of bytes that are read while they are sent.
  ///
  /// - Parameters:
  ///   - stream: The content of the body; it must contain exactly `length` bytes and start over for each iteration.
  ///   - length: The number of bytes in the stream.
  public static func stream(_ stream: ByteStream, length: Int64) -> HTTPBody {
    HTTPBody(length: length, content: .stream(stream))
  }
}

extension HTTPBody: Redacted {
  /// The length of the body; the content is omitted because it may contain credentials.
  public var description: String { "HTTPBody(\(length) bytes)" }
}

/// The error for an HTTP request that received no complete response, without headers and query of the request.
public struct TransportError: DetailedError {
  /// The code, the message and the remedy.
  public let details: ErrorDetails<Code>

  /// Creates an error from its code, its message and its remedy.
  public init(_ details: ErrorDetails<Code>) { self.details = details }

  /// Whether sending the same request again can succeed.
  public var isRetryable: Bool { ![.cancelled, .invalidConfiguration, .invalidRequest].contains(code) }

  /// A code that identifies why an HTTP request received no complete response.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The task that sent the request was cancelled.
    public static let cancelled = Code(name: "cancelled")
    /// A connection to the host could not be established.
    public static let connectionFailed = Code(name: "connectionFailed")
    /// The connection was closed before the response was complete.
    public static let connectionLost = Code(name: "connectionLost")
    /// A setting of the transport is invalid, such as the URL of its proxy or the file of its certificate authorities.
    public static let invalidConfiguration = Code(name: "invalidConfiguration")
    /// The transport cannot send the request in its present form.
    public static let invalidRequest = Code(name: "invalidRequest")
    /// The connection made no progress for too long.
    public static let timeout = Code(name: "timeout")

    /// The name of the error code, such as `timeout`.
    public var description: String { name }
  }
}
