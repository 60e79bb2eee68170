// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The progress of an upload or a download: the number of transferred bytes, and the total.
public struct TransferProgress: Sendable, Hashable {
  /// The type of a function that receives the progress of a transfer.
  public typealias Handler = @Sendable (TransferProgress) -> Void

  /// The number of bytes that were passed to the network or received from it, which never decreases.
  public let completed: Int64
  /// The total number of bytes to transfer, or `nil` if it is unknown.
  public let total: Int64?

  /// Creates a progress value, for implementations of ``ObjectStore``; the parameters are the properties.
  public init(completed: Int64, total: Int64?) {
    self.completed = completed
    self.total = total
  }

  /// The completed fraction of the transfer, from 0 to 1, or 0 while the total is unknown.
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

/// A meter that computes the checksum and the length of a body while it is sent, and records the source's error.
final class BodyMeter: Sendable {
  private struct State {
    /// The number of the current attempt; reads of earlier attempts, which may end late, are not measured.
    var attempt = 0
    var crc: CRC
    var sentCount: Int64 = 0
    /// The greatest number of bytes that any attempt has sent; only bytes beyond it count as progress.
    var reportedCount: Int64 = 0
    var sourceError: (any Error)?
  }

  private let length: Int64
  private let progress: ProgressMeter
  private let algorithm: ObjectChecksum.Algorithm
  private let state: Lock<State>

  init(length: Int64, _ algorithm: ObjectChecksum.Algorithm, progress: ProgressMeter) {
    self.length = length
    self.algorithm = algorithm
    self.progress = progress
    state = Lock(State(crc: CRC(algorithm.crc)))
  }

  var checksum: ObjectChecksum { ObjectChecksum(algorithm, state.withLock { $0.crc.checksum }) }

  /// The error of the body's source, or `nil`; the transport only reports that it could not send the body.
  var sourceError: (any Error)? { state.withLock { $0.sourceError } }

  /// Returns a request body that the meter measures anew for each attempt.
  func body(of stream: ByteStream) -> HTTPBody {
    let measured = ByteStream(chunks: { [self] in
      let attempt = state.withLock { state in
        state = State(attempt: state.attempt + 1, crc: CRC(algorithm.crc), reportedCount: state.reportedCount)
        return state.attempt
      }
      let iterator = stream.makeAsyncIterator()
      return { [self] in
        do {
          let chunk = try await iterator.nextChunk()
          try record(chunk, of: attempt)
          return chunk
        } catch {
          state.withLock { if $0.attempt == attempt { $0.sourceError = error } }
          throw error
        }
      }
    })
    return .stream(measured, length: length)
  }

  /// Records a chunk or the end of the body of an attempt, or throws an error if the length is not the announced one.
  private func record(_ chunk: (any ByteChunk)?, of attempt: Int) throws {
    let recorded = state.withLock { state -> (sentCount: Int64, advance: Int64)? in
      guard state.attempt == attempt else { return nil }
      guard let chunk else { return (state.sentCount, 0) }
      chunk.withSpan { state.crc.update($0) }
      state.sentCount += Int64(chunk.byteCount)
      let advance = state.sentCount - state.reportedCount
      state.reportedCount = max(state.reportedCount, state.sentCount)
      return (state.sentCount, advance)
    }
    guard let (sentCount, advance) = recorded else { return }
    let isAtEnd = chunk == nil
    guard isAtEnd ? sentCount == length : sentCount <= length else { throw StorageError.sourceChanged(from: length) }
    progress.advance(by: advance)
  }
}

extension TransportError {
  /// Throws the error of the body's source, or else a `CancellationError`, if one of them caused this error.
  func throwCause(recordedBy meter: BodyMeter?) throws {
    if let sourceError = meter?.sourceError, !(sourceError is CancellationError) { throw sourceError }
    if code == .cancelled { throw CancellationError() }
  }
}
