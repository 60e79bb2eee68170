// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import S3Auth
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// Tests chunked S3 bodies with signed chunks or a trailing checksum: the handler receives the object, or an error
/// before its end.
final class VerifyingFramedBodyTests: XCTestCase {
  private let object = String(repeating: "a", count: 10_000)

  private func head(
    _ bench: VerifyingBench, _ payload: S3Payload, hasTrailer: Bool, byteCount: Int
  ) throws -> HTTPRequest {
    var fields: HTTPFields = [.contentEncoding: "aws-chunked"]
    fields[try XCTUnwrap(HTTPField.Name("x-amz-decoded-content-length"))] = "\(byteCount)"
    if hasTrailer { fields[try XCTUnwrap(HTTPField.Name("x-amz-trailer"))] = "x-amz-checksum-crc32" }
    return try S3Signer(region: "cn-hangzhou", payload: payload).signed(
      bench.request(.put, headers: fields), with: VerifyingBench.key, in: SigningContext(date: bench.time.now))
  }

  private func framed(
    _ bench: VerifyingBench, _ payload: S3Payload, trailer: String? = nil
  ) throws -> (request: HTTPRequest, body: String) {
    let signed = try head(bench, payload, hasTrailer: trailer != nil, byteCount: object.utf8.count)
    var encoder = try S3ChunkEncoder(signed, with: VerifyingBench.key)
    var body = ""
    for chunk in [object.prefix(8_192), object.dropFirst(8_192)] {
      let bytes = Array(chunk.utf8)
      body += String(decoding: try encoder.head(of: bytes), as: UTF8.self) + chunk + "\r\n"
    }
    body += String(decoding: try encoder.end(trailer: trailer), as: UTF8.self)
    return (signed, body)
  }

  /// The CRC-32 of the object, computed with zlib.
  private let checksum = "Rn7Ulw=="

  func testHandlerReceivesTheObjectWithoutItsFraming() async throws {
    for (payload, trailer) in [
      (S3Payload.signedChunks, nil), (.signedChunksWithTrailer, checksum), (.unsignedChunksWithTrailer, checksum),
    ] {
      let bench = try await VerifyingBench(.s3, self)
      let (request, body) = try framed(bench, payload, trailer: trailer)
      let (status, text) = try await bench.send(request, body: body)
      XCTAssertEqual(status, 200, "\(payload): \(text)")
      XCTAssertTrue(text.hasSuffix("|10000"), text)
    }
  }

  func testInvalidFramingIsRejectedInTheFormatOfTheService() async throws {
    let bench = try await VerifyingBench(.s3, self)
    func refuse(_ code: String, _ message: String, line: UInt = #line, _ make: () throws -> (HTTPRequest, String))
      async throws
    {
      let handled = bench.handled.value
      let (request, body) = try make()
      bench.time.advance(by: .seconds(1))
      let (status, text) = try await bench.send(request, body: body)
      XCTAssertTrue(status == 400 || status == 403, "\(message): \(status)", line: line)
      XCTAssertTrue(text.contains("<Code>\(code)</Code>"), "\(message): \(text)", line: line)
      XCTAssertEqual(bench.handled.value, handled, message, line: line)
    }
    try await refuse("SignatureDoesNotMatch", "a byte of the first chunk") {
      var (request, body) = try framed(bench, .signedChunks)
      let data = try XCTUnwrap(body.range(of: "\r\naaa"))
      body.replaceSubrange(data, with: "\r\naab")
      return (request, body)
    }
    try await refuse("IncompleteBody", "chunks without their signatures") {
      let (request, _) = try framed(bench, .signedChunks)
      return (request, try framed(bench, .unsignedChunksWithTrailer, trailer: checksum).body)
    }
    try await refuse("IncompleteBody", "the last chunk is missing") {
      let (request, body) = try framed(bench, .signedChunks)
      return (request, String(body[..<(body.range(of: "\r\n0;")?.upperBound ?? body.endIndex)].dropLast(2)))
    }
    try await refuse("BadDigest", "the checksum is that of other bytes") {
      try framed(bench, .unsignedChunksWithTrailer, trailer: "AAAAAA==")
    }
    try await refuse("IncompleteBody", "fewer bytes than announced") {
      let request = try head(bench, .unsignedChunksWithTrailer, hasTrailer: true, byteCount: 10_001)
      return (request, try framed(bench, .unsignedChunksWithTrailer, trailer: checksum).body)
    }
  }
}
