// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

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
  /// - Returns: The status and the headers of the response, as soon as they arrive, with the body as a stream that
  ///   reads from the connection.
  /// - Throws: A ``TransportError`` if no response arrives.
  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse
}

/// An HTTP response whose body is read as it arrives.
public struct HTTPStreamingResponse: Sendable {
  /// The status and the headers of the response.
  public var response: HTTPResponse

  /// The body of the response, which can be iterated at most once.
  ///
  /// Releasing the body without reading it closes the connection.
  public var body: ByteStream

  /// A closure that returns, at the end of the body, whether only the end of the connection marked it.
  ///
  /// Such a body may be incomplete without a failure of the connection. The end of a body with `Content-Length`, with
  /// chunked encoding, or in an HTTP/2 stream is certain.
  package var endsWithConnection: @Sendable () -> Bool = { false }

  /// Creates a response from a status, headers and a body.
  ///
  /// - Parameters:
  ///   - response: The status and the headers of the response.
  ///   - body: The body of the response, which is iterated at most once.
  public init(response: HTTPResponse, body: ByteStream) {
    self.response = response
    self.body = body
  }
}

extension HTTPResponse {
  /// Whether the head of a response in HTTP/1 says where its body ends.
  ///
  /// The last transfer coding must be `chunked`, or there must be a `Content-Length`.
  package var marksEndOfBody: Bool {
    if status.code == 204 || status.code == 304 { return true }
    let codings = headerFields[values: .transferEncoding].joined(separator: ",")
    guard codings.isEmpty else {
      return codings.parts(between: ",").last.map { coding in
        coding.filter { $0 != " " && $0 != "\t" }.asciiLowercased.isIdentical(to: "chunked")
      } ?? false
    }
    return headerFields[.contentLength] != nil
  }
}
