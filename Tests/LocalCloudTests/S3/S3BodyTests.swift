// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import S3Auth
internal import StorageAuth
internal import XCTest

/// Tests that a body must match what its S3 signature covers, and that no part of a rejected body is stored.
final class S3BodyTests: CloudTestCase {
  private let body = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  private static let chunked: [S3Payload] = [
    .signedChunks, .signedChunksWithTrailer, .unsignedChunksWithTrailer,
  ]

  /// Runs a server on a directory and checks that rejected bodies left no files.
  private func withS3(_ body: (TestClient) async throws -> Void) async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    try await withEachService(configuration, of: [.s3]) { client in
      try await body(client)
      let list = try await client.send(.get).document
      XCTAssertEqual(
        try contentFiles(below: root).count, list.all("Contents").count, "a refused body left a file")
    }
  }

  private func assertRefused(
    _ client: TestClient, _ upload: S3Upload, _ codes: Set<String>, _ status: Int? = nil, _ what: String = "",
    line: UInt = #line
  ) async throws {
    let reply = try await client.send(upload)
    let code = try reply.errorCode ?? "none"
    XCTAssertTrue(codes.contains(code), "\(what): \(reply.status) \(code)", line: line)
    if let status { XCTAssertEqual(reply.status, status, "\(what): \(code)", line: line) }
    let head = try await client.send(.head, "refused")
    XCTAssertEqual(head.status, 404, "\(what) was stored", line: line)
  }

  // matrix: S3 V4: header, verify
  func testEveryPayloadFormIsStoredUnchanged() async throws {
    try await withS3 { client in
      for payload in Self.chunked {
        for bytes in [[], [1], Array(body[..<8192]), body] {
          for algorithm in S3Checksum.Algorithm.allCases {
            let put = try await client.send(client.chunked("a", bytes, as: payload, trailer: algorithm))
            XCTAssertEqual(put.status, 200, "\(payload.text): \(put.text)")
            let get = try await client.send(.get, "a", headers: ["x-amz-checksum-mode": "ENABLED"])
            XCTAssertEqual(get.body, bytes, payload.text)
            XCTAssertNil(get.header("content-encoding"))
            guard payload.hasTrailer else { continue }
            XCTAssertEqual(get.header(algorithm.fieldName), TestClient.sum(bytes, algorithm))
            XCTAssertEqual(get.header("x-amz-checksum-type"), "FULL_OBJECT")
          }
        }
      }
      for payload in [S3Payload.unsigned, .bytes(body)] {
        let put = try await client.send(client.upload("a", body, as: payload))
        XCTAssertEqual(put.status, 200, put.text)
        XCTAssertEqual(put.header("x-amz-checksum-crc64nvme"), TestClient.sum(body, .crc64nvme))
      }
      let zipped = try await client.send(
        client.chunked("a", body, as: .signedChunks, headers: ["content-encoding": "zstd, aws-chunked"]))
      XCTAssertEqual(zipped.status, 200)
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.header("content-encoding"), "zstd")
    }
  }

  // matrix: S3 V4: verify, bad input
  func testBodyThatDiffersFromTheSignedOneIsRejected() async throws {
    try await withS3 { client in
      var other = try client.upload("refused", body)
      other.wire[7] ^= 1
      try await assertRefused(client, other, ["XAmzContentSHA256Mismatch"], 400)
      other.wire = []
      try await assertRefused(client, other, ["XAmzContentSHA256Mismatch"], 400, "empty")
      let kept = try await client.send(client.upload("kept", [1]))
      XCTAssertEqual(kept.status, 200)
      let text = Array("<Delete><Object><Key>kept</Key></Object></Delete>".utf8)
      var deletion = try client.upload(
        nil, text, as: .empty, .post, query: ["delete": nil],
        headers: ["x-amz-checksum-crc32": TestClient.sum(text, .crc32)])
      try await assertRefused(client, deletion, ["XAmzContentSHA256Mismatch"], 400, "a document")
      deletion = try client.upload(nil, text, .post, query: ["delete": nil])
      try await assertRefused(client, deletion, ["InvalidRequest"], 400, "no checksum of the document")
      let get = try await client.send(client.upload("kept", [1], as: .empty, .get))
      XCTAssertEqual(try get.errorCode, "XAmzContentSHA256Mismatch", "a body where none is expected")
    }
  }

  // matrix: S3 V4: verify, bad input
  func testChunksCannotBeChangedRemovedSwappedOrTruncated() async throws {
    try await withS3 { client in
      for payload in [S3Payload.signedChunks, .signedChunksWithTrailer] {
        let upload = try client.chunked("refused", body, as: payload)
        for index in upload.frames.indices {
          var changed = upload
          let place = upload.frames[..<index].reduce(0) { $0 + $1.count } + upload.frames[index].count - 3
          changed.wire[place] ^= 1
          try await assertRefused(
            client, changed, ["SignatureDoesNotMatch", "IncompleteBody", "MalformedTrailerError", "BadDigest"], nil,
            "chunk \(index)")
        }
        var swapped = upload
        swapped.frames.swapAt(0, 1)
        swapped.wire = swapped.frames.flatMap { $0 }
        try await assertRefused(client, swapped, ["SignatureDoesNotMatch"], 403, "swapped")
        for cut in 0..<upload.frames.count {
          var short = upload
          short.wire = upload.frames[..<cut].flatMap { $0 }
          try await assertRefused(client, short, ["IncompleteBody"], 400, "cut at \(cut)")
        }
        var dropped = upload
        dropped.wire = (upload.frames[1...]).flatMap { $0 }
        try await assertRefused(client, dropped, ["SignatureDoesNotMatch"], 403, "the first chunk is missing")
        for decoded in [body.count - 1, body.count + 1] {
          let other = try client.chunked("refused", body, as: payload, decoded: decoded)
          try await assertRefused(client, other, ["IncompleteBody", "SignatureDoesNotMatch"], nil, "\(decoded) bytes")
        }
      }
    }
  }

  // matrix: S3 V4: verify, bad input
  func testTrailerMustMatchItsAnnouncement() async throws {
    try await withS3 { client in
      let upload = try client.chunked("refused", [1, 2, 3], as: .unsignedChunksWithTrailer)
      let text = String(decoding: upload.wire, as: UTF8.self)
      let line = "x-amz-checksum-crc32:\(TestClient.sum([1, 2, 3], .crc32))\r\n"
      XCTAssertTrue(text.contains(line))
      let cases: [(String, String)] = [
        ("", "MalformedTrailerError"), (line + line, "MalformedTrailerError"),
        (line + "x-amz-meta-a:b\r\n", "MalformedTrailerError"),
        ("x-amz-checksum-crc32c:\(TestClient.sum([1, 2, 3], .crc32c))\r\n", "MalformedTrailerError"),
        ("x-amz-checksum-crc32:\(TestClient.sum([1, 2], .crc32))\r\n", "BadDigest"),
      ]
      for (other, code) in cases {
        var changed = upload
        changed.wire = Array(text.replacing(line, with: other).utf8)
        try await assertRefused(client, changed, [code], 400, other)
      }
      for name in ["x-amz-trailer", "x-amz-decoded-content-length"] {
        var unannounced = upload
        unannounced.request.headerFields[try XCTUnwrap(HTTPField.Name(name))] = nil
        try await assertRefused(client, unannounced, ["SignatureDoesNotMatch"], 403, name)
      }
      let signed = try client.chunked("refused", [1, 2, 3], as: .signedChunksWithTrailer)
      var unsigned = signed
      let parts = String(decoding: signed.wire, as: UTF8.self).split(separator: "x-amz-trailer-signature")
      unsigned.wire = Array("\(parts[0])\r\n".utf8)
      try await assertRefused(client, unsigned, ["MalformedTrailerError", "IncompleteBody"], 400, "no signature")
    }
  }

  // matrix: S3 V4: verify, bad input
  func testSignatureDecidesTheFramingInsteadOfContentEncoding() async throws {
    try await withS3 { client in
      let framed = try client.chunked("a", [1, 2, 3], as: .signedChunks)
      let plain = try await client.send(
        client.upload("a", framed.wire, headers: ["content-encoding": "aws-chunked"]))
      XCTAssertEqual(plain.status, 200, plain.text)
      let kept = try await client.send(.get, "a")
      XCTAssertEqual(kept.body, framed.wire, "a literal hash covers the bytes as sent")
      let bare = try await client.send(
        client.chunked("a", [1, 2, 3], as: .signedChunks, headers: ["content-encoding": "identity"]))
      XCTAssertEqual(bare.status, 200, bare.text)
      let get = try await client.send(.get, "a")
      XCTAssertEqual(get.body, [1, 2, 3])
      var unframed = try client.chunked("refused", [1, 2, 3], as: .signedChunks)
      unframed.wire = [1, 2, 3]
      try await assertRefused(client, unframed, ["IncompleteBody"], 400, "an unframed body")
    }
  }

  // matrix: S3 V4: bad input
  func testChecksumHeadersAreVerified() async throws {
    try await withS3 { client in
      for algorithm in S3Checksum.Algorithm.allCases {
        let right = TestClient.sum(body, algorithm)
        let put = try await client.send(client.upload("a", body, headers: [algorithm.fieldName: right]))
        XCTAssertEqual(put.header(algorithm.fieldName), right, put.text)
        let list = try await client.send(.get).document
        XCTAssertEqual(
          list["Contents"]?["ChecksumAlgorithm"]?.text, algorithm.rawValue.uppercased())
        let wrong = try client.upload(
          "refused", body, headers: [algorithm.fieldName: TestClient.sum([], algorithm)])
        try await assertRefused(client, wrong, ["BadDigest"], 400, algorithm.rawValue)
        for value in ["AAAA", "no base64!", right + "A"] {
          let malformed = try client.upload("refused", body, headers: [algorithm.fieldName: value])
          try await assertRefused(client, malformed, ["InvalidRequest"], 400, value)
        }
      }
      let crc32 = TestClient.sum(body, .crc32)
      let cases: [([String: String], String)] = [
        (["x-amz-checksum-crc32": crc32, "x-amz-checksum-sha1": TestClient.sum(body, .sha1)], "InvalidRequest"),
        (["x-amz-sdk-checksum-algorithm": "CRC32"], "InvalidRequest"),
        (["x-amz-sdk-checksum-algorithm": "SHA1", "x-amz-checksum-crc32": crc32], "InvalidRequest"),
        (["content-md5": "AAAA"], "InvalidDigest"),
        (["content-md5": "1B2M2Y8AsgTpgAmY7PhCfg=="], "BadDigest"),
      ]
      for (headers, code) in cases {
        try await assertRefused(client, try client.upload("refused", body, headers: headers), [code], 400, "\(headers)")
      }
      for headers in [[:], ["x-amz-checksum-mode": "ENABLED"]] {
        let get = try await client.send(.get, "a", headers: headers)
        XCTAssertEqual(get.header("x-amz-checksum-sha256") != nil, !headers.isEmpty)
      }
      let part = try await client.send(
        .get, "a", headers: ["x-amz-checksum-mode": "ENABLED", "Range": "bytes=0-1"])
      XCTAssertEqual(part.status, 206)
      XCTAssertNil(part.header("x-amz-checksum-sha256"), "the checksum is not that of the range")
    }
  }
}
