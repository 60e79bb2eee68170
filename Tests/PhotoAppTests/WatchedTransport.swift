// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageClient

/// A transport that records whether the main thread sends, and that can hold requests back.
final class WatchedTransport: HTTPTransport, @unchecked Sendable {
  private struct State {
    var sendings = 0
    var sendingsOnMainThread = 0
    var held: String?
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let lock = NSLock()
  private var state = State()

  /// The number of requests and chunks that were sent, and that of those sent on the main thread.
  var sendings: (all: Int, onMainThread: Int) { lock.withLock { (state.sendings, state.sendingsOnMainThread) } }

  /// Holds requests back whose path contains a text, until ``release()``.
  func hold(_ text: String) {
    lock.withLock { state.held = text }
  }

  /// Lets all requests pass.
  func release() {
    let waiters = lock.withLock {
      defer { state = State(sendings: state.sendings, sendingsOnMainThread: state.sendingsOnMainThread) }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    await withCheckedContinuation { continuation in
      let passes = lock.withLock {
        guard let held = state.held, request.path?.contains(held) == true else { return true }
        state.waiters.append(continuation)
        return false
      }
      if passes { continuation.resume() }
    }
    if request.method == .put { note() }
    return try await AsyncHTTPClientTransport.shared.send(request, body: watched(body))
  }

  private func watched(_ body: HTTPBody) -> HTTPBody {
    guard case .stream(let stream) = body.content else { return body }
    let watched = ByteStream { [self] in
      let iterator = stream.makeAsyncIterator()
      return {
        self.note()
        return try await iterator.next()
      }
    }
    return .stream(watched, length: body.length)
  }

  private func note() {
    let isMain = isMainThread()
    lock.withLock {
      state.sendings += 1
      if isMain { state.sendingsOnMainThread += 1 }
    }
  }
}

/// Returns whether the caller runs on the main thread; Foundation's property cannot be read in an asynchronous context.
private func isMainThread() -> Bool { Thread.isMainThread }
