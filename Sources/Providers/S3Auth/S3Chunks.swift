// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

// Chunked bodies (`aws-chunked`). Sources: AWS, "Signature Calculations for the Authorization Header: Transferring
// Payload in Multiple Chunks (Chunked Upload)", <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html>,
// and "… Including Trailing Headers (Chunked Upload)",
// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html>.

/// The sequence of a chunked body's signatures.
///
/// Each signature covers the previous one, and the first one covers the signature of the request.
struct S3ChunkChain: Sendable {
  let scope: S3Scope
  let key: HMACKey<SHA256>
  private(set) var last: String

  init(scope: S3Scope, key: HMACKey<SHA256>, seed: String) {
    self.scope = scope
    self.key = key
    last = seed
  }

  /// Returns the signature of the next chunk, which the one after it covers; the hash is in hexadecimal.
  mutating func sign(chunkWith hash: String) -> String {
    let signature = key.authenticationCode { writer in
      scope.append(headOf: "-PAYLOAD", to: &writer)
      writer.append(last)
      writer.append(UInt8(ascii: "\n"))
      writer.append(S3Text.emptyHash)
      writer.append(UInt8(ascii: "\n"))
      writer.append(hash)
    }
    last = signature.hex
    return last
  }

  func signature(ofTrailer name: String, _ value: String) -> String {
    let hash = SHA256.hash(writing: { writer in
      writer.append(name)
      writer.append(UInt8(ascii: ":"))
      writer.append(value)
      writer.append(UInt8(ascii: "\n"))
    })
    return key.authenticationCode { writer in
      scope.append(headOf: "-TRAILER", to: &writer)
      writer.append(last)
      writer.append(UInt8(ascii: "\n"))
      writer.append(hex: hash)
    }.hex
  }
}

