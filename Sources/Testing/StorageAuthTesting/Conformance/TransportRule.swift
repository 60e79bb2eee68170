// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A rule that an implementation of `HTTPTransport` must follow.
public enum TransportRule: String, CaseIterable, Sendable {
  /// The transport sends the path and the query unchanged.
  case path = "the path and the query of a signed request arrive byte for byte"
  /// The transport does not change an unusual path.
  case unusualPath = "an unusual path or query arrives byte for byte, or the request is rejected as invalid"
  /// The transport sends the header fields unchanged.
  case headers = "each header field arrives once with the same value, and Host is the authority"
  /// The transport does not change unusual header fields.
  case unusualHeaders = "an empty, repeated or non-ASCII header field arrives unchanged, or the request is rejected"
  /// The transport adds no header that changes the meaning of the request.
  case addedHeaders = "no header is added that the service would interpret"
  /// The transport sends a body with its length.
  case contentLength = "a body is sent with Content-Length, and without chunked encoding"
  /// The transport reads a streamed body as it sends it.
  case lazyUpload = "a streamed body is read only as far as the server accepts it"
  /// The transport starts a streamed body over for each request.
  case repeatedBody = "a streamed body can be sent again with a second request"
  /// The transport rejects a body that ends early.
  case shortBody = "a body that ends before its length fails, and the server does not receive a complete request"
  /// The transport rejects a body that continues after its length.
  case longBody = "a body that continues after its length fails, and the server receives no byte after the length"
  /// The transport reports a body that cannot be read.
  case failingBody = "a body that throws fails, and the server does not receive a complete request"
  /// The transport returns a response that arrives before the body has been sent.
  case earlyResponse = "a response that arrives during the upload is returned"
  /// The transport reads a response only as fast as its reader.
  case lazyDownload = "a response is received only as far as its body is read"
  /// The transport returns redirects.
  case redirects = "a redirect is returned and not followed"
  /// The transport returns the stored bytes.
  case contentEncoding = "a compressed body is returned as it was sent, or the response is rejected as invalid"
  /// The transport finds the end of a response.
  case framing = "a response with chunked encoding, or until the end of the connection, is returned whole"
  /// The transport skips the fields after a chunked body.
  ///
  /// Foundation of Swift 6.3 terminates the process on Linux in this case.
  case trailer = "the fields after a chunked body are not part of the body"
  /// The transport stores no cookies.
  case cookies = "a cookie of one response is not sent with the next request"
  /// The transport stores no responses.
  case cache = "a response that may be cached is requested again"
  /// The transport stores no credentials and answers no challenge.
  case challenge = "a response with status 401 and a challenge is returned, and the request is not repeated"
  /// The transport returns the head of a response to HEAD.
  case head = "the response to HEAD has its Content-Length and an empty body"
  /// The transport returns responses without a body.
  case bodilessStatus = "responses with status 204 and 304 have an empty body"
  /// The transport skips informational responses.
  case informational = "informational responses are followed by the final response"
  /// The transport reports a truncated body.
  case truncation = "a response whose body ends early has the code connectionLost"
  /// The transport reports a truncated head.
  ///
  /// Foundation of Swift 6.3 terminates the process on Linux in this case.
  case truncatedHead = "a response whose head ends early has the code connectionLost"
  /// The transport reports a connection that cannot be established.
  case refusal = "a refused connection has the code connectionFailed"
  /// The transport reports a lost connection.
  case loss = "a connection that is closed or reset before the response has the code connectionLost"
  /// The transport rejects what is not HTTP.
  case malformed = "a malformed response is an error"
  /// The transport continues to work after errors.
  case recovery = "the transport sends requests after errors"
  /// The transport does not repeat a request that may have had an effect.
  case repetition = "a POST or PUT whose connection is lost is not sent again"
  /// The transport ends a wait for bytes.
  case idleLimit = "a connection without bytes has the code timeout after the limit"
  /// The transport ends a request when its task is cancelled.
  case cancellation = "cancelling the task ends each phase of a request with the code cancelled, and the connection"
  /// The transport sends requests concurrently.
  case concurrency = "concurrent requests are in flight at the same time"
  /// The transport closes the connection of an unread response.
  case release = "releasing a response without reading its body closes the connection"
  /// The transport does not disclose secrets.
  case secrecy = "no error shows a header, the query or the body"
}
