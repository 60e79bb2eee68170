// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The record of the bytes, the duration and the result of one transfer, which emits one event at its end.
package final class TransferLedger: Sendable {
  private struct State {
    var byteCount: Int64 = 0
    var isClosed = false
  }

  private let events: EventHub
  private let time: any SigningClock
  private let subject: String
  private let progress: TransferProgress.Handler?
  private let start: Duration
  private let state = Lock(State())
  /// The span that is open until the ledger is closed, or `nil` if no instrument is installed.
  private let span: ActiveSpan?

  init(_ events: EventHub, _ time: any SigningClock, subject: String, progress: TransferProgress.Handler?) {
    self.events = events
    self.time = time
    self.subject = subject
    self.progress = progress
    start = time.uptime
    span = events.begin(AuthActivity(.operation, subject))
  }

  deinit { close("It was not read to its end.") }

  /// Creates a meter whose bytes the ledger counts, except those up to `start`, which an earlier process transferred.
  package func meter(total: Int64?, from start: Int64 = 0) -> ProgressMeter {
    ProgressMeter(total: total, from: start) { [self] progress in
      state.withLock { $0.byteCount = progress.completed - start }
      self.progress?(progress)
    }
  }

  func addBytes(_ count: Int) { state.withLock { $0.byteCount += Int64(count) } }
  func measure<Value>(_ body: () async throws -> Value) async throws -> Value { try await span.run(body) }

  /// Emits the event for the end of the transfer, unless the event was emitted before.
  func close(failure: (any Error)?) { close(failure.map(AuthActivity.Outcome.sentence)) }

  private func close(_ failure: String?) {
    let byteCount: Int64? = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed ? nil : state.byteCount
    }
    guard let byteCount else { return }
    events.emit(.transfer(.init(subject: subject, bytes: byteCount, duration: time.uptime - start, failure: failure)))
    span?.end(AuthActivity.Outcome(failure: failure))
  }
}

extension AuthActivity.Outcome {
  init<Value>(of result: Result<Value, any Error>) {
    switch result {
    case .success: self.init()
    case .failure(let error): self.init(failure: Self.sentence(error))
    }
  }

  /// Returns the description of an error whose type contains no secrets, or only the type name of another error.
  fileprivate static func sentence(_ error: any Error) -> String {
    switch error {
    case is any ActionableError, is any PrintableError: "\(error)"
    case is CancellationError: "It was cancelled."
    default: "\(type(of: error))"
    }
  }
}

extension ByteStream {
  /// Returns a stream of the same bytes that adds them to a ledger, and closes the ledger when it ends or fails.
  func recorded(in ledger: TransferLedger) -> ByteStream {
    ByteStream(chunks: { [self] in
      let iterator = makeAsyncIterator()
      return {
        do {
          let chunk = try await iterator.nextChunk()
          if let chunk { ledger.addBytes(chunk.byteCount) } else { ledger.close(failure: nil) }
          return chunk
        } catch {
          ledger.close(failure: error)
          throw error
        }
      }
    })
  }
}
