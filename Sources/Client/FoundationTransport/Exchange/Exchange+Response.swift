// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth

#if canImport(FoundationNetworking)
  internal import Foundation
  package import FoundationNetworking
#else
  package import Foundation
#endif

extension Exchange {
  /// Accepts the head of a response.
  func received(_ response: HTTPURLResponse) {
    // An informational response is followed by the final one.
    guard response.statusCode >= 200 || response.statusCode == 101 else { return noteActivity() }
    do throws(TransportError) {
      let head = try HTTPResponse(response, to: request)
      let waiter = state.withLock { state in
        state.head = head
        state.lastActivity = .now
        state.chunks.expectedCount = request.hasResponseBody(head) ? head.contentLength : nil
        defer { state.headWaiter = nil }
        return state.headWaiter
      }
      waiter?.resume(returning: .success(head))
    } catch {
      end(.failure(error))
    }
  }

  /// Accepts bytes of the response's body.
  func received(_ data: Data) {
    guard !data.isEmpty else { return }
    let waiter = state.withLock { state -> CheckedContinuation<Result<Data?, TransportError>, Never>? in
      guard state.end == nil else { return nil }
      state.lastActivity = .now
      if let waiter = state.chunkWaiter {
        state.chunkWaiter = nil
        state.chunks.pass(data)
        return waiter
      }
      if state.chunks.append(data), let task = state.task { state.session?.pause(task) }
      return nil
    }
    waiter?.resume(returning: .success(data))
  }

  /// Returns the next bytes of the response's body, or `nil` at its end.
  func nextChunk() async throws(TransportError) -> Data? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result: Result<Data?, TransportError>? = state.withLock { state in
          if let (data, isSpaceFree) = state.chunks.removeFirst() {
            if isSpaceFree, let task = state.task {
              state.lastActivity = .now
              state.session?.resume(task)
            }
            return .success(data)
          }
          if let end = state.end { return end.map { nil } }
          state.chunkWaiter = continuation
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      end(.failure(.cancelled(host: request.host)))
    }
    return try result.get()
  }

  /// Accepts the end of the task.
  ///
  /// - Parameters:
  ///   - error: The session's error, or `nil` if the response is complete.
  ///   - response: The last response of the task.
  func completed(_ error: (any Error)?, _ response: HTTPURLResponse?) {
    releaseSession(isReusable: error == nil)
    if let error { return end(.failure(TransportError(error, host: request.host))) }
    let (hasHead, isShort) = state.withLock { ($0.head != nil, $0.chunks.isShort) }
    if hasHead {
      return end(
        isShort ? .failure(.lost(host: request.host, reason: "the response is shorter than declared")) : .success(()))
    }
    // Foundation withholds a redirect without a location, and the body of that response.
    guard let response else { return end(.failure(.lost(host: request.host, reason: "there is no response"))) }
    received(response)
    let isEmpty = state.withLock { state in
      state.head.map { $0.contentLength == 0 || !request.hasResponseBody($0) } ?? false
    }
    end(isEmpty ? .success(()) : .failure(.withheld(host: request.host)))
  }
}

extension ExactRequest {
  /// Returns whether the response with a head has a body.
  func hasResponseBody(_ head: HTTPResponse) -> Bool {
    !isHead && head.status.code != 204 && head.status.code != 304
  }
}

extension HTTPResponse {
  /// The number of bytes in the body, or `nil` if the head does not declare it.
  var contentLength: Int64? {
    headerFields[.contentLength].flatMap { Int64($0) }
  }

  /// The maximum number of header fields in a response.
  ///
  /// The services send about twenty.
  private static let mostFields = 1_000

  /// Creates the head of a response.
  ///
  /// - Throws: `TransportError` if the response is not valid in HTTP, or if its body has been decoded.
  init(_ response: HTTPURLResponse, to request: ExactRequest) throws(TransportError) {
    try self.init(response, from: request.host)
    let encoding = headerFields[.contentEncoding] ?? ""
    if encoding != "", encoding.asciiLowercased != "identity", request.hasResponseBody(self), contentLength != 0 {
      throw .decoded(host: request.host)
    }
  }

  /// Creates the head of a response.
  ///
  /// - Throws: `TransportError` if the response is not valid in HTTP.
  package init(_ response: HTTPURLResponse, from host: String) throws(TransportError) {
    guard (100...999).contains(response.statusCode) else {
      throw .lost(host: host, reason: "the response has the status \(response.statusCode)")
    }
    let fields = response.allHeaderFields
    guard fields.count <= Self.mostFields else {
      throw .lost(host: host, reason: "the response has \(fields.count) header fields")
    }
    self.init(status: Status(code: response.statusCode))
    for (name, value) in fields {
      guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else { continue }
      headerFields.append(HTTPField(name: name, value: value))
    }
  }
}
