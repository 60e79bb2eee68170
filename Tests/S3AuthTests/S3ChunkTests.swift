// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import S3Auth
import SigningProperties
import StorageAuth
import StorageCrypto
import XCTest

/// Known answers for chunked bodies.
enum S3ChunkVectors {
  static func check(_ vector: S3Vector) throws {
    let signed = try vector.signer().signed(vector.request, with: vector.key, in: .at(vector.timestamp))
    XCTAssertEqual(signed.headerFields[.authorization], vector.expected.authorization, vector.id)
    let wire = try encode(vector, signed)
    XCTAssertEqual(SHA256.hash(wire).hex, vector.expected.wireSha256, vector.id)
    if let text = vector.expected.wire { XCTAssertEqual(String(decoding: wire, as: UTF8.self), text, vector.id) }
    XCTAssertEqual(wire.count, vector.expected.contentLength, vector.id)
    let body = try XCTUnwrap(vector.body).bytes
    let payload = try XCTUnwrap(S3Payload(header: vector.payloadHash ?? ""))
    let size = try max(XCTUnwrap(vector.chunkSizes?.first), 8192)
    XCTAssertEqual(
      S3ChunkEncoder.byteCount(
        ofBody: Int64(body.count), inChunksOf: size, as: payload,
        trailer: vector.trailer.map { (name: $0[0][0], value: $0[0][1]) }),
      Int64(wire.count), vector.id)
    for piece in [1, 7, 4096, wire.count] {
      XCTAssertEqual(try decode(wire, of: vector, signed, inPiecesOf: piece), body, "\(vector.id) in \(piece)")
    }
  }

  /// Returns the framed body and compares the signature of each chunk.
  static func encode(_ vector: S3Vector, _ signed: HTTPRequest) throws -> [UInt8] {
    var encoder = try S3ChunkEncoder(signed, with: vector.key)
    var rest = try XCTUnwrap(vector.body).bytes[...]
    var wire: [UInt8] = []
    for chunk in try XCTUnwrap(vector.expected.chunks) where chunk.size > 0 {
      let bytes = Array(rest.prefix(chunk.size))
      rest = rest.dropFirst(chunk.size)
      var copy = encoder
      let head = try encoder.head(of: bytes)
      XCTAssertEqual(try copy.head(byteCount: bytes.count, sha256: SHA256.hash(bytes).bytes), head, vector.id)
      if let signature = chunk.signature {
        XCTAssertTrue(String(decoding: head, as: UTF8.self).contains(signature), vector.id)
      }
      wire += head + bytes + S3ChunkEncoder.chunkEnd
    }
    let end = try encoder.end(trailer: vector.trailer?[0][1])
    if let signature = vector.expected.trailer?.signature {
      XCTAssertTrue(
        String(decoding: end, as: UTF8.self).contains("x-amz-trailer-signature:\(signature)\r\n"), vector.id)
    }
    return wire + end
  }

  static func decoder(_ vector: S3Vector, _ signed: HTTPRequest, limit: Int = 16 << 20) throws -> S3ChunkDecoder {
    let verifier = S3Verifier(region: vector.region)
    let claim = try XCTUnwrap(verifier.claim(in: signed), vector.id)
    let verified = try verifier.verify(claim, against: vector.key, at: vector.timestamp)
    XCTAssertTrue(verified.bodyDecoder is S3ChunkDecoder, vector.id)
    return try S3ChunkDecoder(for: claim, against: vector.key, maximumChunkByteCount: limit)
  }

  static func decode(
    _ wire: [UInt8], of vector: S3Vector, _ signed: HTTPRequest, inPiecesOf size: Int, limit: Int = 16 << 20
  ) throws -> [UInt8] {
    var decoder = try decoder(vector, signed, limit: limit)
    var body: [UInt8] = []
    for start in stride(from: 0, to: wire.count, by: size) {
      body += try decoder.decode(Array(wire[start..<min(start + size, wire.count)]))
    }
    try decoder.finish()
    return body
  }
}

/// Encoding and decoding of chunked bodies, with tampering and other clients' framing.
final class S3ChunkTests: XCTestCase {
  private struct Sample {
    let vector: S3Vector
    let signed: HTTPRequest
    let wire: [UInt8]

