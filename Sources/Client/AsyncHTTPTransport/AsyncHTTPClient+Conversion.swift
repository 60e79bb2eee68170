// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import HTTPTypes
package import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import StorageAuth
internal import SystemPackage

extension HTTPClientRequest {
  /// Creates a client request with the path unchanged: not parsed, not normalized, and not encoded again.
  init(_ request: HTTPRequest, body: HTTPBody, on eventLoops: any EventLoopGroup) {
    let authority = request.authority ?? ""
    self.init(url: "\(request.scheme ?? "https")://\(authority)\(request.path ?? "/")")
    method = HTTPMethod(rawValue: request.method.rawValue)
    headers.add(name: "Host", value: authority)
    for field in request.headerFields where field.name.canonicalName != "host" {
      headers.add(name: field.name.rawName, value: field.value)
    }
    switch body.content {
    case .none:
      self.body = nil
    case .bytes(let bytes):
      self.body = .bytes(ByteBuffer(bytes: bytes))
    case .stream(let stream):
      self.body = .stream(BufferSequence(stream, eventLoops), length: .known(body.length))
    }
  }
}

extension HTTPResponse {
  init(_ response: HTTPClientResponse) {
    self.init(status: Status(code: Int(response.status.code), reasonPhrase: response.status.reasonPhrase))
    for (name, value) in response.headers {
      guard let name = HTTPField.Name(name) else { continue }
      headerFields.append(HTTPField(name: name, value: value))
    }
  }
}

extension TransportError {
  /// Creates a transport error from an error of the HTTP client, which connected through a proxy if there is one.
  init(_ error: any Error, host: String, proxy: ProxyServer? = nil) {
    switch error {
    case let error as TransportError:
      self = error
    case is CancellationError, HTTPClientError.cancelled as HTTPClientError:
      self.init(.cancelled, "The request to \(host) was cancelled.", remedy: "No action is required.")
    case HTTPClientError.proxyAuthenticationRequired as HTTPClientError:
      self.init(
        .invalidConfiguration, "The proxy \(proxy?.description ?? "") requires another login for \(host) (407).",
        remedy: "Put user:password@ before the host in the URL of the proxy, percent-encoded.")
    case HTTPClientError.invalidProxyResponse as HTTPClientError:
      self.init(
        .connectionFailed, "The proxy \(proxy?.description ?? "") refused a tunnel to \(host).",
        remedy: "Ask for access to this host and port, or exclude the host from the proxy (NO_PROXY).")
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
      self.init(
        .connectionFailed, "No secure connection to \(host) (\(Self.tlsReason(of: error))).",
        remedy: "Check the certificate of the service, and name its authority if it is a private one.")
    default:
      let route = proxy.map { "\(host) through the proxy \($0)" } ?? host
      self.init(Self.code(of: error), host: route, reason: Self.reason(of: error))
    }
  }

  private static func tlsReason(of error: any Error) -> String {
    if error is NIOSSLExtraError { return "the certificate is for another host" }
    return "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
      ? "the certificate is not from a trusted authority, or is not valid now" : "the TLS handshake failed"
  }

  private init(_ code: Code, host: String, reason: String) {
    switch code {
    case .timeout:
      self.init(code, "\(host) did not respond in time (\(reason)).", remedy: "Try again, or allow more time.")
    case .connectionFailed:
      self.init(code, "No connection to \(host) (\(reason)).", remedy: "Check the endpoint and the network.")
    case .invalidRequest:
      self.init(code, "The request to \(host) cannot be sent (\(reason)).", remedy: "Check the endpoint.")
    default:
      self.init(code, "The connection to \(host) was lost (\(reason)).", remedy: "Try again.")
    }
  }

