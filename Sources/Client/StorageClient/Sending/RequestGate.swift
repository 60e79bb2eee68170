// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A limit on the number of concurrent requests, whose waiters get permits in the order of their arrival.
final class RequestGate: Sendable {
  private struct Waiter {
    let ticket: Int
    /// The continuation of the request, or `nil` until the request suspends.
    var continuation: CheckedContinuation<Void, any Error>?
  }

  private struct State {
    /// The number of permits that no request has; 0 if a request waits.
    var freePermitCount: Int
    var lastTicket = 0
    var queue: [Waiter] = []
  }

  /// Whether a request gives its permit back at the head of its response, so that the reader of its body can send others.
  @TaskLocal static var endsAtHead = false

  private let state: Lock<State>

  init(limit: Int) { state = Lock(State(freePermitCount: limit)) }

  /// Waits for a permit, or throws `CancellationError` if the task is cancelled first.
  func acquirePermit() async throws -> Permit {
    try Task.checkCancellation()
    if let ticket = takePermitOrJoinQueue() { try await waitForPermit(ticket: ticket) }
    return Permit(gate: self)
  }

  /// Takes a free permit and returns `nil`, or joins the queue and returns the ticket with which the request must wait.
  func takePermitOrJoinQueue() -> Int? {
    state.withLock { state in
      if state.freePermitCount > 0 {
        state.freePermitCount -= 1
        return nil
      }
      state.lastTicket += 1
      state.queue.append(Waiter(ticket: state.lastTicket))
      return state.lastTicket
    }
  }

  /// Waits until the request with a ticket has a permit; a cancelled request leaves the queue.
  func waitForPermit(ticket: Int) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let immediateResult: Result<Void, any Error>? = state.withLock { state in
          // A ticket that has left the queue has received its permit.
          guard let index = state.queue.lastIndex(where: { $0.ticket == ticket }) else { return .success(()) }
          if Task.isCancelled {
            state.queue.remove(at: index)
            return .failure(CancellationError())
          }
          state.queue[index].continuation = continuation
          return nil
        }
        if let immediateResult { continuation.resume(with: immediateResult) }
      }
    } onCancel: {
      // A request that has not suspended yet leaves the queue by itself.
      let waiter = state.withLock { state in
        state.queue.firstIndex { $0.ticket == ticket && $0.continuation != nil }.map { state.queue.remove(at: $0) }
      }
      waiter?.continuation?.resume(throwing: CancellationError())
    }
  }

  /// Passes a released permit to the first waiter, or makes it free if no request waits.
  private func returnPermit() {
    let firstWaiter = state.withLock { state -> Waiter? in
      guard !state.queue.isEmpty else {
        state.freePermitCount += 1
        return nil
      }
      return state.queue.removeFirst()
    }
    firstWaiter?.continuation?.resume()
  }

  /// A permit for a request in flight, which is returned to its gate when it is released or deallocated.
  final class Permit: Sendable {
    private let heldGate: Lock<RequestGate?>

    fileprivate init(gate: RequestGate) { heldGate = Lock(gate) }
    deinit { release() }
    func release() { heldGate.withLock { $0.take() }?.returnPermit() }
  }
}

extension ByteStream {
  /// Returns a stream that releases a permit when it ends, and throws `CancellationError` if the request is cancelled.
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