    init(_ id: String) throws {
      vector = try S3Vector.one(id)
      signed = try vector.signer().signed(vector.request, with: vector.key, in: .at(vector.timestamp))
      wire = try S3ChunkVectors.encode(vector, signed)
    }

    func decode(_ wire: [UInt8], limit: Int = 16 << 20) throws -> [UInt8] {
      try S3ChunkVectors.decode(wire, of: vector, signed, inPiecesOf: 4096, limit: limit)
    }

    /// The code of the rejection, or `nil` if the decoder accepts the body.
    func code(_ wire: [UInt8], limit: Int = 16 << 20) -> String? {
      do {
        _ = try decode(wire, limit: limit)
        return nil
      } catch {
        return (error as? VerificationError)?.serviceCode ?? "another error"
      }
    }

    func code(_ text: String) -> String? { code(Array(text.utf8)) }

    var text: String { String(decoding: wire, as: UTF8.self) }
  }

  func testEveryByteOfASmallBodyIsProtected() throws {
    for id in ["chunked-one", "chunked-empty", "chunked-trailer-crc32", "chunked-trailer-crc64nvme"] {
      let sample = try Sample(id)
      XCTAssertNil(sample.code(sample.wire), id)
      for index in sample.wire.indices {
        var changed = sample.wire
        changed[index] ^= 0x01
        XCTAssertNotNil(sample.code(changed), "\(id) byte \(index)")
        XCTAssertNotNil(sample.code(Array(sample.wire[..<index])), "\(id) truncated at \(index)")
      }
      XCTAssertNotNil(sample.code(sample.wire + [0x0a]), id)
    }
  }

  // matrix: S3 V4: verify
  func testChangedSwappedDroppedAndTruncatedChunksAreRejected() throws {
    let sample = try Sample("chunked-exact")
    let frame = sample.wire.firstIndex(of: 0x0a).map { $0 + 1 + 8192 + 2 } ?? 0
    let (first, second, end) = (
      Array(sample.wire[..<frame]), Array(sample.wire[frame..<(2 * frame)]), Array(sample.wire[(2 * frame)...])
    )
    XCTAssertNil(sample.code(first + second + end))
    XCTAssertEqual(sample.code(second + first + end), "SignatureDoesNotMatch")
    XCTAssertEqual(sample.code(first + first + end), "SignatureDoesNotMatch")
    XCTAssertEqual(sample.code(first + end), "IncompleteBody")
    XCTAssertEqual(sample.code(first + second), "IncompleteBody")
    XCTAssertEqual(sample.code(first), "IncompleteBody")
    XCTAssertEqual(sample.code(first + second + second + end), "IncompleteBody")
    var changed = second
    changed[changed.count - 10] ^= 1
    XCTAssertEqual(sample.code(first + changed + end), "SignatureDoesNotMatch")
    XCTAssertEqual(sample.code(first + second + end + end), "IncompleteBody")
    XCTAssertEqual(sample.code(sample.wire, limit: 8191), "InvalidChunkSizeError")
    XCTAssertNil(sample.code(sample.wire, limit: 8192))
  }

  func testBytesAreReleasedOnlyAfterTheirSignatureVerifies() throws {
    let sample = try Sample("chunked-exact")
    var wire = sample.wire
    let frame = wire.firstIndex(of: 0x0a).map { $0 + 1 + 8192 + 2 } ?? 0
    wire[frame + 200] ^= 1
    var decoder = try S3ChunkVectors.decoder(sample.vector, sample.signed)
    var output = try decoder.decode(Array(wire[..<(frame - 1)]))
    XCTAssertEqual(output, [], "the first chunk is incomplete")
    output = try decoder.decode(Array(wire[(frame - 1)..<(2 * frame - 1)]))
    XCTAssertEqual(output.count, 8192)
    XCTAssertThrowsError(try decoder.decode(Array(wire[(2 * frame - 1)...])))
    XCTAssertThrowsError(try decoder.decode([]), "a decoder that failed keeps failing")
    XCTAssertThrowsError(try decoder.finish())
  }

