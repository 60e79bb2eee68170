// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageClient
import Synchronization

/// A transport that records whether the main thread sends, and that can hold requests back.
final class WatchedTransport: HTTPTransport {
  private struct State {
    var sendings = 0
    var sendingsOnMainThread = 0
    var held: String?
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// The number of requests and chunks that were sent, and that of those sent on the main thread.
  var sendings: (all: Int, onMainThread: Int) { state.withLock { ($0.sendings, $0.sendingsOnMainThread) } }

  /// Holds requests back whose path contains a text, until ``release()``.
  func hold(_ text: String) {
    state.withLock { $0.held = text }
  }

  /// Lets all requests pass.
  func release() {
    let waiters = state.withLock { state in
      defer { state = State(sendings: state.sendings, sendingsOnMainThread: state.sendingsOnMainThread) }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    await withCheckedContinuation { continuation in
      let passes = state.withLock { state in
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
    state.withLock { state in
      state.sendings += 1
      if isMain { state.sendingsOnMainThread += 1 }
    }
  }
}

/// Returns whether the caller runs on the main thread; Foundation's property cannot be read in an asynchronous context.
private func isMainThread() -> Bool { Thread.isMainThread }
