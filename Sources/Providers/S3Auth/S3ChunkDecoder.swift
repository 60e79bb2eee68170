// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// A decoder of chunked bodies that verifies their signatures, and returns a chunk's bytes only after its verification.
///
/// ```swift
/// guard var decoder = verified.bodyDecoder else { … }
/// for try await bytes in body { try await store(decoder.decode(bytes)) }
/// try decoder.finish()
/// ```
///
/// The caller must not make the decoded bytes visible before ``finish()`` returns. The decoder buffers at most one
/// chunk. If the chunks are not signed, it buffers no chunks.
///
/// Sources: AWS, "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks (Chunked
/// Upload)", <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html>, and "… Including Trailing
/// Headers", <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html>.
package struct S3ChunkDecoder: BodyDecoder {
  /// The checksum in the trailer, after the decoder has compared it with the decoded bytes.
  ///
  /// It is `nil` before the end of the body, and for a body without a checksum.
  package private(set) var checksum: (algorithm: S3Checksum.Algorithm, base64: String)?

  /// The object size in bytes that the request specifies.
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

  /// Creates a decoder for the body of a verified request.
  ///
  /// - Parameters:
  ///   - claim: The claim of the request, whose signature was verified.
  ///   - key: The access key with which the request was verified.
  ///   - maximumChunkByteCount: The maximum size, in bytes, of a signed chunk, which the decoder buffers.
  /// - Throws: A `VerificationError` if the request was not signed for a chunked body, or if the length or the trailer
  ///   name is missing.
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

  /// Decodes the next bytes of the body, which can be split at any position.
  ///
  /// - Parameter bytes: The next bytes of the encoded body.
  /// - Returns: The object's bytes that have been verified since the last call, which may be empty.
  /// - Throws: A `VerificationError` if the framing is malformed, if a chunk is too short or too long, or if a
  ///   signature or the checksum is wrong. The caller must then discard all decoded bytes; all further calls throw as
  ///   well.
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

  /// Checks that the body is complete after its last bytes have been decoded.
  ///
  /// - Throws: A `VerificationError` with the service's error code `IncompleteBody` if the body is incomplete.
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
        let signature = String(validating: parts[1].suffix(64), as: UTF8.self), isLowerHex(signature)
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
      guard payload.hasSignedChunks, name == S3ChunkText.trailerSignature, isLowerHex(value) else {
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

/// The values of the headers that describe a chunked body.
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
