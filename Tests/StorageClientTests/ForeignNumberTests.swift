// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import XCTest

@testable import AsyncHTTPTransport
@testable import StorageClient

/// Tests that invalid numbers and texts of a broken or hostile service end in an error, never in a crash.
final class ForeignNumberTests: XCTestCase {
  private func download(_ headers: [String: String], body: [UInt8] = pattern(100)) async throws {
    let directory = try TemporaryDirectory(self)
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(206, body, headers) }
    let client = ossClient(transport, configuration: StorageClientConfiguration(attempts: 2, retryDelay: .zero))
    try await client.download("k", to: directory.path("k"))
  }

  func testExcessiveContentRangeSizesAreRejected() async throws {
    for total in ["1152921504606846976", "1152921504606846000", "60473139527680"] {
      await assertThrows(StorageError.self, { try await download(["Content-Range": "bytes 0-99/\(total)"]) }) {
        XCTAssertEqual($0.code, .tooLarge, total)
      }
    }
  }

  func testInvalidContentRangesAreIgnored() async throws {
    for range in [
      "bytes 0-99/-1", "bytes 0-99/+100", "bytes 0-99/1152921504606846977", "bytes 0-99/*", "bytes /", "/", "",
      "bytes -9223372036854775808-0/-9223372036854775808", "bytes 9223372036854775807-0/100",
    ] {
      try await download(["Content-Range": range, "ETag": "\"E\""])
    }
  }

  func testRangeBeyondTheIntegerLimitIsNotResumed() async throws {
    for length in ["101", "1152921504606846976"] {
      let headers = [
        "Content-Range": "bytes 1152921504606846970-1152921504606846976/100", "Content-Length": length, "ETag": "\"E\"",
      ]
      await assertThrows(StorageError.self) { try await download(headers) }
    }
  }

  func testPartsAreSplitUpToTheIntegerLimit() throws {
    for length: Int64 in [.max, .max - 1, (5 << 30) * 10_000 + 1] {
      XCTAssertThrowsError(try PartSizes(length: length, preferred: 1 << 20))
    }
    let sizes = try PartSizes(length: (5 << 30) * 10_000, preferred: 1 << 20)
    XCTAssertEqual(sizes.ranges(of: .max, from: .max - 3), [(Int64.max - 3)..<Int64.max])
    XCTAssertEqual(sizes.ranges(of: 0), [])
    XCTAssertEqual(sizes.ranges(of: 5, from: 6), [])
    XCTAssertEqual(try PartSizes(length: 10, preferred: 4).ranges(of: 10), [0..<4, 4..<8, 8..<10])
  }

  func testNoPartIsLargerThanTheLimit() throws {
    let limit: Int64 = 5 << 30
    for preferred in [limit, limit + 1, .max] {
      XCTAssertEqual(try PartSizes(length: 10, preferred: preferred).ranges(of: 10), [0..<10])
      let sizes = try PartSizes(length: limit + 1, preferred: preferred)
      XCTAssertEqual(sizes.ranges(of: limit + 1), [0..<limit, limit..<limit + 1])
      let growing = try PartSizes(length: nil, preferred: preferred)
      for number in [1, 2_000, 2_001, 10_000, .max] { XCTAssertEqual(growing.size(ofPart: number), limit) }
    }
    let growing = try PartSizes(length: nil, preferred: limit / 4 - 1)
    let sizes = [2_000, 2_001, 4_001, 6_001, 8_001].map { growing.size(ofPart: $0) }
    XCTAssertEqual(sizes, [limit / 4 - 1, limit / 2 - 2, limit - 4, limit, limit])
  }

  func testObjectOverThePartLimitIsUploadedInParts() {
    let limit: Int64 = 5 << 30
    for configuration in [
      StorageClientConfiguration(partSize: .max), StorageClientConfiguration(multipartThreshold: .max),
    ] {
      XCTAssertTrue(configuration.uploadsInParts(limit + 1))
      XCTAssertFalse(configuration.uploadsInParts(limit))
    }
  }

  func testEmptyRangeIsItsFirstByte() {
    XCTAssertEqual(ByteRange(Int64.min..<Int64.min).headerValue, "bytes=0-0")
    XCTAssertEqual(ByteRange(Int64.min..<Int64.max).headerValue, "bytes=0-9223372036854775806")
    XCTAssertEqual(ByteRange(0..<0).headerValue, "bytes=0-0")
    XCTAssertEqual(ByteRange(3..<3).headerValue, "bytes=3-3")
  }

  func testFractionIsBetweenZeroAndOne() {
    for (completed, total) in [(100, 1), (1, -1), (.max, 1), (0, 0)] as [(Int64, Int64)] {
      XCTAssertEqual(TransferProgress(completed: completed, total: total).fractionCompleted, 1)
    }
    XCTAssertEqual(TransferProgress(completed: 1, total: 4).fractionCompleted, 0.25)
  }

  func testOversizedUploadIDIsRejected() async throws {
    let id = String(repeating: "A", count: 70_000)
    let answer = initiateAnswer("k", id: id)
    let wire = "HTTP/1.1 200 OK\r\nContent-Length: \(answer.utf8.count)\r\n\r\n\(answer)"
    try await WireServer.run(answering: wire) { server in
      let client = ossClient(NetworkTransport.shared, endpoint: "http://127.0.0.1:\(server.port)")
      await assertThrows(StorageError.self, { try await client.upload(pattern(300_000), to: "k") }) {
        XCTAssertEqual($0.code, .malformedResponse)
        XCTAssertTrue($0.message.contains("UploadId") && $0.message.contains("70000"), $0.message)
      }
      XCTAssertEqual(server.heads.values.count, 1)
    }
  }

  func testOversizedContinuationTokensAndNamesAreRejected() async throws {
    let long = String(repeating: "A", count: 5_000)
    for page in [
      listAnswer(next: long),
      listAnswer(listed(long)),
      listAnswer(listed("a", size: -1)),
    ] {
      let client = ossClient(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, page) })
      await assertThrows(StorageError.self, { for try await _ in client.list() {} }) {
        XCTAssertEqual($0.code, .malformedResponse)
      }
    }
  }

  func testOversizedURLIsRejectedByTheTransport() async throws {
    try await WireServer.run { server in
      for count in [60_100, 65_600, 70_000, 300_000] {
        let request = HTTPRequest(
          method: .get, scheme: "http", authority: "127.0.0.1:\(server.port)",
          path: "/" + String(repeating: "a", count: count))
        await assertThrows(
          TransportError.self, { _ = try await NetworkTransport.shared.send(request, body: .none) }
        ) { XCTAssertEqual($0.code, .invalidRequest) }
      }
      XCTAssertEqual(server.heads.values, [])
    }
  }

  func testInvalidStatusCodesAreErrors() async throws {
    let once = StorageClientConfiguration(attempts: 1)
    for status in ["000", "001", "020", "099"] {
      let answer = "HTTP/1.1 \(status) Odd\r\nContent-Length: 2\r\n\r\nok"
      try await WireServer.run(answering: answer) { server in
        let client = ossClient(
          NetworkTransport.shared, endpoint: "http://127.0.0.1:\(server.port)", configuration: once)
        await assertThrows(TransportError.self, { _ = try await client.download("k", upTo: 10) }) {
          XCTAssertEqual($0.code, .connectionLost)
          // URLSession does not report the status that it rejects.
          let reason = NetworkTransport.isURLSession ? "not valid in HTTP" : "the status \(Int(status) ?? -1)"
          XCTAssertTrue($0.description.contains(reason), $0.description)
        }
      }
    }
    for status in ["600", "999"] {
      try await WireServer.run(answering: "HTTP/1.1 \(status) Odd\r\nContent-Length: 2\r\n\r\nok") { server in
        let client = ossClient(
          NetworkTransport.shared, endpoint: "http://127.0.0.1:\(server.port)", configuration: once)
        await assertThrows(ServiceError.self, { _ = try await client.download("k", upTo: 10) }) {
          XCTAssertEqual($0.status.code, Int(status))
        }
      }
    }
  }

  func testResponseWithTooManyFieldsIsAnError() async throws {
    let fields = (0..<1_100).map { "X-\($0): 1\r\n" }.joined()
    try await WireServer.run(answering: "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n") { server in
      let client = ossClient(
        NetworkTransport.shared, endpoint: "http://127.0.0.1:\(server.port)",
        configuration: StorageClientConfiguration(attempts: 1))
      await assertThrows(TransportError.self) { _ = try await client.head("k") }
    }
  }
}
