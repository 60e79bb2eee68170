// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import Synchronization

/// A meter that computes the checksum and the length of a request body while the body is sent, and records source
/// errors.
final class BodyMeter: Sendable {
  private struct State {
    var checksum: CRC
    var count: Int64 = 0
    /// The greatest number of bytes that any attempt has sent.
    ///
    /// Only bytes beyond this number count as progress.
    var furthest: Int64 = 0
    var failure: (any Error)?
  }

  private let length: Int64
  private let progress: ProgressMeter
  private let algorithm: ObjectChecksum.Algorithm
  private let state: Mutex<State>

  init(length: Int64, _ algorithm: ObjectChecksum.Algorithm, progress: ProgressMeter) {
    self.length = length
    self.algorithm = algorithm
    self.progress = progress
    state = Mutex(State(checksum: CRC(algorithm.crc)))
  }

  /// The checksum of all bytes that the last attempt sent.
  var checksum: ObjectChecksum { ObjectChecksum(algorithm, state.withLock { $0.checksum.checksum }) }

  /// The error of the body's source, or `nil`.
  ///
  /// The transport only reports that it could not continue.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Returns a request body that the meter measures each time the body is sent.
  func body(of stream: ByteStream) -> HTTPBody {
    let measured = ByteStream(chunks: { [self] in
      state.withLock { state in
        state = State(checksum: CRC(algorithm.crc), furthest: state.furthest)
      }
      let iterator = stream.makeAsyncIterator()
      return { [self] in
        do {
          let chunk = try await iterator.nextChunk()
          try record(chunk)
          return chunk
        } catch {
          state.withLock { $0.failure = error }
          throw error
        }
      }
    })
    return .stream(measured, length: length)
  }

  private func record(_ chunk: (any ByteChunk)?) throws {
    let (count, advance) = state.withLock { state in
      guard let chunk else { return (state.count, Int64(0)) }
      chunk.withSpan { state.checksum.update($0) }
      state.count += Int64(chunk.byteCount)
      let advance = state.count - state.furthest
      state.furthest = max(state.furthest, state.count)
      return (state.count, advance)
    }
    if chunk == nil ? count != length : count > length {
      throw StorageError.sourceChanged(from: length)
    }
    progress.advance(by: advance)
  }
}
