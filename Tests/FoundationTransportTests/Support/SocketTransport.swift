// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StorageAuth

/// A small transport with one connection per request, which follows all rules for transports.
///
/// It shows how much a transport needs, and tests of the conformance suite change what it does.
struct SocketTransport: HTTPTransport {
  /// A part of a response that the transport accepts although it must not.
  enum Leniency {
    /// An informational response in place of the final one.
    case informationalHead
    /// A head without the empty line after it.
    case truncatedHead
    /// A status below 100.
    case lowStatus
    /// The fields after a chunked body, as part of the body.
    case trailer
  }

  var idle = Duration.seconds(60)
  var leniency: Leniency?

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    try request.checkPath()
    let exchange = SocketExchange(request, body: body, idle: idle, leniency: leniency)
    return try await withTaskCancellationHandler {
      await exchange.start()
    } onCancel: {
      exchange.fail(exchange.error(.cancelled, "cancelled"))
    }.get()
  }
}

/// A request on its connection.
final class SocketExchange: Sendable {
  private struct State {
    var socket: ClientSocket?
    var upload: Task<Void, Never>?
    var failure: TransportError?
  }

  let leniency: SocketTransport.Leniency?
  private let request: HTTPRequest
  private let body: HTTPBody
  private let idle: Duration
  private let state = Lock(State())

  init(_ request: HTTPRequest, body: HTTPBody, idle: Duration, leniency: SocketTransport.Leniency?) {
    self.request = request
    self.body = body
    self.idle = idle
    self.leniency = leniency
  }

  func error(_ code: TransportError.Code, _ reason: String) -> TransportError {
    TransportError(code, "The request to \(request.authority ?? "") failed (\(reason)).", remedy: "Try again.")
  }

  /// Ends the exchange; the first failure counts.
  func fail(_ failure: TransportError) {
    let ended = state.withLock { state in
      state.failure = state.failure ?? failure
      return state
    }
    ended.upload?.cancel()
    ended.socket?.shutDown()
  }

  /// Connects, sends the request, and reads the head of the response.
  func start() async -> Result<HTTPStreamingResponse, TransportError> {
    do throws(TransportError) {
      let port = request.authority?.split(separator: ":").last.flatMap { UInt16($0) } ?? 80
      let socket: ClientSocket
      do throws(ClientSocket.Failure) { socket = try ClientSocket(port: port, idle: idle) } catch {
        throw self.error(.connectionFailed, "errno \(error.code)")
      }
      let upload = Task { @concurrent in await self.upload(on: socket) }
      let failure = state.withLock { state in
        (state.socket, state.upload) = (socket, upload)
        return state.failure
      }
      if let failure { fail(failure) }
      let reader = SocketReader(self)
      let head = try await reader.head()
      let hasBody = request.method != .head && head.status.code != 204 && head.status.code != 304
      return .success(HTTPStreamingResponse(response: head, body: try reader.body(of: head, isEmpty: !hasBody)))
    } catch {
      fail(error)
      return .failure(error)
    }
  }

  /// Returns the next bytes of the response; an empty result is the end.
  func read() async throws(TransportError) -> [UInt8] {
    let (socket, known) = state.withLock { ($0.socket, $0.failure) }
    if let known { throw known }
    do {
      let bytes = try await socket?.read() ?? []
      if let failure = state.withLock({ $0.failure }) { throw failure }
      return bytes
    } catch let failure as ClientSocket.Failure {
      if let failure = state.withLock({ $0.failure }) { throw failure }
      throw failure.code == EAGAIN ? error(.timeout, "no bytes") : error(.connectionLost, "reset")
    } catch {
      throw error as? TransportError ?? self.error(.connectionLost, "\(type(of: error))")
    }
  }

  private func upload(on socket: ClientSocket) async {
    do {
      try await socket.write(Array(head.utf8))
      try await sendBody(on: socket)
    } catch let failure as TransportError {
      fail(failure)
    } catch {
      // A server that no longer reads may have sent a response.
    }
  }

  private var head: String {
    var lines = ["\(request.method) \(request.path ?? "/") HTTP/1.1", "Host: \(request.authority ?? "")"]
    lines += request.headerFields.map { "\($0.name.rawName): \($0.value)" }
    if body.length > 0, request.headerFields[.contentLength] == nil { lines.append("Content-Length: \(body.length)") }
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  private func sendBody(on socket: ClientSocket) async throws {
    switch body.content {
    case .none: break
    case .bytes(let bytes): try await socket.write(bytes)
    case .stream(let stream): try await send(stream, on: socket)
    }
  }

  /// Sends a stream, except for its last chunk until the stream has ended at its length.
  private func send(_ stream: ByteStream, on socket: ClientSocket) async throws {
    let iterator = stream.makeAsyncIterator()
    var left = body.length
    var chunk = try await next(iterator)
    while let bytes = chunk {
      left -= Int64(bytes.count)
      chunk = try await next(iterator)
      guard left >= 0, (left == 0) == (chunk == nil) else { throw error(.invalidRequest, "the body's length is wrong") }
      try await socket.write(bytes)
    }
    guard left == 0 else { throw error(.invalidRequest, "the body is too short") }
  }

  private func next(_ iterator: ByteStream.AsyncIterator) async throws -> [UInt8]? {
    do {
      while let chunk = try await iterator.next() {
        if !chunk.isEmpty { return chunk }
      }
      return nil
    } catch {
      throw self.error(.connectionLost, "the body failed")
    }
  }
}