  private static func code(of error: any Error) -> Code {
    switch error {
    case is NIOConnectionError: return .connectionFailed
    case ChannelError.connectTimeout: return .timeout
    case let error as IOError:
      let connectionErrors: [Errno] = [.connectionRefused, .hostIsDown, .networkUnreachable, .noRouteToHost]
      return connectionErrors.contains(Errno(rawValue: error.errnoCode)) ? .connectionFailed : .connectionLost
    case let error as HTTPClientError:
      let timeoutErrors: [HTTPClientError] = [
        .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
        .tlsHandshakeTimeout,
      ]
      let requestErrors: [HTTPClientError] = [
        .invalidURL, .emptyHost, .emptyScheme, .bodyLengthMismatch, .traceRequestWithBody, .contentLengthMissing,
      ]
      if timeoutErrors.contains(error) { return .timeout }
      return requestErrors.contains(error) ? .invalidRequest : .connectionLost
    default: return .connectionLost
    }
  }

  /// Returns a short name for the cause of an error, without an HTTP client's message, which can contain a header.
  private static func reason(of error: any Error) -> String {
    switch error {
    case let error as HTTPClientError: error.shortDescription
    case let error as IOError: Errno(rawValue: error.errnoCode).description
    case let error as ChannelError: "\(error)"
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { reason(of: $0.error) } ?? "name not resolved"
    default: "\(type(of: error))"
    }
  }
}

extension ByteBuffer: ByteChunk {
  package var byteCount: Int { readableBytes }

  package var array: [UInt8] { Array(buffer: self) }

  package func withSpan(_ body: (Span<UInt8>) -> Void) { body(readableBytesUInt8Span) }

  package func append(to bytes: inout [UInt8]) { bytes += readableBytesView }
}

/// A sequence of a stream's chunks as NIO buffers.
///
/// Chunks that are already buffers are not copied. Other chunks are copied into a few buffers in turn, whose memory is
/// reused once the previous bytes in it have been sent.
///
/// AsyncHTTPClient stops reading a body when the connection cannot accept more, which it learns on the connection's
/// event loop. If that event loop were behind, the client would read ahead without a bound. After each mebibyte, the
/// sequence therefore waits until all event loops have processed what they were given.
struct BufferSequence: AsyncSequence, Sendable {
  private let stream: ByteStream
  private let eventLoops: any EventLoopGroup

  /// Creates a sequence of a body's chunks, for the event loops of the client.
  init(_ stream: ByteStream, _ eventLoops: any EventLoopGroup) {
    self.stream = stream
    self.eventLoops = eventLoops
  }

  func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator(), eventLoops) }

  struct Iterator: AsyncIteratorProtocol {
    /// The number of buffers in turn; one whose bytes have not been sent when its turn comes gets new memory.
    private static let bufferCount = 4
    /// The number of bytes that are delivered before the event loops have processed the earlier ones.
    private static let leadByteLimit = 1 << 20

    private let base: ByteStream.AsyncIterator
    private let eventLoops: any EventLoopGroup
    /// The number of bytes that were delivered since the event loops were waited for.
    private var leadByteCount = 0
    private var buffers: [ByteBuffer] = []
    private var bufferIndex = 0

    fileprivate init(base: ByteStream.AsyncIterator, _ eventLoops: any EventLoopGroup) {
      self.base = base
      self.eventLoops = eventLoops
    }

    mutating func next() async throws -> ByteBuffer? {
      if leadByteCount >= Self.leadByteLimit {
        for eventLoop in eventLoops.makeIterator() { try await eventLoop.submit {}.get() }
        leadByteCount = 0
      }
      guard let chunk = try await base.nextChunk() else { return nil }
      leadByteCount = leadByteCount.checkedAdding(chunk.byteCount) ?? Self.leadByteLimit
      if let buffer = chunk as? ByteBuffer { return buffer }
      if buffers.isEmpty { buffers = Array(repeating: ByteBuffer(), count: Self.bufferCount) }
      bufferIndex = (bufferIndex + 1) % Self.bufferCount
      buffers[bufferIndex].clear(minimumCapacity: chunk.byteCount)
      chunk.withSpan { unsafe $0.withUnsafeBytes { _ = unsafe buffers[bufferIndex].writeBytes($0) } }
      return buffers[bufferIndex]
    }
  }
}
