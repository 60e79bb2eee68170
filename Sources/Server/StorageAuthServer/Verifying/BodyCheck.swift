// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import StorageCrypto

/// A check of a body, decoded if it is chunked, against the headers that describe it, while the handler reads it.
struct BodyCheck: Sendable {
  enum Failure {
    case mismatch
    /// The chunk framing, a chunk signature or a trailing checksum is invalid.
    case framing(VerificationError)
  }

  /// The value of the hash header if the signature does not cover the body, in OSS V4 and SigV4.
  private static let unsignedPayload = "UNSIGNED-PAYLOAD"

  fileprivate let md5: [UInt8]?
  fileprivate let sha256: [UInt8]?
  fileprivate let decoder: (any BodyDecoder)?
  fileprivate let failureRecord = FailureRecord()

  /// Creates a check, or throws an error for a hash that is repeated or malformed.
  ///
  /// The decoder of a chunked body checks the body itself: the header for the SHA-256 then contains no hash.
  init(_ head: HTTPRequest, sha256In hashHeader: HTTPField.Name?, decodedBy decoder: (any BodyDecoder)?) throws {
    let md5 = head.headerFields[values: .contentMD5]
    let sha256 = hashHeader.map { head.headerFields[values: $0] } ?? []
    guard md5.count < 2, sha256.count < 2 else { throw RequestRefusal.invalidDigest }
    self.md5 = try md5.first.map { text in
      guard let bytes = [UInt8](base64: text), bytes.count == MD5.digestByteCount else {
        throw RequestRefusal.invalidDigest
      }
      return bytes
    }
    self.sha256 = try sha256.first.flatMap { text in
      if text == Self.unsignedPayload || decoder != nil { return nil }
      guard let bytes = [UInt8](hex: text), bytes.count == SHA256.digestByteCount else {
        throw RequestRefusal.invalidDigest
      }
      return bytes
    }
    self.decoder = decoder
  }

  var isNeeded: Bool { md5 != nil || sha256 != nil || decoder != nil }
  var failure: Failure? { failureRecord.failure }

  /// Returns a body that throws an error if it is invalid, before it delivers the last bytes.
  ///
  /// Earlier bytes are delivered before the hashes, or the checksum in a trailer, have been compared.
  func checkedBody(_ body: RequestBody) -> RequestBody {
    RequestBody(asyncSequence: CheckedBody(body: body, check: self))
  }

  /// A record of the failure, which remains even if the handler ignores the error.
  final class FailureRecord: Sendable {
    private let recordedFailure = Lock<Failure?>(nil)
    var failure: Failure? { recordedFailure.withLock { $0 } }
    func store(_ failure: Failure) { recordedFailure.withLock { $0 = failure } }
  }
}

/// A body whose hashes are computed while the handler reads it.
private struct CheckedBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let body: RequestBody
  let check: BodyCheck

  func makeAsyncIterator() -> Iterator {
    Iterator(
      chunks: body.makeAsyncIterator(), md5: check.md5.map { _ in MD5() }, sha256: check.sha256.map { _ in SHA256() },
      decoder: check.decoder, check: check)
  }

  struct Iterator: AsyncIteratorProtocol {
    var chunks: RequestBody.AsyncIterator
    var md5: MD5?
    var sha256: SHA256?
    var decoder: (any BodyDecoder)?
    let check: BodyCheck
    /// The last decoded bytes, held back until more bytes, or the end of a valid body, have been read.
    var withheldBytes: ByteBuffer?

    @concurrent mutating func next() async throws -> ByteBuffer? {
      while let chunk = try await chunks.next() {
        let bytes = try decoded(chunk)
        if bytes.readableBytes == 0 { continue }
        md5?.update(bytes.readableBytesUInt8Span)
        sha256?.update(bytes.readableBytesUInt8Span)
        let previousBytes = withheldBytes
        withheldBytes = bytes
        if let previousBytes { return previousBytes }
      }
      do throws(VerificationError) {
        try decoder?.finish()
      } catch {
        check.failureRecord.store(.framing(error))
        throw error
      }
      guard md5?.finalize().bytes == check.md5, sha256?.finalize().bytes == check.sha256 else {
        check.failureRecord.store(.mismatch)
        throw RequestRefusal.bodyMismatch
      }
      defer { withheldBytes = nil }
      return withheldBytes
    }

    private mutating func decoded(_ chunk: ByteBuffer) throws(VerificationError) -> ByteBuffer {
      do throws(VerificationError) {
        guard let bytes = try decoder?.decode(Array(chunk.readableBytesView)) else { return chunk }
        return ByteBuffer(bytes: bytes)
      } catch {
        check.failureRecord.store(.framing(error))
        throw error
      }
    }
  }
}
