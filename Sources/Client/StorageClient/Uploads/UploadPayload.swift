// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto
package import SystemPackage

/// The content of a request body, with random access and repeatable reads.
protocol UploadPayload: Sendable {
  /// The number of bytes.
  var length: Int64 { get }
  /// Returns a stream that reads the bytes in a range; several streams can read the same bytes.
  func stream(_ range: Range<Int64>) -> ByteStream
}

extension UploadPayload {
  var stream: ByteStream { stream(0..<length) }

  /// Reads all bytes, or throws ``StorageError/sourceChanged(from:to:)`` if their number is not the length.
  func collected() async throws -> [UInt8] {
    if let payload = self as? BytesPayload { return payload.bytes }
    guard let bytes = try await stream.collected(upTo: Int(length)), bytes.count == length else {
      throw StorageError.sourceChanged(from: length)
    }
    return bytes
  }
}

extension StorageError {
  /// The error for a source with another length than the announced one; `actualLength` is `nil` if it is not known.
  static func sourceChanged(from length: Int64, to actualLength: Int64? = nil) -> StorageError {
    let difference = actualLength.map { "is \($0) bytes, not the announced \(length)" }
    return StorageError(
      .sourceChanged, "The length of the source \(difference ?? "differs from the announced \(length) bytes").",
      remedy: "Do not change a file while it is uploaded, and give a stream's length only if it is certain.")
  }

  /// The error for a file or an object that was changed during a transfer, such as an upload.
  static func sourceChanged(_ source: String, during transfer: String) -> StorageError {
    StorageError(
      .sourceChanged, "\(source) was changed during the \(transfer).",
      remedy: "Repeat the \(transfer) when it no longer changes.")
  }
}

/// The number of bytes in a chunk of a payload in memory; a body of at most this size is sent from memory.
package let payloadChunkSize: Int64 = 256 * 1024

/// Bytes in memory.
struct BytesPayload: UploadPayload {
  let bytes: [UInt8]

  var length: Int64 { Int64(bytes.count) }

  func stream(_ range: Range<Int64>) -> ByteStream {
    ByteStream {
      var offset = Int(range.lowerBound)
      let end = Int(range.upperBound)
      return {
        guard offset < end else { return nil }
        let next = min(offset + Int(payloadChunkSize), end)
        defer { offset = next }
        return offset == 0 && next == bytes.count ? bytes : Array(bytes[offset..<next])
      }
    }
  }
}

/// A range of another payload, such as a part of a file.
struct SlicePayload: UploadPayload {
  let base: any UploadPayload
  let range: Range<Int64>

  var length: Int64 { range.upperBound - range.lowerBound }

  func stream(_ range: Range<Int64>) -> ByteStream {
    base.stream(self.range.lowerBound + range.lowerBound..<self.range.lowerBound + range.upperBound)
  }
}

/// A file to upload, which stays open as long as the payload or a stream of its bytes exists.
package struct FilePayload: UploadPayload {
  private let file: LocalFile
  /// Whether a stream throws an error instead of its last chunk if the file has changed since it was opened.
  private let refusesChanges: Bool

  package init(_ path: FilePath) async throws { self.init(try await .reading(path)) }

  init(_ file: LocalFile, refusesChanges: Bool = false) {
    self.file = file
    self.refusesChanges = refusesChanges
  }

  package var path: FilePath { file.path }
  package var length: Int64 { file.status.size }
  package var status: FileStatus { file.status }
  package var identity: FileIdentity { file.status.identity }

  /// Returns whether the open file has not changed since it was opened.
  func isUnchanged() async throws -> Bool { try await file.currentStatus.identity == identity }

  func stream(_ range: Range<Int64>) -> ByteStream {
    ByteStream {
      var offset = range.lowerBound
      return {
        let count = min(fileReadSize, range.upperBound - offset)
        guard count > 0 else { return nil }
        let chunk = try await file.read(from: offset, upTo: Int(count))
        guard !chunk.isEmpty else { return nil }
        offset += Int64(chunk.count)
        if refusesChanges, offset == range.upperBound, try await !isUnchanged() {
          throw StorageError.sourceChanged("\(path)", during: "upload")
        }
        return chunk
      }
    }
  }
}

/// The digests of a request body that a provider needs before the request is signed.
public struct DigestSet: OptionSet, Sendable, Hashable {
  /// The bits of the set, one for each digest.
  public let rawValue: UInt8

  /// Creates a set of digests from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The checksum with the algorithm that the service uses for uploads.
  public static let checksum = DigestSet(rawValue: 1)
  /// The SHA-256 digest.
  public static let sha256 = DigestSet(rawValue: 1 << 1)
  /// The MD5 digest, which is the entity tag of a part of most services.
  static let md5 = DigestSet(rawValue: 1 << 7)
}

/// The digests of a request body, computed before the request is signed.
public struct BodyDigest: Sendable, Hashable {
  /// The checksum of the body, or `nil` if the provider does not need it.
  public var checksum: ObjectChecksum?
  /// The SHA-256 digest of the body in hexadecimal, or `nil` if the provider does not need it.
  public var sha256: String?
  /// The MD5 digest of the bytes in hexadecimal, or `nil` if it was not asked for.
  private(set) var md5: String?

  /// Creates the digests of a request body; the parameters are the properties.
  public init(checksum: ObjectChecksum? = nil, sha256: String? = nil) {
    self.checksum = checksum
    self.sha256 = sha256
  }

  /// Reads a payload once, and returns the digests in the set; the checksum has the given algorithm.
  static func of(
    _ payload: any UploadPayload, _ digests: DigestSet, _ algorithm: ObjectChecksum.Algorithm
  ) async throws -> BodyDigest {
    var crc = CRC(algorithm.crc)
    var sha256 = SHA256()
    var md5 = MD5()
    let chunks = payload.stream.makeAsyncIterator()
    while let chunk = try await chunks.nextChunk() {
      chunk.withSpan { bytes in
        if digests.contains(.checksum) { crc.update(bytes) }
        if digests.contains(.sha256) { sha256.update(bytes) }
        if digests.contains(.md5) { md5.update(bytes) }
      }
    }
    var digest = BodyDigest()
    if digests.contains(.checksum) { digest.checksum = ObjectChecksum(algorithm, crc.checksum) }
    if digests.contains(.sha256) { digest.sha256 = sha256.finalize().hex }
    if digests.contains(.md5) { digest.md5 = md5.finalize().hex }
    return digest
  }

  /// Returns the checksum with the given algorithm and the SHA-256 digest of bytes, if they are in the set.
  static func of(_ bytes: [UInt8], _ digests: DigestSet, _ algorithm: ObjectChecksum.Algorithm) -> BodyDigest {
    BodyDigest(
      checksum: digests.contains(.checksum) ? ObjectChecksum(algorithm, of: bytes) : nil,
      sha256: digests.contains(.sha256) ? SHA256.hash(bytes).hex : nil)
  }
}
