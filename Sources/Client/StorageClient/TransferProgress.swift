// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The progress of an upload or a download: the number of transferred bytes, and the total.
public struct TransferProgress: Sendable, Hashable {
  /// The type of a function that receives the progress of a transfer.
  public typealias Handler = @Sendable (TransferProgress) -> Void

  /// The number of bytes that were passed to the network or received from it.
  ///
  /// The number never decreases.
  public let completed: Int64

  /// The total number of bytes to transfer, or `nil` if it is unknown.
  public let total: Int64?

  /// Creates a progress value for an implementation of ``ObjectStore``.
  ///
  /// - Parameters:
  ///   - completed: The number of transferred bytes.
  ///   - total: The total number of bytes, or `nil` if it is unknown.
  public init(completed: Int64, total: Int64?) {
    self.completed = completed
    self.total = total
  }

  /// The completed fraction of the transfer, from 0 to 1.
  ///
  /// The fraction is 0 while the total is unknown.
  public var fractionCompleted: Double {
    guard let total else { return 0 }
    return total <= 0 ? 1 : min(1, Double(completed) / Double(total))
  }
}

/// A meter that adds up the bytes of a transfer's parts and reports the progress, one call at a time.
package final class ProgressMeter: Sendable {
  private let total: Int64?
  private let handler: TransferProgress.Handler?
  private let completed: Lock<Int64>

  /// Creates a meter, which starts at the number of bytes that an earlier process transferred.
  package init(total: Int64?, from start: Int64 = 0, handler: TransferProgress.Handler?) {
    self.total = total
    self.handler = handler
    completed = Lock(start)
  }

  package func advance(by count: Int64) {
    guard let handler, count > 0 else { return }
    completed.withLock { completed in
      completed = completed.saturatingAdding(count)
      handler(TransferProgress(completed: completed, total: total))
    }
  }
}

/// A ledger that records the bytes, duration and result of one transfer, and emits one event at its end.
package final class TransferLedger: Sendable {
  private struct State {
    var bytes: Int64 = 0
    var isClosed = false
  }

  private let events: EventHub
  private let time: any SigningClock
  private let subject: String
  private let progress: TransferProgress.Handler?
  private let start: Duration
  private let state = Lock(State())
  /// The span that measures the transfer until the ledger is closed, or `nil` if no instrument is installed.
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

  /// Creates a meter that records the transferred bytes in the ledger and reports the progress of the transfer.
  ///
  /// The ledger does not count the bytes up to `start`, which an earlier process transferred.
  package func meter(total: Int64?, from start: Int64 = 0) -> ProgressMeter {
    ProgressMeter(total: total, from: start) { [self] completed in
      state.withLock { $0.bytes = completed.completed - start }
      progress?(completed)
    }
  }

  /// Adds a number of transferred bytes to the ledger, without reporting progress.
  func enter(_ count: Int) { state.withLock { $0.bytes += Int64(count) } }

  /// Runs a part of the transfer inside its span.
  func measure<Value>(_ body: () async throws -> Value) async throws -> Value { try await span.run(body) }

  /// Emits the event for the end of the transfer, unless the event was emitted before.
  func close(failure: (any Error)?) { close(failure.map(AuthActivity.Outcome.sentence)) }

  private func close(_ failure: String?) {
    let bytes: Int64? = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed ? nil : state.bytes
    }
    guard let bytes else { return }
    events.emit(.transfer(.init(subject: subject, bytes: bytes, duration: time.uptime - start, failure: failure)))
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

  /// Returns an error's description if its type contains no secrets, or only the type name of other errors.
  fileprivate static func sentence(_ error: any Error) -> String {
    switch error {
    case is any ActionableError, is any PrintableError: "\(error)"
    case is CancellationError: "It was cancelled."
    default: "\(type(of: error))"
    }
  }
}

extension ByteStream {
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

/// The record of one attempt to send a request, for its event and its span.
struct AttemptRecord {
  let activity: AuthActivity
  /// The uptime at which the request was passed to the transport, or `nil` if it was not.
  var start: Duration?
  /// The status code of the response, or `nil` as long as there is none.
  var status: Int?

  init(_ subject: String, number: Int) {
    activity = AuthActivity(.attempt, subject, attempt: number)
  }

  /// Returns the event for the end of the attempt, or `nil` if the request was not sent.
  func event(of outcome: Refusal.Outcome<some Any>, at uptime: Duration) -> AuthEvent.Request? {
    guard let start, let number = activity.attempt else { return nil }
    return AuthEvent.Request(
      subject: activity.subject, attempt: number, status: status, failure: outcome.failure?.kind,
      duration: uptime - start)
  }
}

extension Refusal.Outcome {
  /// The kind of the attempt's failure, such as `accessDenied`, with a description, or `nil` if the attempt succeeded.
  fileprivate var failure: (kind: String, sentence: String)? {
    switch self {
    case .done: nil
    case .refused(let refusal): ("\(refusal.error.kind)", "\(refusal.error)")
    case .lost(let error): ("\(error.code)", "\(error)")
    case .unsigned(let error): ("\(error.code)", "\(error)")
    }
  }
}

extension AuthActivity.Outcome {
  /// Creates the outcome of an attempt, which fails even if another attempt follows.
  init<Value>(ofAttempt result: Result<Refusal.Outcome<Value>, any Error>, status: Int?) {
    if case .success(let outcome) = result {
      self.init(status: status, failure: outcome.failure?.sentence)
    } else {
      self.init(of: result)
      self.status = status
    }
  }
}
