internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth
internal import Synchronization

/// What a transfer moves, and when and how it ends; told once, at the end or when nobody goes on with it.
final class TransferLedger: Sendable {
  private struct State {
    var bytes: Int64 = 0
    var isClosed = false
  }

  private let events: AuthEvents
  private let time: any SigningClock
  private let subject: String
  private let progress: TransferProgress.Handler?
  private let start: Duration
  private let state = Mutex(State())

  init(_ events: AuthEvents, _ time: any SigningClock, subject: String, progress: TransferProgress.Handler?) {
    self.events = events
    self.time = time
    self.subject = subject
    self.progress = progress
    start = time.uptime
  }

  deinit {
    close("Nobody read it to its end.")
  }

  /// Adds up the bytes of a transfer and tells its progress.
  ///
  /// - Parameter total: The number of bytes in all, if that is known.
  func meter(total: Int64?) -> ProgressMeter {
    ProgressMeter(total: total) { [self] completed in
      state.withLock { $0.bytes = completed.completed }
      progress?(completed)
    }
  }

  /// Enters bytes that nobody is told the progress of.
  func enter(_ count: Int) {
    state.withLock { $0.bytes += Int64(count) }
  }

  /// Tells that the transfer has ended.
  func close(failure: (any Error)?) {
    close(failure.map(Self.sentence))
  }

  private func close(_ failure: String?) {
    let bytes: Int64? = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed ? nil : state.bytes
    }
    guard let bytes else { return }
    events.emit(
      .transfer(.init(subject: subject, bytes: bytes, duration: time.uptime - start, failure: failure)))
  }

  /// What an error says, if it is one that is known to hold no secret; of others only the type is told.
  private static func sentence(_ error: any Error) -> String {
    switch error {
    case is ServiceError, is TransportError, is StorageError, is SigningError, is CredentialError, is AsperaError,
      is TransferFailure:
      "\(error)"
    case is CancellationError: "It was cancelled."
    default: "\(type(of: error))"
    }
  }
}

extension ByteStream {
  /// The stream, with its bytes and its end entered into a ledger.
  func entered(into ledger: TransferLedger) -> ByteStream {
    ByteStream(chunks: { [self] in
      let iterator = makeAsyncIterator()
      return {
        do {
          let chunk = try await iterator.nextChunk()
          if let chunk { ledger.enter(chunk.byteCount) } else { ledger.close(failure: nil) }
          return chunk
        } catch {
          ledger.close(failure: error)
          throw error
        }
      }
    })
  }
}
