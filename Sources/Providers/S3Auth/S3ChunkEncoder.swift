// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// An encoder that frames and signs a chunked body.
///
/// ```swift
/// var encoder = try S3ChunkEncoder(request, with: key)   // signed with S3Payload.signedChunks
/// for chunk in chunks {
///   send(try encoder.head(of: chunk)); send(chunk); send(S3ChunkEncoder.chunkEnd)
/// }
/// send(try encoder.end())
/// ```
///
/// Every chunk except the last must have at least 8,192 bytes.
///
/// Sources: AWS, "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks (Chunked
/// Upload)", <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html>, and "… Including Trailing Headers
/// (Chunked Upload)", <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html>.
public struct S3ChunkEncoder: Sendable {
  /// The line break that follows the bytes of a chunk.
  public static let chunkEnd: [UInt8] = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]

  /// The format of the body, which determines the signatures and trailers.
  public let payload: S3Payload

  private let trailerName: String?
  private let decodedByteCount: Int64
  private var encodedByteCount: Int64 = 0
  private var hasShortChunk = false
  private var hasEnded = false
  private var chain: S3ChunkChain

  /// Creates an encoder for the body of a signed request.
  ///
  /// - Parameters:
  ///   - request: The request with its signature in the headers.
  ///   - key: The access key with which the request was signed.
  /// - Throws: `SigningError.Code.invalidRequest` if the request was signed for another kind of body or another key.
  public init(_ request: HTTPRequest, with key: AccessKey) throws(SigningError) {
    let fields = request.headerFields
    guard let authorization = fields[.authorization].flatMap({ try? S3Authorization($0) }),
      authorization.accessKeyID == key.id, let date = fields[.s3Date].flatMap({ Timestamp(iso8601Basic: $0) }),
      let payload = fields[.s3ContentSHA256].flatMap({ S3Payload(header: $0) }), payload.isChunked,
      let count = fields[.s3DecodedContentLength].flatMap({ Int64(digits: $0) })
    else {
      throw SigningError(
        .invalidRequest, "The request is not signed in its headers, with this key, for a body in chunks.",
        remedy: "Sign it first, with a payload such as S3Payload.signedChunks.")
    }
    self.payload = payload
    decodedByteCount = count
    trailerName = payload.hasTrailer ? fields[.s3Trailer]?.asciiLowercased : nil
    let scope = S3Scope(date: date, region: authorization.region, service: authorization.service)
    chain = S3ChunkChain(scope: scope, key: scope.signingKey(of: key), previousSignature: authorization.signature)
  }

  /// Returns the line that precedes a chunk, with the chunk's size and, in a signed body, its signature.
  ///
  /// - Parameter chunk: The bytes of the chunk, at least one byte.
  /// - Throws: `SigningError.Code.invalidRequest` if the chunk is empty, follows a chunk of fewer than 8,192 bytes,
  ///   or exceeds the length that the request specifies.
  public mutating func head(of chunk: [UInt8]) throws(SigningError) -> [UInt8] {
    try addChunk(byteCount: chunk.count, hash: { SHA256.hash(chunk).hex })
  }

  /// Returns the line that precedes a chunk whose hash is known.
  ///
  /// - Parameters:
  ///   - byteCount: The size of the chunk in bytes, at least 1.
  ///   - sha256: The SHA-256 hash of the chunk: 32 bytes.
  /// - Throws: The errors of ``head(of:)``, or `SigningError.Code.invalidRequest` if the hash has a wrong length.
  public mutating func head(byteCount: Int, sha256: [UInt8]) throws(SigningError) -> [UInt8] {
    guard sha256.count == SHA256.digestByteCount else { throw Self.refusal("The hash of a chunk is not a SHA-256.") }
    return try addChunk(byteCount: byteCount, hash: { String(writing: { $0.append(hex: sha256) }) })
  }

  /// Counts a chunk and returns its line; the hash, in hexadecimal, is computed only for a signed body.
  private mutating func addChunk(byteCount: Int, hash: () -> String) throws(SigningError) -> [UInt8] {
    guard !hasEnded, byteCount > 0 else { throw Self.refusal("A chunk is empty, or follows the end of the body.") }
    guard !hasShortChunk else { throw Self.refusal("A chunk of fewer than 8,192 bytes is not the last one.") }
    guard let sum = encodedByteCount.checkedAdding(Int64(byteCount)), sum <= decodedByteCount else {
      throw Self.refusal("The body is longer than x-amz-decoded-content-length states.")
    }
    encodedByteCount = sum
    hasShortChunk = byteCount < S3Limits.minimumChunkByteCount
    return headLine(byteCount: byteCount, hash: hash)
  }

  private mutating func headLine(byteCount: Int, hash: () -> String) -> [UInt8] {
    var line = String(byteCount, radix: 16)
    if payload.hasSignedChunks { line += S3ChunkText.signature + chain.sign(chunkWith: hash()) }
    return Array(line.utf8) + Self.chunkEnd
  }

  /// Returns the end of the body: the empty chunk and the trailer.
  ///
  /// - Parameter trailer: The value of the trailer in `x-amz-trailer`, such as a checksum in Base64, or `nil` for none.
  /// - Throws: `SigningError.Code.invalidRequest` if the body is shorter than the request specifies, if the format of
  ///   the body requires a trailer and `trailer` is `nil`, or if the format does not allow the given trailer.
  public mutating func end(trailer: String? = nil) throws(SigningError) -> [UInt8] {
    guard !hasEnded, encodedByteCount == decodedByteCount else {
      throw Self.refusal("The body is shorter than x-amz-decoded-content-length states, or has ended.")
    }
    guard (trailer != nil) == (trailerName != nil), trailer?.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) ?? true else {
      throw Self.refusal("The trailer is not the one that x-amz-trailer announces.")
    }
    hasEnded = true
    var bytes = headLine(byteCount: 0, hash: { S3Text.emptyHash.description })
    if let trailerName, let trailer {
      bytes += Array("\(trailerName):\(trailer)".utf8) + Self.chunkEnd
      if payload.hasSignedChunks {
        let signature = chain.signature(ofTrailer: trailerName, value: trailer)
        bytes += Array("\(S3ChunkText.trailerSignature):\(signature)".utf8) + Self.chunkEnd
      }
    }
    return bytes + Self.chunkEnd
  }

  /// Returns the size, in bytes, of an encoded body for `Content-Length`.
  ///
  /// - Parameters:
  ///   - decodedByteCount: The size of the object in bytes.
  ///   - chunkByteCount: The size, in bytes, of each chunk except the last, at least 8,192.
  ///   - payload: The format of the body.
  ///   - trailer: The name and the value of the trailer, or `nil` for a body without trailers. Only its length matters.
  /// - Returns: The size, or `nil` if a parameter is out of range or the format has no chunks.
  public static func byteCount(
    ofBody decodedByteCount: Int64, inChunksOf chunkByteCount: Int, as payload: S3Payload,
    trailer: (name: String, value: String)? = nil
  ) -> Int64? {
    guard payload.isChunked, (trailer != nil) == payload.hasTrailer, decodedByteCount >= 0,
      chunkByteCount >= S3Limits.minimumChunkByteCount
    else { return nil }
    /// Returns the size of the line before a chunk and of the line breaks, of two bytes each, after both.
    func framingByteCount(_ chunkByteCount: Int64) -> Int64 {
      Int64(String(chunkByteCount, radix: 16).utf8.count + 2 + 2)
        + (payload.hasSignedChunks ? Int64(S3ChunkText.signature.utf8.count + S3Limits.hexDigitCount) : 0)
    }
    let (fullChunkCount, lastByteCount) = decodedByteCount.quotientAndRemainder(dividingBy: Int64(chunkByteCount))
    let (framing, overflow) = fullChunkCount.multipliedReportingOverflow(by: framingByteCount(Int64(chunkByteCount)))
    guard !overflow, let fullChunks = decodedByteCount.checkedAdding(framing) else { return nil }
    var endByteCount = framingByteCount(0) + (lastByteCount > 0 ? framingByteCount(lastByteCount) : 0)
    if let trailer {
      // A line has three more bytes: a colon and a line break.
      endByteCount += Int64(trailer.name.utf8.count + trailer.value.utf8.count + 3)
      if payload.hasSignedChunks {
        endByteCount += Int64(S3ChunkText.trailerSignature.utf8.count + S3Limits.hexDigitCount + 3)
      }
    }
    return fullChunks.checkedAdding(endByteCount)
  }

  private static func refusal(_ message: String) -> SigningError {
    let remedy = "Send as many bytes as announced, in chunks of one size, and end the body once."
    return SigningError(.invalidRequest, message, remedy: remedy)
  }
}

