// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth
internal import StorageCrypto

/// A request body as operations read it, without inner framing such as `aws-chunked`.
struct CallBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let base: RequestBody
  /// The decoder that removes the inner framing, and verifies its signatures, or `nil` for a body without framing.
  let decoder: (any BodyDecoder)?
  /// A closure that returns the service's error response for an error of the decoder.
  let makeRefusal: @Sendable (VerificationError) -> ErrorResponse
  var trafficLimit: TrafficLimit?

  var isFramed: Bool { decoder != nil }
  func makeAsyncIterator() -> Iterator { Iterator(body: self, chunks: base.makeAsyncIterator(), decoder: decoder) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let body: CallBody
    fileprivate var chunks: RequestBody.AsyncIterator
    fileprivate var decoder: (any BodyDecoder)?

    mutating func next() async throws -> ByteBuffer? { try await next(isolation: #isolation) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ByteBuffer? {
      do {
        while let chunk = try await chunks.nextElement(isolation: actor) {
          try await body.trafficLimit?.wait(for: chunk.readableBytes)
          guard let bytes = try decoder?.decode(Array(chunk.readableBytesView)) else { return chunk }
          // A chunk can contain only framing, or bytes whose signature follows in the next one.
          if !bytes.isEmpty { return ByteBuffer(bytes: bytes) }
        }
        try decoder?.finish()
      } catch let error as VerificationError {
        throw body.makeRefusal(error)
      }
      decoder = nil
      return nil
    }
  }
}

/// A limit of the bandwidth: bytes pass only after the time that they take.
struct TrafficLimit: Sendable {
  let bytesPerSecond: Int
  private let sleep: @Sendable @concurrent (Duration) async throws -> Void

  /// Creates a limit from the digits of a number of bits per second, or returns `nil` if it is less than 8.
  init?(bitsPerSecond: String, sleep: @escaping @Sendable @concurrent (Duration) async throws -> Void) {
    guard let bits = Int(digits: bitsPerSecond), bits >= 8 else { return nil }
    (bytesPerSecond, self.sleep) = (bits / 8, sleep)
  }

  func wait(for byteCount: Int) async throws { try await sleep(Duration.seconds(byteCount) / bytesPerSecond) }
}

/// The length, the digest and the checksums that a request body must have; `nil` stands for any.
struct BodyExpectation: Sendable {
  var byteCount: Int64?
  /// The required MD5 digest, and the error response for a body with another one.
  var digest: (md5: [UInt8], mismatch: ErrorResponse)?
  var checks: [any BodyCheck] = []

  func check(byteCount: Int64, md5: Digest) throws(ErrorResponse) {
    if let expected = self.byteCount, expected != byteCount {
      throw ErrorResponse(.badRequest, "IncompleteBody", "The size of the body does not match the Content-Length.")
    }
    if let digest, digest.md5 != md5.bytes { throw digest.mismatch }
  }
}

/// A check that processes the bytes of a body as they arrive.
protocol BodyCheck: Sendable {
  mutating func update(_ bytes: Span<UInt8>)

  /// Completes the check, and returns the checksum to store with the object, if it provides one.
  func finish() throws(ErrorResponse) -> StoredChecksum?
}

extension [any BodyCheck] {
  mutating func update(_ bytes: Span<UInt8>) { for index in indices { self[index].update(bytes) } }

  func finish() throws(ErrorResponse) -> StoredChecksum? {
    var checksum: StoredChecksum?
    for check in self { checksum = try check.finish() ?? checksum }
    return checksum
  }
}

/// An additional checksum of an object, whose algorithm the client or the service chose.
struct StoredChecksum: Sendable, Codable, Equatable {
  /// The name of the algorithm of this checksum, as the service's headers spell it.
  let algorithm: String
  /// The checksum in Base64; for a composite checksum, `-` and the number of parts follow.
  let value: String
  var isComposite = false
}

/// A rule for the checksums of a multipart upload and its parts.
struct ChecksumRule: Sendable, Equatable {
  let algorithm: String
  let isComposite: Bool
  /// Whether the client, and not the service, chose the algorithm.
  let isChosen: Bool
}