enum S3ChunkText {
  static let signature = ";chunk-signature="
  static let trailerSignature = "x-amz-trailer-signature"
}

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
/// Source: AWS, "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks (Chunked
/// Upload)", <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html>.
public struct S3ChunkEncoder: Sendable {
  /// The line break that follows the bytes of a chunk.
  public static let chunkEnd: [UInt8] = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]

  /// The format of the body, which determines the signatures and trailers.
  public let payload: S3Payload

  private let trailerName: String?
  private let decodedByteCount: Int64
  private var encodedByteCount: Int64 = 0
  private var hasShortChunk = false
  private var isOver = false
  private var chain: S3ChunkChain

  /// Creates an encoder for the body of a signed request.
  ///
  /// - Parameters:
  ///   - request: The request with its signature in the headers.
  ///   - key: The access key with which the request was signed.
  /// - Throws: `SigningError.Code.invalidRequest` if the request was signed for another kind of body or with another
  ///   key.
  public init(_ request: HTTPRequest, with key: AccessKey) throws(SigningError) {
    let fields = request.headerFields
    guard let authorization = fields[.authorization].flatMap({ try? S3Authorization($0) }),
      let date = fields[.s3Date].flatMap({ Timestamp(iso8601Basic: $0) }), authorization.accessKeyID == key.id,
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
    chain = S3ChunkChain(scope: scope, key: scope.signingKey(of: key), seed: authorization.signature)
  }

  /// Returns the line that precedes a chunk, with the chunk's size and, in a signed body, its signature.
  ///
  /// - Parameter chunk: The bytes of the chunk, at least one byte.
  /// - Throws: `SigningError.Code.invalidRequest` if the chunk is empty, follows a chunk of fewer than 8,192 bytes,
  ///   or exceeds the length that the request specifies.
  public mutating func head(of chunk: [UInt8]) throws(SigningError) -> [UInt8] {
    try head(byteCount: chunk.count, hash: { SHA256.hash(chunk).hex })
  }

  /// Returns the line that precedes a chunk whose hash is known.
  ///
  /// - Parameters:
  ///   - byteCount: The size of the chunk in bytes, at least 1.
  ///   - sha256: The SHA-256 hash of the chunk: 32 bytes.
  /// - Throws: `SigningError.Code.invalidRequest` if the chunk is empty, follows a chunk of fewer than 8,192 bytes,
  ///   or exceeds the length that the request specifies, or if the hash has a wrong length.
  public mutating func head(byteCount: Int, sha256: [UInt8]) throws(SigningError) -> [UInt8] {
    guard sha256.count == SHA256.digestByteCount else { throw Self.refusal("The hash of a chunk is not a SHA-256.") }
    return try head(byteCount: byteCount, hash: { String(writing: { $0.append(hex: sha256) }) })
  }

  private mutating func head(byteCount: Int, hash: () -> String) throws(SigningError) -> [UInt8] {
    guard !isOver, byteCount > 0 else { throw Self.refusal("A chunk is empty, or follows the end of the body.") }
    guard !hasShortChunk else { throw Self.refusal("A chunk of fewer than 8,192 bytes is not the last one.") }
    guard let sum = encodedByteCount.checkedAdding(Int64(byteCount)), sum <= decodedByteCount else {
      throw Self.refusal("The body is longer than x-amz-decoded-content-length states.")
    }
    encodedByteCount = sum
    hasShortChunk = byteCount < S3Limits.minimumChunkByteCount
    return headLine(byteCount, hash)
  }

  private mutating func headLine(_ byteCount: Int, _ hash: () -> String) -> [UInt8] {
    var line = String(byteCount, radix: 16)
    if payload.hasSignedChunks { line += S3ChunkText.signature + chain.sign(chunkWith: hash()) }
    return Array(line.utf8) + Self.chunkEnd
  }

  /// Returns the end of the body: the empty chunk and the trailer.
  ///
  /// - Parameter trailer: The value of the trailer whose name `x-amz-trailer` contains, such as a checksum in Base64.
  ///   Pass `nil` for a body without trailers.
  /// - Throws: `SigningError.Code.invalidRequest` if the body is shorter than the request specifies, if the format of
  ///   the body requires a trailer and `trailer` is `nil`, or if the format does not allow the given trailer.
  public mutating func end(trailer: String? = nil) throws(SigningError) -> [UInt8] {
    guard !isOver, encodedByteCount == decodedByteCount else {
      throw Self.refusal("The body is shorter than x-amz-decoded-content-length states, or has ended.")
    }
    guard (trailer != nil) == (trailerName != nil), trailer?.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) ?? true else {
      throw Self.refusal("The trailer is not the one that x-amz-trailer announces.")
    }
    isOver = true
    var bytes = headLine(0) { S3Text.emptyHash.description }
    if let trailerName, let trailer {
      bytes += Array("\(trailerName):\(trailer)".utf8) + Self.chunkEnd
      if payload.hasSignedChunks {
        let signature = chain.signature(ofTrailer: trailerName, trailer)
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
  ///   - trailer: The name and the value of the trailer, or `nil` for a body without trailers. The length of a checksum
  ///     does not depend on the object.
  /// - Returns: The size, or `nil` if a parameter is out of range or the format has no chunks.
  public static func byteCount(
    ofBody decodedByteCount: Int64, inChunksOf chunkByteCount: Int, as payload: S3Payload,
    trailer: (name: String, value: String)? = nil
  ) -> Int64? {
    guard payload.isChunked, (trailer != nil) == payload.hasTrailer, decodedByteCount >= 0,
      chunkByteCount >= S3Limits.minimumChunkByteCount
    else { return nil }
    func frame(_ count: Int64) -> Int64 {
      Int64(String(count, radix: 16).utf8.count + 2)
        + (payload.hasSignedChunks ? Int64(S3ChunkText.signature.utf8.count + S3Limits.hexDigitCount) : 0)
    }
    let (full, rest) = decodedByteCount.quotientAndRemainder(dividingBy: Int64(chunkByteCount))
    let (frames, overflow) = full.multipliedReportingOverflow(by: frame(Int64(chunkByteCount)) + 2)
    guard !overflow, let body = decodedByteCount.checkedAdding(frames) else { return nil }
    var end = frame(0) + 2 + (rest > 0 ? frame(rest) + 2 : 0)
    if let trailer {
      end += Int64(trailer.name.utf8.count + trailer.value.utf8.count + 3)
      if payload.hasSignedChunks {
        end += Int64(S3ChunkText.trailerSignature.utf8.count + S3Limits.hexDigitCount + 3)
      }
    }
    return body.checkedAdding(end)
  }

  private static func refusal(_ message: String) -> SigningError {
    SigningError(
      .invalidRequest, message, remedy: "Send as many bytes as announced, in chunks of one size, and end the body once."
    )
  }
}

/// A decoder of chunked bodies that verifies their signatures, and returns a chunk's bytes only after its verification.
///
/// The caller must not make the decoded bytes visible before ``finish()`` returns. The decoder buffers at most one
/// chunk. If the chunks are not signed, it buffers no chunks.
package struct S3ChunkDecoder: BodyDecoder {
  /// The checksum in the trailer, after the decoder has compared it with the decoded bytes.
  package private(set) var checksum: (algorithm: S3Checksum.Algorithm, base64: String)?

  package let decodedByteCount: Int64

  private enum State {
    case head, data(Int64), dataEnd, trailer, done
  }

  private let payload: S3Payload
  private let maximumChunkByteCount: Int64
  private var chain: S3ChunkChain
  private var running: S3Checksum?
  private var state = State.head
  /// The received bytes of an incomplete line.
  private var line: [UInt8] = []
  /// The received bytes of a chunk whose signature has not been verified.
  private var held: [UInt8] = []
  private var claimedSignature = ""
  private var chunkCount = 0
  private var chunkByteCount: Int64 = 0
  private var announcedByteCount: Int64 = 0
  private var trailerByteCount = 0
  private var trailerValue: String?
  private var hasTrailerSignature = false
  private var hasFailed = false
  private var surplusLines = 0

  /// The maximum length of the line before a chunk: 15 digits, the signature and the line break, rounded up.
  private static let headByteCount = 128

  /// Creates a decoder for the body of a verified request; it buffers signed chunks of up to a maximum size.
  package init(
    for claim: S3Claim, against key: AccessKey, maximumChunkByteCount: Int = 16 << 20
  ) throws(VerificationError) {
    guard claim.payload.isChunked else { throw .malformed("The body is not in chunks.") }
    let framing = try S3Framing(of: claim.request, as: claim.payload)
    payload = claim.payload
    self.maximumChunkByteCount = Int64(maximumChunkByteCount)
    decodedByteCount = framing.decodedByteCount
    running = framing.trailer.map { S3Checksum($0) }
    let scope = claim.scope
    chain = S3ChunkChain(scope: scope, key: scope.signingKey(of: key), seed: claim.authorization.signature)
  }

  /// Decodes the next bytes of the body, which can be split at any position, and returns those that are verified.
  ///
  /// After an error, the caller must discard all decoded bytes; all further calls throw as well.
  package mutating func decode(_ bytes: [UInt8]) throws(VerificationError) -> [UInt8] {
    guard !hasFailed else { throw Self.incomplete("The body was refused before.") }
    var output: [UInt8] = []
    do throws(VerificationError) {
      var rest = bytes[...]
      while !rest.isEmpty {
        if case .data(let remaining) = state {
          let taken = rest.prefix(Int(clamping: remaining))
          rest = rest.dropFirst(taken.count)
          if payload.hasSignedChunks {
            held += taken
          } else {
            running?.update(Array(taken))
            output += taken
          }
          let left = remaining - Int64(taken.count)
          state = left == 0 ? .dataEnd : .data(left)
        } else if let byte = rest.popFirst() {
          try read(byte, into: &output)
        }
      }
    } catch {
      hasFailed = true
      throw error
    }
    return output
  }

  /// Throws an error with the code `IncompleteBody` if the body is incomplete after its last bytes.
  package mutating func finish() throws(VerificationError) {
    guard case .done = state, line.isEmpty, !hasFailed else {
      hasFailed = true
      throw Self.incomplete("The body ends before its last chunk or its trailer.")
    }
  }

  private mutating func read(_ byte: UInt8, into output: inout [UInt8]) throws(VerificationError) {
    line.append(byte)
    if case .trailer = state { trailerByteCount += 1 }
    guard line.count <= (isInTrailer ? S3Limits.trailerByteCount : Self.headByteCount),
      trailerByteCount <= S3Limits.trailerByteCount
    else { throw isInTrailer ? Self.malformedTrailer : Self.malformedChunk("A line of the framing is too long.") }
    guard byte == UInt8(ascii: "\n") else { return }
    let ended = line
    line.removeAll(keepingCapacity: true)
    switch state {
    case .head: try readHead(ended)
    case .dataEnd:
      guard ended == S3ChunkEncoder.chunkEnd else { throw Self.malformedChunk("The size of a chunk is wrong.") }
      try endChunk(into: &output)
      state = .head
    case .trailer: try readTrailer(ended)
    case .done:
      // A MinIO client ends a body with trailers with one extra empty line.
      surplusLines += 1
      guard ended == S3ChunkEncoder.chunkEnd, payload == .unsignedChunksWithTrailer, surplusLines == 1 else {
        throw Self.malformedChunk("There are bytes after the end of the body.")
      }
    case .data: break
    }
  }

  private var isInTrailer: Bool {
    if case .trailer = state { true } else { false }
  }

  /// Parses the line before a chunk, which contains the chunk's size and, in a signed body, its signature.
  private mutating func readHead(_ bytes: [UInt8]) throws(VerificationError) {
    guard bytes.suffix(2) == S3ChunkEncoder.chunkEnd[...] else {
      throw Self.malformedChunk("The line before a chunk does not end with CR LF.")
    }
    let parts = bytes.dropLast(2).split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let size = parts.first.flatMap(Self.size) else {
      throw Self.malformedChunk("The size of a chunk is malformed.")
    }
    let prefix = S3ChunkText.signature.utf8.dropFirst()
    if payload.hasSignedChunks {
      guard parts.count == 2, parts[1].starts(with: prefix), parts[1].count == prefix.count + 64,
        let signature = String(validating: parts[1].suffix(64), as: UTF8.self),
        signature.isLowerHex(byteCount: SHA256.digestByteCount)
      else { throw Self.malformedChunk("The signature of a chunk is missing or malformed.") }
      claimedSignature = signature
    } else if parts.count != 1 {
      throw Self.malformedChunk("A chunk of a body without signatures has an extension.")
    }
    guard let sum = announcedByteCount.checkedAdding(size), sum <= decodedByteCount else {
      throw Self.incomplete("The chunks have more bytes than x-amz-decoded-content-length states.")
    }
    if size > 0, chunkCount > 0, chunkByteCount < Int64(S3Limits.minimumChunkByteCount) {
      throw VerificationError(
        .malformed, "Only the last chunk is allowed to have a size less than 8192 bytes.",
        remedy: "Send larger chunks."
      ).with(serviceCode: "InvalidChunkSizeError")
    }
    guard !payload.hasSignedChunks || size <= maximumChunkByteCount else {
      throw VerificationError(
        .limitExceeded, "A signed chunk has more than \(maximumChunkByteCount) bytes.", remedy: "Send smaller chunks."
      ).with(serviceCode: "InvalidChunkSizeError")
    }
    announcedByteCount = sum
    chunkByteCount = size
    chunkCount += 1
    guard size == 0 else {
      state = .data(size)
      return
    }
    guard announcedByteCount == decodedByteCount else {
      throw Self.incomplete("The chunks have fewer bytes than x-amz-decoded-content-length states.")
    }
    var none: [UInt8] = []
    try endChunk(into: &none)
    state = .trailer
  }

  /// Parses an integer of 1 to 15 hexadecimal digits.
  private static func size(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard (1...15).contains(digits.count) else { return nil }
    var value: Int64 = 0
    for digit in digits {
      guard let digit = hexValue(digit) else { return nil }
      value = value << 4 | Int64(digit)
    }
    return value
  }

  /// Verifies the signature of the buffered chunk, and appends the chunk's bytes to the output.
  private mutating func endChunk(into output: inout [UInt8]) throws(VerificationError) {
    guard payload.hasSignedChunks else { return }
    let expected = chain.sign(chunkWith: SHA256.hash(held).hex)
    guard constantTimeEqual(expected, claimedSignature) else {
      held.removeAll()
      throw Self.mismatch("The signature of chunk \(chunkCount) does not match.")
    }
    running?.update(held)
    output += held
    held.removeAll(keepingCapacity: true)
  }

  private mutating func readTrailer(_ bytes: [UInt8]) throws(VerificationError) {
    let text = bytes.dropLast(bytes.suffix(2) == S3ChunkEncoder.chunkEnd[...] ? 2 : 1)
    if text.isEmpty {
      guard payload.hasTrailer else {
        state = .done
        return
      }
      guard trailerValue != nil else { throw Self.malformedTrailer }
      if payload.hasSignedChunks, !hasTrailerSignature {
        // A MinIO client sends one extra empty line before the signature.
        surplusLines += 1
        guard surplusLines == 1 else { throw Self.malformedTrailer }
        return
      }
      try checkSum()
      return
    }
    guard let running, let colon = text.firstIndex(of: UInt8(ascii: ":")),
      let name = String(validating: text[..<colon], as: UTF8.self)?.asciiLowercased,
      let value = String(validating: text[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self),
      !hasTrailerSignature, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    else { throw Self.malformedTrailer }
    if let trailerValue {
      guard payload.hasSignedChunks, name == S3ChunkText.trailerSignature,
        value.isLowerHex(byteCount: SHA256.digestByteCount)
      else {
        throw Self.malformedTrailer
      }
      let expected = chain.signature(ofTrailer: running.algorithm.fieldName, trailerValue)
      guard constantTimeEqual(expected, value) else {
        throw Self.mismatch("The signature of the trailer does not match.")
      }
      hasTrailerSignature = true
    } else {
      guard name.isIdentical(to: running.algorithm.fieldName) else { throw Self.malformedTrailer }
      trailerValue = value
    }
  }

  /// Compares the checksum in the trailer with the checksum of the decoded bytes, and ends the body.
  private mutating func checkSum() throws(VerificationError) {
    guard let running, let trailerValue else { throw Self.malformedTrailer }
    guard running.base64.isIdentical(to: trailerValue) else {
      throw VerificationError(
        .mismatch,
        "The \(running.algorithm.rawValue.asciiUppercased) you specified did not match the calculated checksum.",
        remedy: "Send the object again."
      ).with(serviceCode: "BadDigest")
    }
    checksum = (running.algorithm, trailerValue)
    surplusLines = 0
    state = .done
  }

  private static func malformedChunk(_ message: String) -> VerificationError {
    VerificationError(.malformed, message, remedy: "Frame the body as documented for chunked uploads.")
      .with(serviceCode: "IncompleteBody")
  }

  private static func incomplete(_ message: String) -> VerificationError {
    VerificationError(.malformed, message, remedy: "Send as many bytes as announced.").with(
      serviceCode: "IncompleteBody")
  }

  private static func mismatch(_ message: String) -> VerificationError {
    VerificationError(.mismatch, message, remedy: "Sign each chunk with the signature before it.")
      .with(serviceCode: "SignatureDoesNotMatch")
  }

  private static let malformedTrailer = VerificationError(
    .malformed, "The trailer is missing, malformed, or not the one that x-amz-trailer announces.",
    remedy: "Send the one trailer that x-amz-trailer names, and its signature if the chunks are signed."
  ).with(serviceCode: "MalformedTrailerError")
}

struct S3Framing {
  let decodedByteCount: Int64
  /// The checksum algorithm of the trailer, or `nil` for a body without trailers.
  let trailer: S3Checksum.Algorithm?

  init(of request: HTTPRequest, as payload: S3Payload) throws(VerificationError) {
    let fields = request.headerFields
    guard let text = try fields.uniqueValue(for: .s3DecodedContentLength) else {
      throw VerificationError(
        .malformed, "The header x-amz-decoded-content-length is missing.",
        remedy: "Send the number of bytes of the object."
      ).with(serviceCode: "MissingContentLength")
    }
    guard !text.isEmpty, let count = Int64(digits: text) else {
      throw VerificationError(
        .malformed, "The header x-amz-decoded-content-length is not a number.",
        remedy: "Send the number of bytes of the object."
      ).with(serviceCode: "InvalidArgument")
    }
    decodedByteCount = count
    let name = try fields.uniqueValue(for: .s3Trailer)
    trailer = name.flatMap { S3Checksum.Algorithm(fieldName: $0) }
    guard (name != nil) == payload.hasTrailer, name == nil || trailer != nil else {
      throw VerificationError(
        .malformed, "The header x-amz-trailer does not name one checksum, or does not go with the form of the body.",
        remedy: "Name the one checksum that follows the body, for a body with trailers alone."
      ).with(serviceCode: "MalformedTrailerError")
    }
  }
}
