// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth
internal import StorageCrypto

/// A decoder of chunked bodies that verifies their signatures, and returns a chunk's bytes only after its verification.
///
/// The caller must not publish the decoded bytes before ``finish()`` returns. At most one signed chunk is buffered.
package struct S3ChunkDecoder: BodyDecoder {
  /// The checksum in the trailer, after the decoder has compared it with the decoded bytes.
  package private(set) var checksum: (algorithm: S3Checksum.Algorithm, base64: String)?

  package let decodedByteCount: Int64

  /// The part of the body to which the next byte belongs.
  private enum Position {
    /// The line before a chunk, with its size and signature.
    case head
    /// The bytes of a chunk, of which some remain to be received.
    case data(remaining: Int64)
    /// The line break after the bytes of a chunk.
    case dataEnd
    /// The lines after the empty chunk, up to an empty line.
    case trailer
    case done
  }

  private let payload: S3Payload
  private let maximumChunkByteCount: Int64
  private var chain: S3ChunkChain
  private var runningChecksum: S3Checksum?
  private var position = Position.head
  private var framingLine: [UInt8] = []
  private var unverifiedBytes: [UInt8] = []
  private var claimedSignature = ""
  /// The number of the current chunk, starting with 1.
  private var chunkNumber = 0
  private var chunkByteCount: Int64 = 0
  /// The sum of the sizes that the chunks have stated so far.
  private var announcedByteCount: Int64 = 0
  private var trailerByteCount = 0
  private var trailerValue: String?
  private var hasTrailerSignature = false
  private var hasFailed = false
  /// The number of empty lines that the format does not have, in the trailer or after the body.
  private var surplusLineCount = 0

  /// The maximum length of the line before a chunk: 15 digits, the signature and the line break, rounded up.
  private static let headByteLimit = 128
  /// The default maximum size of a signed chunk, which is buffered, in bytes; the vendor's SDKs send up to 128 KiB.
  package static let defaultChunkByteLimit = 16 << 20

  package init(
    for claim: S3Claim, against key: AccessKey, maximumChunkByteCount: Int = defaultChunkByteLimit
  ) throws(VerificationError) {
    guard claim.payload.isChunked else { throw .malformed("The body is not in chunks.") }
    let framing = try S3ChunkFraming(of: claim.request, as: claim.payload)
    payload = claim.payload
    self.maximumChunkByteCount = Int64(maximumChunkByteCount)
    decodedByteCount = framing.decodedByteCount
    runningChecksum = framing.trailer.map { S3Checksum($0) }
    let scope = claim.scope
    chain = S3ChunkChain(scope: scope, key: scope.signingKey(of: key), previousSignature: claim.authorization.signature)
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
        if case .data(let remaining) = position {
          let piece = rest.prefix(Int(clamping: remaining))
          rest = rest.dropFirst(piece.count)
          if payload.hasSignedChunks {
            unverifiedBytes += piece
          } else {
            runningChecksum?.update(Array(piece))
            output += piece
          }
          let missingByteCount = remaining - Int64(piece.count)
          position = missingByteCount == 0 ? .dataEnd : .data(remaining: missingByteCount)
        } else if let byte = rest.popFirst() {
          try readFramingByte(byte, into: &output)
        }
      }
    } catch {
      hasFailed = true
      throw error
    }
    return output
  }

  /// Throws the error `IncompleteBody` if the body is incomplete after its last bytes.
  package mutating func finish() throws(VerificationError) {
    guard case .done = position, framingLine.isEmpty, !hasFailed else {
      hasFailed = true
      throw Self.incomplete("The body ends before its last chunk or its trailer.")
    }
  }

  /// Reads a byte of a line between the chunks, and parses the line at its end.
  private mutating func readFramingByte(_ byte: UInt8, into output: inout [UInt8]) throws(VerificationError) {
    framingLine.append(byte)
    if isInTrailer { trailerByteCount += 1 }
    guard framingLine.count <= (isInTrailer ? S3Limits.trailerByteLimit : Self.headByteLimit),
      trailerByteCount <= S3Limits.trailerByteLimit
    else { throw isInTrailer ? Self.malformedTrailer : Self.malformedChunk("A line of the framing is too long.") }
    guard byte == UInt8(ascii: "\n") else { return }
    let endedLine = framingLine
    framingLine.removeAll(keepingCapacity: true)
    switch position {
    case .head: try readHead(endedLine)
    case .dataEnd:
      guard endedLine == S3ChunkEncoder.chunkEnd else { throw Self.malformedChunk("The size of a chunk is wrong.") }
      try endChunk(into: &output)
      position = .head
    case .trailer: try readTrailer(endedLine)
    case .done:
      // A MinIO client ends a body with trailers with one extra empty line.
      surplusLineCount += 1
      guard endedLine == S3ChunkEncoder.chunkEnd, payload == .unsignedChunksWithTrailer, surplusLineCount == 1 else {
        throw Self.malformedChunk("There are bytes after the end of the body.")
      }
    case .data: break
    }
  }

  private var isInTrailer: Bool { if case .trailer = position { true } else { false } }

  /// Parses the line before a chunk, and begins the chunk, or the trailer after the empty chunk.
  private mutating func readHead(_ bytes: [UInt8]) throws(VerificationError) {
    let (size, signature) = try parseHead(bytes)
    claimedSignature = signature
    try beginChunk(of: size)
    guard size == 0 else {
      position = .data(remaining: size)
      return
    }
    guard announcedByteCount == decodedByteCount else {
      throw Self.incomplete("The chunks have fewer bytes than x-amz-decoded-content-length states.")
    }
    // The empty chunk is signed like the others, and adds no bytes to the output.
    var noOutput: [UInt8] = []
    try endChunk(into: &noOutput)
    position = .trailer
  }

  /// Returns the size of a chunk and, in a signed body, its signature, which are in the line before the chunk.
  private func parseHead(_ bytes: [UInt8]) throws(VerificationError) -> (size: Int64, signature: String) {
    guard bytes.suffix(2) == S3ChunkEncoder.chunkEnd[...] else {
      throw Self.malformedChunk("The line before a chunk does not end with CR LF.")
    }
    let parts = bytes.dropLast(2).split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let size = parts.first.flatMap(Self.chunkSize) else {
      throw Self.malformedChunk("The size of a chunk is malformed.")
    }
    guard payload.hasSignedChunks else {
      guard parts.count == 1 else {
        throw Self.malformedChunk("A chunk of a body without signatures has an extension.")
      }
      return (size, "")
    }
    let prefix = S3ChunkText.signature.utf8.dropFirst()
    guard parts.count == 2, parts[1].starts(with: prefix), parts[1].count == prefix.count + S3Limits.hexDigitCount,
      let signature = String(utf8: parts[1].suffix(S3Limits.hexDigitCount)),
      signature.isLowerHex(byteCount: SHA256.digestByteCount)
    else { throw Self.malformedChunk("The signature of a chunk is missing or malformed.") }
    return (size, signature)
  }

  /// Counts a chunk and its bytes, and rejects a size that S3 or this decoder does not allow.
  private mutating func beginChunk(of size: Int64) throws(VerificationError) {
    guard let sum = announcedByteCount.checkedAdding(size), sum <= decodedByteCount else {
      throw Self.incomplete("The chunks have more bytes than x-amz-decoded-content-length states.")
    }
    if size > 0, chunkNumber > 0, chunkByteCount < Int64(S3Limits.minimumChunkByteCount) {
      throw .s3(
        "InvalidChunkSizeError", .malformed, "Only the last chunk is allowed to have a size less than 8192 bytes.",
        remedy: "Send larger chunks.")
    }
    guard !payload.hasSignedChunks || size <= maximumChunkByteCount else {
      throw .s3(
        "InvalidChunkSizeError", .limitExceeded, "A signed chunk has more than \(maximumChunkByteCount) bytes.",
        remedy: "Send smaller chunks.")
    }
    announcedByteCount = sum
    chunkByteCount = size
    chunkNumber += 1
  }

  /// Parses an integer of 1 to 15 hexadecimal digits, which fits in an `Int64`.
  private static func chunkSize(_ digits: ArraySlice<UInt8>) -> Int64? {
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
    let expected = chain.sign(chunkWith: SHA256.hash(unverifiedBytes).hex)
    guard constantTimeEqual(expected, claimedSignature) else {
      unverifiedBytes.removeAll()
      throw Self.mismatch("The signature of chunk \(chunkNumber) does not match.")
    }
    runningChecksum?.update(unverifiedBytes)
    output += unverifiedBytes
    unverifiedBytes.removeAll(keepingCapacity: true)
  }

  /// Parses a line of the trailer: the checksum, its signature, or the empty line that ends the body.
  private mutating func readTrailer(_ bytes: [UInt8]) throws(VerificationError) {
    let text = bytes.dropLast(bytes.suffix(2) == S3ChunkEncoder.chunkEnd[...] ? 2 : 1)
    guard !text.isEmpty else { return try endTrailer() }
    guard let running = runningChecksum, let colon = text.firstIndex(of: UInt8(ascii: ":")),
      let name = String(utf8: text[..<colon])?.asciiLowercased,
      let value = String(utf8: text[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }),
      !hasTrailerSignature, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    else { throw Self.malformedTrailer }
    if let trailerValue {
      guard payload.hasSignedChunks, name == S3ChunkText.trailerSignature,
        value.isLowerHex(byteCount: SHA256.digestByteCount)
      else { throw Self.malformedTrailer }
      let expected = chain.signature(ofTrailer: running.algorithm.fieldName, value: trailerValue)
      guard constantTimeEqual(expected, value) else {
        throw Self.mismatch("The signature of the trailer does not match.")
      }
      hasTrailerSignature = true
    } else {
      guard name.isIdentical(to: running.algorithm.fieldName) else { throw Self.malformedTrailer }
      trailerValue = value
    }
  }

  /// Ends the body at an empty line, unless a signature is due: then one surplus line is skipped.
  private mutating func endTrailer() throws(VerificationError) {
    guard payload.hasTrailer else {
      position = .done
      return
    }
    guard trailerValue != nil else { throw Self.malformedTrailer }
    if payload.hasSignedChunks, !hasTrailerSignature {
      // A MinIO client sends one extra empty line before the signature.
      surplusLineCount += 1
      guard surplusLineCount == 1 else { throw Self.malformedTrailer }
      return
    }
    try verifyChecksum()
    surplusLineCount = 0
    position = .done
  }

  private mutating func verifyChecksum() throws(VerificationError) {
    guard let running = runningChecksum, let trailerValue else { throw Self.malformedTrailer }
    guard running.base64.isIdentical(to: trailerValue) else {
      throw .s3(
        "BadDigest", .mismatch,
        "The \(running.algorithm.rawValue.asciiUppercased) you specified did not match the calculated checksum.",
        remedy: "Send the object again.")
    }
    checksum = (running.algorithm, trailerValue)
  }

  private static func malformedChunk(_ message: String) -> VerificationError {
    .s3("IncompleteBody", .malformed, message, remedy: "Frame the body as documented for chunked uploads.")
  }

  private static func incomplete(_ message: String) -> VerificationError {
    .s3("IncompleteBody", .malformed, message, remedy: "Send as many bytes as announced.")
  }

  private static func mismatch(_ message: String) -> VerificationError {
    .s3("SignatureDoesNotMatch", .mismatch, message, remedy: "Sign each chunk with the signature before it.")
  }

  private static let malformedTrailer = VerificationError.s3(
    "MalformedTrailerError", .malformed,
    "The trailer is missing, malformed, or not the one that x-amz-trailer announces.",
    remedy: "Send the one trailer that x-amz-trailer names, and its signature if the chunks are signed.")
}
