// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageAuth
package import StorageCrypto

/// An object's checksum, which the service reports and the client computes during a transfer.
///
/// All algorithms are cyclic redundancy checks, so an object's checksum can be derived from the checksums of its parts.
public struct ObjectChecksum: Sendable, Hashable, CustomStringConvertible {
  /// The algorithm that computed the checksum.
  public let algorithm: Algorithm

  /// The checksum as an integer.
  ///
  /// A 32-bit checksum is in the lower half.
  public let value: UInt64

  /// Creates a checksum from its integer value.
  ///
  /// - Parameters:
  ///   - algorithm: The algorithm that computed the checksum.
  ///   - value: The checksum as an integer. A 32-bit checksum is in the lower half.
  public init(_ algorithm: Algorithm, _ value: UInt64) {
    self.algorithm = algorithm
    self.value = value
  }

  /// Creates the checksum of an array of bytes.
  ///
  /// - Parameters:
  ///   - algorithm: The checksum algorithm.
  ///   - bytes: The bytes to compute the checksum of.
  public init(_ algorithm: Algorithm, of bytes: [UInt8]) {
    var crc = CRC(algorithm.crc)
    crc.update(bytes)
    self.init(algorithm, crc.checksum)
  }

  /// A checksum algorithm that a service uses for objects.
  public struct Algorithm: Sendable, Hashable, CustomStringConvertible {
    package let crc: CRC.Algorithm

    /// CRC-64 with the ECMA-182 polynomial (CRC-64/XZ).
    public static let crc64 = Algorithm(crc: .crc64ECMA)
    /// CRC-64/NVME, which S3 uses by default.
    public static let crc64NVME = Algorithm(crc: .crc64NVME)
    /// CRC-32 as defined in ISO 3309.
    public static let crc32 = Algorithm(crc: .crc32)
    /// CRC-32C, which uses the Castagnoli polynomial.
    public static let crc32C = Algorithm(crc: .crc32c)

    /// The usual name of the algorithm, such as `CRC-64`.
    public var description: String {
      switch crc {
      case .crc64ECMA: "CRC-64"
      case .crc64NVME: "CRC-64/NVME"
      case .crc32: "CRC-32"
      case .crc32c: "CRC-32C"
      }
    }
  }

  /// The name of the algorithm and the decimal value of the checksum.
  public var description: String { "\(algorithm) \(value)" }

  /// The checksum in Base64, most significant byte first.
  public var base64: String {
    let bytes = CRC.bytes(of: value, algorithm.crc)
    return String(writing: { $0.append(base64: bytes) })
  }

  /// Returns the checksum of these bytes followed by other bytes with a checksum of the same algorithm.
  func followed(by next: ObjectChecksum, byteCount: Int64) -> ObjectChecksum {
    ObjectChecksum(algorithm, CRC.combine(value, next.value, byteCount: UInt64(clamping: byteCount), algorithm.crc))
  }
}

/// An HTTP header in which a service reports the checksum of an object or a part.
public struct ChecksumHeader: Sendable, Hashable {
  /// The name of the header that contains the checksum.
  public let name: HTTPField.Name

  /// The algorithm of the checksum in the header.
  public let algorithm: ObjectChecksum.Algorithm

  /// The encoding of the checksum in the header.
  public let spelling: Spelling

  /// An encoding of a checksum in a header.
  public enum Spelling: Sendable, Hashable {
    /// The checksum is encoded as decimal digits.
    case decimal
    /// The checksum is encoded as the Base64 of its bytes, most significant byte first.
    case base64
  }

  /// Creates the description of a checksum header.
  ///
  /// - Parameters:
  ///   - name: The name of the header.
  ///   - algorithm: The algorithm of the checksum in the header.
  ///   - spelling: The encoding of the checksum in the header.
  public init(_ name: HTTPField.Name, _ algorithm: ObjectChecksum.Algorithm, spelling: Spelling = .decimal) {
    self.name = name
    self.algorithm = algorithm
    self.spelling = spelling
  }

  func field(_ checksum: ObjectChecksum) -> HTTPField {
    HTTPField(name: name, value: spelling == .decimal ? "\(checksum.value)" : checksum.base64)
  }