  func testSmallChunksBeforeTheLastAreRejected() throws {
    let vector = try S3Vector.one("unsigned-trailer-crc64nvme")
    let sample = try Sample("unsigned-trailer-crc64nvme")
    let body = try XCTUnwrap(vector.body).bytes
    let end = Array(sample.text[try XCTUnwrap(sample.text.range(of: "0\r\nx-amz")).lowerBound...].utf8)
    func framed(_ sizes: [Int]) -> [UInt8] {
      var rest = body[...]
      var wire: [UInt8] = []
      for size in sizes {
        wire += Array("\(String(size, radix: 16))\r\n".utf8) + rest.prefix(size) + [0x0d, 0x0a]
        rest = rest.dropFirst(size)
      }
      return wire + end
    }
    XCTAssertNil(sample.code(framed([8192, 11_808])))
    XCTAssertNil(sample.code(framed([19_999, 1])))
    XCTAssertEqual(sample.code(framed([8191, 11_809])), "InvalidChunkSizeError")
    XCTAssertEqual(sample.code(framed([10_000, 1, 9_999])), "InvalidChunkSizeError")
    XCTAssertEqual(sample.code(framed([10_000])), "IncompleteBody")
    XCTAssertEqual(sample.code(framed([10_000, 10_001])), "IncompleteBody")
  }

  // matrix: S3 V4: bad input
  func testMalformedFramingIsRejected() throws {
    let sample = try Sample("unsigned-trailer-crc32")
    let crc = "x-amz-checksum-crc32:NhCmhg==\r\n"
    XCTAssertEqual(sample.text, "5\r\nhello\r\n0\r\n\(crc)\r\n")
    for head in [
      "0x5", "+5", "-5", " 5", "5 ", "", "5;a=b", "5;chunk-signature=\(String(repeating: "0", count: 64))", "g",
      "10000000000000000000005", "7fffffffffffffff", "ffffffffffffffff", "4", "6",
      String(repeating: "0", count: 200) + "5",
    ] {
      XCTAssertNotNil(sample.code("\(head)\r\nhello\r\n0\r\n\(crc)\r\n"), head)
    }
    XCTAssertNotNil(sample.code("5\nhello\r\n0\r\n\(crc)\r\n"))
    XCTAssertNotNil(sample.code("5\r\nhello\n0\r\n\(crc)\r\n"))
    XCTAssertNil(sample.code("05\r\nhello\r\n0\r\n\(crc)\r\n"))
    XCTAssertEqual(sample.code("hello"), "IncompleteBody")
    XCTAssertEqual(sample.code(""), "IncompleteBody")
  }

  func testTrailersMustBeDeclaredAndTheirChecksumsMatch() throws {
    let sample = try Sample("unsigned-trailer-crc32")
    func code(_ trailers: String) -> String? { sample.code("5\r\nhello\r\n0\r\n\(trailers)") }
    XCTAssertNil(code("X-Amz-Checksum-CRC32: NhCmhg==\r\n\r\n"))
    XCTAssertEqual(code("x-amz-checksum-crc32:NhCmhA==\r\n\r\n"), "BadDigest")
    XCTAssertEqual(code("x-amz-checksum-crc32c:NhCmhg==\r\n\r\n"), "MalformedTrailerError")
    XCTAssertEqual(code("\r\n"), "MalformedTrailerError")
    XCTAssertEqual(code("x-amz-checksum-crc32:NhCmhg==\r\nx-amz-meta-a:b\r\n\r\n"), "MalformedTrailerError")
    XCTAssertEqual(
      code("x-amz-checksum-crc32:NhCmhg==\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n"), "MalformedTrailerError")
    XCTAssertEqual(code("x-amz-checksum-crc32:NhCmhg==\r\n"), "IncompleteBody")
    XCTAssertEqual(code("x-amz-checksum-crc32\r\n\r\n"), "MalformedTrailerError")
    XCTAssertEqual(
      code("x-amz-checksum-crc32:\(String(repeating: "a", count: 20_000))\r\n\r\n"), "MalformedTrailerError")
    XCTAssertEqual(
      code("x-amz-checksum-crc32:NhCmhg==\r\nx-amz-trailer-signature:\(String(repeating: "0", count: 64))\r\n\r\n"),
      "MalformedTrailerError")
  }