/// The sequence of a chunked body's signatures, each of which covers the one before, starting with that of the request.
struct S3ChunkChain: Sendable {
  let scope: S3Scope
  let key: HMACKey<SHA256>
  private(set) var previousSignature: String

  /// Returns the signature of the next chunk, given the hash of its bytes in hexadecimal.
  mutating func sign(chunkWith hash: String) -> String {
    let signature = key.authenticationCode { writer in
      scope.append(headWithSuffix: "-PAYLOAD", to: &writer)
      writer.append(previousSignature)
      writer.append(UInt8(ascii: "\n"))
      writer.append(S3Text.emptyHash)
      writer.append(UInt8(ascii: "\n"))
      writer.append(hash)
    }
    previousSignature = signature.hex
    return previousSignature
  }

  func signature(ofTrailer name: String, value: String) -> String {
    let hash = SHA256.hash(writing: { writer in
      writer.append(name)
      writer.append(UInt8(ascii: ":"))
      writer.append(value)
      writer.append(UInt8(ascii: "\n"))
    })
    return key.authenticationCode { writer in
      scope.append(headWithSuffix: "-TRAILER", to: &writer)
      writer.append(previousSignature)
      writer.append(UInt8(ascii: "\n"))
      writer.append(hex: hash)
    }.hex
  }
}

enum S3ChunkText {
  static let signature = ";chunk-signature="
  static let trailerSignature = "x-amz-trailer-signature"
}
