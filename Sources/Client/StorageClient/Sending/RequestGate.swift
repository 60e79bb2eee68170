// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#else
  internal import Glibc
#endif

/// A limit on the number of concurrent requests.
///
/// Waiting requests start in the order of their arrival. The cancellation of a waiting request does not affect the
/// others.
final class RequestGate: Sendable {
  private struct State {
    var free: Int
    var nextTicket = 0
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let state: Mutex<State>

  init(limit: Int) {
    state = Mutex(State(free: limit))
  }

  /// Waits until the limit permits another request, and returns a permit, which counts until it is released.
  func enter() async throws -> Permit {
    let ticket = state.withLock { state in
      state.nextTicket += 1
      return state.nextTicket
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let turn: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.free > 0 {
            state.free -= 1
            return .success(())
          }
          state.waiting.append((ticket, continuation))
          return nil
        }
        if let turn { continuation.resume(with: turn) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).continuation }
      }
      waiting?.resume(throwing: CancellationError())
    }
    return Permit(gate: self)
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume()
  }

  /// A permit for a request in flight, which is returned when it is released or deallocated.
  final class Permit: Sendable {
    private let gate: RequestGate
    private let isReleased = Atomic(false)

    fileprivate init(gate: RequestGate) {
      self.gate = gate
    }

    func release() {
      if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { gate.leave() }
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

/// The number of files and connections that the process may have open (`RLIMIT_NOFILE`), and what follows from it.
///
/// A transfer needs a connection to each of its services, a file and the folder of that file. With more transfers than
/// the limit permits, each of them would fail sooner or later because there are too many open files.
package struct OpenFileLimit: Sendable, Hashable {
  /// The maximum number of open files and connections.
  package let count: Int

  package init(count: Int) {
    self.count = count
  }

  package static var current: OpenFileLimit {
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return OpenFileLimit(count: .max) }
    return OpenFileLimit(count: Int(clamping: limit.rlim_cur))
  }

  /// Raises the limit of the process as far as the system permits, but not above what many transfers need.
  ///
  /// Programs that the process starts inherit the limit. Some of them cannot use files with high numbers, so the limit
  /// is not raised without need.
  package static func raise() {
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < useful else { return }
    limit.rlim_cur = min(limit.rlim_max, useful)
    _ = unsafe setrlimit(resource, &limit)
  }

  /// The maximum number of transfers, or requests of a client, at a time.
  package var transfers: Int { max(1, (count - min(count, reserved)) / filesPerTransfer) }

  /// The number of threads for connections, each of which needs files of its own.
  package func eventLoops(cores: Int) -> Int { max(1, min(cores, count / filesPerTransfer / filesPerEventLoop)) }

  /// Whether the process can open a connection at all.
  package var permitsConnections: Bool { count >= reserved + filesPerTransfer }
}

/// The standard streams, the event loops of a small machine, and what the system opens for names and certificates.
private let reserved = 12

/// A connection to each of two services, a file, and its folder.
private let filesPerTransfer = 4

/// The descriptors of a selector.
private let filesPerEventLoop = 3

private let useful: rlim_t = 4096

#if canImport(Glibc)
  private let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let resource = RLIMIT_NOFILE
#endif
