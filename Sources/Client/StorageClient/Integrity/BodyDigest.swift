// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import Synchronization

/// The digests of a request body that a provider needs before the request is signed.
public struct DigestSet: OptionSet, Sendable, Hashable {
  /// The bits of the set, one for each digest.
  public let rawValue: UInt8

  /// Creates a set of digests from its bits.
  ///
  /// - Parameter rawValue: The bits of the set, one for each digest.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The checksum with the algorithm that the service uses for uploads.
  public static let checksum = DigestSet(rawValue: 1)
  /// The SHA-256 digest.
  public static let sha256 = DigestSet(rawValue: 1 << 1)
}

/// The digests of a request body, computed before the request is signed.
public struct BodyDigest: Sendable, Hashable {
  /// The checksum of the body, or `nil` if the provider does not need it.
  public var checksum: ObjectChecksum?

  /// The SHA-256 digest of the body in hexadecimal, or `nil` if the provider does not need it.
  public var sha256: String?

  /// Creates the digests of a request body.
  ///
  /// - Parameters:
  ///   - checksum: The checksum of the body, or `nil`.
  ///   - sha256: The SHA-256 digest of the body in hexadecimal, or `nil`.
  public init(checksum: ObjectChecksum? = nil, sha256: String? = nil) {
    self.checksum = checksum
    self.sha256 = sha256
  }

  /// Computes the requested digests of a payload, which is read once.
  static func of(
    _ payload: any UploadPayload, _ digests: DigestSet, _ algorithm: ObjectChecksum.Algorithm
  ) async throws -> BodyDigest {
    if digests.isEmpty { return BodyDigest() }
    var crc = CRC(algorithm.crc)
    var hash = SHA256()
    let chunks = payload.stream.makeAsyncIterator()
    while let chunk = try await chunks.nextChunk() {
      chunk.withSpan { bytes in
        if digests.contains(.checksum) { crc.update(bytes) }
        if digests.contains(.sha256) { hash.update(bytes) }
      }
    }
    return BodyDigest(
      checksum: digests.contains(.checksum) ? ObjectChecksum(algorithm, crc.checksum) : nil,
      sha256: digests.contains(.sha256) ? hash.finalize().hex : nil)
  }

  /// Computes the requested digests of a request body in memory.
  static func of(_ bytes: [UInt8], _ digests: DigestSet, _ algorithm: ObjectChecksum.Algorithm) -> BodyDigest {
    BodyDigest(
      checksum: digests.contains(.checksum) ? ObjectChecksum(algorithm, of: bytes) : nil,
      sha256: digests.contains(.sha256) ? SHA256.hash(bytes).hex : nil)
  }
}

/// A meter that computes the checksum and the length of a body while it is sent, and records the source's error.
final class BodyMeter: Sendable {
  private struct State {
    var checksum: CRC
    var count: Int64 = 0
    /// The greatest number of bytes that any attempt has sent; only bytes beyond it count as progress.
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

  /// The error of the body's source, or `nil`; the transport only reports that it could not continue.
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
