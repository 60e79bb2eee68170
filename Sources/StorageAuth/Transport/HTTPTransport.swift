// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A transport that sends HTTP requests.
///
/// A transport sends exactly the given request: the path byte for byte and the host as in the authority. It adds no
/// header that changes the meaning, follows no redirect and decodes no content. Requests carry their authorization:
/// never log one.
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
  ///   - request: The signed request; its `Content-Length` is the length of the body.
  ///   - body: The body.
  /// - Returns: The head of the response, as soon as it arrives, and its body as a stream that reads from the
  ///   connection.
  /// - Throws: A ``TransportError`` if no response arrives.
  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse
}

/// A response: the head, and the body as it arrives.
public struct HTTPStreamingResponse: Sendable {
  /// The status and the headers.
  public var response: HTTPResponse

  /// The body, to be iterated at most once.
  ///
  /// Releasing the body without reading it closes the connection.
  public var body: ByteStream

  /// Creates a response from its head and its body.
  ///
  /// - Parameters:
  ///   - response: The status and the headers.
  ///   - body: The body, to be iterated at most once.
  public init(response: HTTPResponse, body: ByteStream) {
    self.response = response
    self.body = body
  }
}
