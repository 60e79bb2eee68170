public import HTTPTypes

/// Sends HTTP requests.
///
/// A transport sends exactly what it is given: the path byte for byte, the host as the authority says it, no header of
/// its own that changes the meaning, no redirect followed, no content decoded. Requests carry their authorization: never
/// log one.
///
/// ```swift
/// struct Recorder: HTTPTransport {
///   func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
///     HTTPStreamingResponse(response: HTTPResponse(status: .ok), body: ByteStream([]))
///   }
/// }
/// ```
public protocol HTTPTransport: Sendable {
  /// Sends one request.
  ///
  /// - Parameters:
  ///   - request: The request, signed; its `Content-Length` is the length of the body.
  ///   - body: The body.
  /// - Returns: The head of the answer, as soon as it is there, and its body as a stream that reads from the connection.
  /// - Throws: A ``TransportError`` if no answer came.
  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse
}

/// An answer: the head, and the body as it arrives.
public struct HTTPStreamingResponse: Sendable {
  /// Status and headers.
  public var response: HTTPResponse

  /// The body, to be iterated once.
  ///
  /// Whoever does not want it drops it, which closes the connection.
  public var body: ByteStream

  /// Puts an answer together.
  public init(response: HTTPResponse, body: ByteStream) {
    self.response = response
    self.body = body
  }
}
