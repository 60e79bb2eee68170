// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A limit on the number of concurrent requests, whose waiters get permits in the order of their arrival.
final class RequestGate: Sendable {
  private struct Permits {
    var freeCount: Int
    var nextTicket = 0
    var waiters: [(ticket: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let permits: Lock<Permits>

  init(limit: Int) { permits = Lock(Permits(freeCount: limit)) }

  func acquirePermit() async throws -> Permit {
    try Task.checkCancellation()
    // Permits are free only if no request waits.
    let ticket: Int? = permits.withLock { permits in
      guard permits.freeCount == 0 else {
        permits.freeCount -= 1
        return nil
      }
      permits.nextTicket += 1
      return permits.nextTicket
    }
    if let ticket { try await waitForPermit(ticket: ticket) }
    return Permit(gate: self)
  }

  private func waitForPermit(ticket: Int) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let immediateResult: Result<Void, any Error>? = permits.withLock { permits in
          if Task.isCancelled { return .failure(CancellationError()) }
          if permits.freeCount > 0 {
            permits.freeCount -= 1
            return .success(())
          }
          permits.waiters.append((ticket, continuation))
          return nil
        }
        if let immediateResult { continuation.resume(with: immediateResult) }
      }
    } onCancel: {
      let waiter = permits.withLock { permits in
        permits.waiters.firstIndex { $0.ticket == ticket }.map { permits.waiters.remove(at: $0).continuation }
      }
      waiter?.resume(throwing: CancellationError())
    }
  }

  /// Passes a released permit to the first waiter, or makes it free if no request waits.
  private func returnPermit() {
    let next = permits.withLock { permits -> CheckedContinuation<Void, any Error>? in
      guard !permits.waiters.isEmpty else {
        permits.freeCount += 1
        return nil
      }
      return permits.waiters.removeFirst().continuation
    }
    next?.resume()
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