  func testMinIOTrailerFramingIsAccepted() throws {
    let unsigned = try Sample("unsigned-trailer-crc32")
    XCTAssertNil(unsigned.code(unsigned.text.replacing("==\r\n\r\n", with: "==\n\r\n\r\n")))
    XCTAssertNotNil(unsigned.code(unsigned.text.replacing("==\r\n\r\n", with: "==\n\r\n\r\n\r\n")))
    let signed = try Sample("chunked-trailer-crc32")
    let minio = signed.text.replacing("==\r\n", with: "==\n\r\n")
    XCTAssertNil(signed.code(minio))
    XCTAssertNotNil(signed.code(signed.text.replacing("==\r\n", with: "==\n\r\n\r\n")))
    let start = try XCTUnwrap(signed.text.range(of: "x-amz-trailer-signature")).lowerBound
    XCTAssertNotNil(signed.code(String(signed.text[..<start]) + "\r\n"), "a trailer without its signature was accepted")
  }

  func testChecksumsMatchKnownAnswers() {
    // "123456789": the check values of the catalogue of CRC algorithms; the hashes were computed with Python.
    let known: [S3Checksum.Algorithm: String] = [
      .crc32: "y/Q5Jg==", .crc32c: "4waSgw==", .crc64nvme: "rosUhgp5mIg=", .sha1: "98O8HYCOBHMq32eZZczDTKeuNEE=",
      .sha256: "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=",
    ]
    for algorithm in S3Checksum.Algorithm.allCases {
      var checksum = S3Checksum(algorithm)
      checksum.update(Array("1234".utf8))
      checksum.update(Array("56789".utf8))
      XCTAssertEqual(checksum.base64, known[algorithm], algorithm.rawValue)
    }
  }

  func testOnlyBodiesInChunksHaveADecoder() throws {
    let claim = try XCTUnwrap(S3Fixture.verifier.claim(in: S3Fixture.signed()))
    XCTAssertNil(try S3Fixture.verifier.verify(claim, against: S3Fixture.key, at: S3Fixture.date).bodyDecoder)
    XCTAssertThrowsError(try S3ChunkDecoder(for: claim, against: S3Fixture.key)) {
      XCTAssertEqual(($0 as? VerificationError)?.code, .malformed)
    }
  }

  func testEncoderRejectsChunksThatTheServiceRejects() throws {
    let vector = try S3Vector.one("chunked-exact")
    let signed = try vector.signer().signed(vector.request, with: vector.key, in: .at(vector.timestamp))
    var encoder = try S3ChunkEncoder(signed, with: vector.key)
    XCTAssertThrowsError(try encoder.head(of: []))
    XCTAssertThrowsError(try encoder.end(), "the body is shorter than declared")
    XCTAssertThrowsError(try encoder.head(of: [UInt8](repeating: 0, count: 16_385)))
    XCTAssertThrowsError(try encoder.head(byteCount: 1, sha256: [1]))
    _ = try encoder.head(of: [UInt8](repeating: 0, count: 8191))
    XCTAssertThrowsError(try encoder.head(of: [UInt8](repeating: 0, count: 8193)), "a short chunk must be the last one")
    XCTAssertThrowsError(try S3ChunkEncoder(vector.request, with: vector.key))
    XCTAssertThrowsError(try S3ChunkEncoder(signed, with: S3Fixture.key))
    XCTAssertNil(S3ChunkEncoder.byteCount(ofBody: .max, inChunksOf: 8192, as: .signedChunks))
    XCTAssertNil(S3ChunkEncoder.byteCount(ofBody: 10, inChunksOf: 8191, as: .signedChunks))
    XCTAssertNil(S3ChunkEncoder.byteCount(ofBody: -1, inChunksOf: 8192, as: .signedChunks))
    XCTAssertNil(S3ChunkEncoder.byteCount(ofBody: 10, inChunksOf: 8192, as: .unsigned))
  }

  func testSignerRequiresTheHeadersOfAChunkedBody() throws {
    let length = S3Fixture.request(.put).adding("x-amz-decoded-content-length", "5")
    for (payload, request, isRight) in [
      (S3Payload.signedChunks, length, true), (.signedChunks, S3Fixture.request(.put), false),
      (.signedChunks, length.adding("x-amz-trailer", "x-amz-checksum-crc32"), false),
      (.unsignedChunksWithTrailer, length, false),
      (.unsignedChunksWithTrailer, length.adding("x-amz-trailer", "x-amz-checksum-crc32"), true),
      (.signedChunks, length.setting("x-amz-decoded-content-length", "5e1"), false),
    ] {
      XCTAssertEqual(
        (try? S3Fixture.signed(request, payload)) != nil, isRight, "\(payload.text) \(request.headerFields)")
    }
  }
}