  /// Parses a header value, or returns `nil` if its length or format differs.
  ///
  /// The checksum of an object's part checksums, for example, has another format.
  func checksum(_ text: String) -> ObjectChecksum? {
    switch spelling {
    case .decimal:
      return UInt64(text, radix: 10).map { ObjectChecksum(algorithm, $0) }
    case .base64:
      guard let bytes = [UInt8](base64: text), bytes.count == algorithm.crc.byteCount else { return nil }
      return ObjectChecksum(algorithm, bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
  }
}

extension HTTPFields {
  /// Returns the first valid checksum in the given headers, or `nil` if no header contains a checksum.
  func checksum(in headers: [ChecksumHeader]) -> ObjectChecksum? {
    headers.lazy.compactMap { header in self[header.name].flatMap(header.checksum) }.first
  }
}

extension ObjectChecksum: Codable {
  /// Creates a checksum from its description, such as `CRC-64 9593`.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: A `DecodingError` if the value is not the description of a checksum.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let words = try container.decode(String.self).split(separator: " ")
    let known: [Algorithm] = [.crc64, .crc64NVME, .crc32, .crc32C]
    guard words.count == 2, let algorithm = known.first(where: { $0.description == words[0] }),
      let value = UInt64(words[1])
    else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is not a checksum.")
    }
    self.init(algorithm, value)
  }

  /// Encodes the description of the checksum, such as `CRC-64 9593`.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: An `EncodingError` if the encoder fails.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension ObjectChecksum {
  /// Compares the checksum of uploaded bytes with that of the same algorithm in the response, if the response has one.
  func check(_ subject: String, with response: HTTPResponse, _ conventions: HeaderConventions) throws(StorageError) {
    let headers = conventions.checksums.filter { $0.algorithm == algorithm }
    guard let expected = response.headerFields.checksum(in: headers), expected != self else { return }
    throw StorageError.checksumMismatch(
      of: subject, expected: expected, found: self, remedy: "Upload it again; what the service holds is damaged.")
  }
}

extension ByteStream {
  /// Returns a stream of the same bytes that checks their number and checksum at the end, as far as they are known.
  ///
  /// A body without both is not accepted if only the end of the connection marked its end: it may be incomplete.
  func checked(
    _ subject: String, length: Int64?, checksum: ObjectChecksum?, endsWithConnection: @escaping @Sendable () -> Bool
  ) -> ByteStream {
    ByteStream(chunks: { [self] in
      let iterator = makeAsyncIterator()
      var count: Int64 = 0
      var found = checksum.map { CRC($0.algorithm.crc) }
      return {
        guard let chunk = try await iterator.nextChunk() else {
          try checkByteCount(of: subject, count, length: length)
          if length == nil, checksum == nil, endsWithConnection() { throw StorageError.unverifiable(subject, count) }
          if let checksum, let found {
            try checkChecksum(
              of: subject, ObjectChecksum(checksum.algorithm, found.checksum), expected: checksum)
          }
          return nil
        }
        count += Int64(chunk.byteCount)
        chunk.withSpan { found?.update($0) }
        return chunk
      }
    })
  }
}

/// Throws an error if a body has another length than its head states.
package func checkByteCount(of subject: String, _ count: Int64, length: Int64?) throws(StorageError) {
  guard let length, length != count else { return }
  throw StorageError(
    .truncated, "\(subject) came with \(count) bytes instead of \(length).", remedy: "Download it again.")
}

extension StorageError {
  static func unverifiable(_ subject: String, _ count: Int64) -> StorageError {
    StorageError(
      .truncated,
      "\(subject) came with \(count) bytes, without a length and a checksum, and ended with its connection, so that it "
        + "may be incomplete.",
      remedy: "Download it again; if that does not help, check the proxies on the way to the service.")
  }
}

/// Compares the checksum of the received bytes with the checksum that the service reported.
package func checkChecksum(of subject: String, _ found: ObjectChecksum, expected: ObjectChecksum) throws(StorageError) {
  guard found == expected else {
    throw StorageError.checksumMismatch(
      of: subject, expected: expected, found: found, remedy: "Download it again; the received bytes are damaged.")
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
  private let state: Lock<State>

  init(length: Int64, _ algorithm: ObjectChecksum.Algorithm, progress: ProgressMeter) {
    self.length = length
    self.algorithm = algorithm
    self.progress = progress
    state = Lock(State(checksum: CRC(algorithm.crc)))
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
