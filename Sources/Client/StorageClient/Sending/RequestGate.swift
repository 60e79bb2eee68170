// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A limit on the number of concurrent requests.
///
/// Waiting requests start in the order of their arrival. The cancellation of one does not affect the others.
final class RequestGate: Sendable {
  private struct State {
    var freePermits: Int
    var nextTicket = 0
    var waiters: [(ticket: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let state: Lock<State>

  init(limit: Int) {
    state = Lock(State(freePermits: limit))
  }

  /// Waits until the limit permits another request, and returns a permit, which counts until it is released.
  func enter() async throws -> Permit {
    try Task.checkCancellation()
    // Permits are free only if no request waits.
    let ticket: Int? = state.withLock { state in
      guard state.freePermits == 0 else {
        state.freePermits -= 1
        return nil
      }
      state.nextTicket += 1
      return state.nextTicket
    }
    if let ticket { try await wait(ticket) }
    return Permit(gate: self)
  }

  private func wait(_ ticket: Int) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let permission: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.freePermits > 0 {
            state.freePermits -= 1
            return .success(())
          }
          state.waiters.append((ticket, continuation))
          return nil
        }
        if let permission { continuation.resume(with: permission) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0).continuation }
      }
      waiter?.resume(throwing: CancellationError())
    }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard !state.waiters.isEmpty else {
        state.freePermits += 1
        return nil
      }
      return state.waiters.removeFirst().continuation
    }
    next?.resume()
  }

  /// A permit for a request in flight, which is returned when it is released or deallocated.
  final class Permit: Sendable {
    private let heldGate: Lock<RequestGate?>

    fileprivate init(gate: RequestGate) {
      heldGate = Lock(gate)
    }

    func release() {
      heldGate.withLock { $0.take() }?.leave()
    }

    deinit { release() }
  }
}

extension ByteStream {
  /// Returns a stream that returns the given permit when the stream ends, fails or is released.
  ///
  /// If the request is cancelled, the stream throws `CancellationError`, like every cancelled task.
  func holding(_ permit: RequestGate.Permit) -> ByteStream {
    ByteStream(chunks: { [self] in
      let iterator = makeAsyncIterator()
      return {
        do {
          let chunk = try await iterator.nextChunk()
          if chunk == nil { permit.release() }
          return chunk
        } catch {
          permit.release()
          throw (error as? TransportError)?.code == .cancelled ? CancellationError() : error
        }
      }
    })
  }
}
