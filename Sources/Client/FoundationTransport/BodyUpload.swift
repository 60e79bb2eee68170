// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The body of a request, which is read as far as the connection accepts its bytes.
final class BodyUpload: Sendable {
  private struct State {
    var pipe: BodyPipe?
    var readTask: Task<Void, Never>?
    var isStopped = false
    var isWaitingForSource = false
    var lastDelivery = ContinuousClock.now
  }

  private let stream: ByteStream
  private let declaredByteCount: Int64
  private let host: String
  private let state = Lock(State())

  init(_ body: HTTPBody, host: String) {
    stream =
      switch body.content {
      case .none: ByteStream([])
      case .bytes(let bytes): ByteStream(bytes)
      case .stream(let stream): stream
      }
    declaredByteCount = body.length
    self.host = host
  }

  var isWaitingForSource: Bool { state.withLock { $0.isWaitingForSource } }

  /// The time at which the source last delivered bytes or ended.
  var lastDelivery: ContinuousClock.Instant { state.withLock { $0.lastDelivery } }

  /// Starts reading the body, and returns a pipe with the first bytes; `reportError` receives an error of the source.
  func open(_ reportError: @escaping @Sendable (TransportError) -> Void) async -> BodyPipe {
    let pipe = BodyPipe()
    let readTask = Task { @concurrent in
      do throws(TransportError) {
        try await self.read(into: pipe)
        pipe.finish()
      } catch {
        pipe.fail()
        reportError(error)
      }
    }
    let isStopped = state.withLock { state in
      (state.pipe, state.readTask) = (pipe, readTask)
      return state.isStopped
    }
    if isStopped { stop() }
    await pipe.waitForFirstBytes()
    return pipe
  }

  /// Stops reading the body, and makes the session close the connection unless the body was complete.
  func stop() {
    let stoppedState = state.withLock { state in
      state.isStopped = true
      return state
    }
    stoppedState.readTask?.cancel()
    stoppedState.pipe?.fail()
  }

  /// Reads the body to its end, or until the pipe is no longer read.
  private func read(into pipe: BodyPipe) async throws(TransportError) {
    let iterator = stream.makeAsyncIterator()
    var remainingByteCount = declaredByteCount
    while remainingByteCount > 0 {
      guard let chunk = try await nextChunk(of: iterator) else { throw wrongLength("shorter") }
      remainingByteCount -= Int64(chunk.byteCount)
      // The last chunk waits until the source has ended, so that a service never stores the beginning of a longer body.
      let surplusChunk = remainingByteCount > 0 ? nil : try await nextChunk(of: iterator)
      guard remainingByteCount >= 0, surplusChunk == nil else { throw wrongLength("longer") }
      guard await pipe.write(chunk.array) else { return }
    }
  }

  /// Returns the next chunk that has bytes, and records the time for which the source is waited for.
  private func nextChunk(of iterator: ByteStream.AsyncIterator) async throws(TransportError) -> (any ByteChunk)? {
    state.withLock { $0.isWaitingForSource = true }
    defer { state.withLock { ($0.isWaitingForSource, $0.lastDelivery) = (false, .now) } }
    do {
      while let chunk = try await iterator.nextChunk() {
        if chunk.byteCount > 0 { return chunk }
      }
      return nil
    } catch let error as TransportError {
      throw error
    } catch is CancellationError {
      throw .cancelled(host: host)
    } catch { throw .lost(host: host, reason: "the body could not be read: \(type(of: error))") }
  }

  private func wrongLength(_ comparison: String) -> TransportError {
    TransportError(
      .invalidRequest,
      "The body of the request to \(host) is \(comparison) than the declared \(declaredByteCount) bytes.",
      remedy: "Pass the exact length of the body.")
  }
}
