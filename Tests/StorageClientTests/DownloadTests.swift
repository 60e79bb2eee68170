// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import XCTest

@testable import StorageClient

/// Tests downloads into files, memory and streams.
final class DownloadTests: XCTestCase {
  func testDownloadReplacesAFileAndLeavesNoTemporaryFile() async throws {
    let directory = try TemporaryDirectory(self)
    _ = try directory.write([9, 9, 9], to: "cat.jpg")
    let bytes = pattern(1000)
    let transport = RecordingTransport(ObjectService(bytes).answer)
    let info = try await ossClient(transport).download("cat.jpg", to: directory.path("cat.jpg"))
    XCTAssertEqual(try directory.read("cat.jpg"), bytes)
    XCTAssertEqual(try directory.names, ["cat.jpg"])
    XCTAssertEqual(info.size, 1000)
    XCTAssertEqual(info.checksum, crc(bytes))
    XCTAssertEqual(info.metadata, ["author": "Mia"])
    XCTAssertEqual(info.lastModified, Timestamp(httpDate: "Fri, 20 Nov 2026 08:00:00 GMT"))
  }

  func testLargeObjectIsDownloadedInRangesOfOneVersion() async throws {
    let directory = try TemporaryDirectory(self)
    let bytes = pattern(450_000)
    let transport = RecordingTransport(ObjectService(bytes).answer)
    let seen = Collected<TransferProgress>()
    try await ossClient(transport).download("k", to: directory.path("k")) { seen.append($0) }
    XCTAssertEqual(try directory.read("k"), bytes)
    XCTAssertEqual(
      Set(transport.requests.map { $0.headers[.range] }),
      ["bytes=0-199999", "bytes=200000-302399", "bytes=302400-404799", "bytes=404800-449999"])
    XCTAssertEqual(transport.requests.dropFirst().map { $0.headers[.ifMatch] }, ["\"E\"", "\"E\"", "\"E\""])
    XCTAssertEqual(seen.values.last?.fractionCompleted, 1)
    XCTAssertEqual(seen.values.map(\.completed), seen.values.map(\.completed).sorted())
  }

  func testNewFileOfSeveralRangesIsSynchronizedBeforeTheRename() async throws {
    let directory = try TemporaryDirectory(self)
    for (count, calls) in [(1000, ["rename"]), (450_000, ["synchronize", "rename"])] {
      let files = RecordingFiles()
      let client = ossClient(RecordingTransport(ObjectService(pattern(count)).answer))
      let store = try XCTUnwrap(client.underlyingStore as? any OpenFileStore)
      let location = try await FileLocation(directory.path("\(count)"), in: files)
      try await store.download("k", to: location, options: DownloadOptions(), progress: nil)
      XCTAssertEqual(files.calls.values, calls)
      XCTAssertEqual(try directory.read("\(count)"), pattern(count))
    }
  }

  func testRangeOfUnknownLengthOrOfAnObjectOfUnknownSizeIsNotTakenForTheObject() async throws {
    let service = ObjectService(pattern(450_000))
    for (name, value) in [(HTTPField.Name.contentLength, nil), (.contentRange, "bytes 0-199999/*")] {
      let directory = try TemporaryDirectory(self)
      let transport = RecordingTransport { request async throws(TransportError) in
        var reply = try await service.answer(request)
        reply.response.headerFields[name] = value
        return reply
      }
      await assertThrows(StorageError.self, { try await ossClient(transport).download("k", to: directory.path("k")) }) {
        XCTAssertEqual($0.code, .malformedResponse, $0.message)
      }
      XCTAssertEqual(try directory.names, [])
    }
  }

  func testEmptyObjectBecomesAnEmptyFile() async throws {
    let directory = try TemporaryDirectory(self)
    let transport = RecordingTransport(ObjectService([]).answer)
    try await ossClient(transport).download("k", to: directory.path("k"))
    XCTAssertEqual(try directory.read("k"), [])
  }

  func testDamagedDownloadLeavesTheFileUnchanged() async throws {
    for count in [1000, 450_000] {
      let directory = try TemporaryDirectory(self)
      _ = try directory.write([9], to: "k")
      var service = ObjectService(pattern(count))
      service.checksum = 1
      let client = ossClient(RecordingTransport(service.answer))
      await assertThrows(StorageError.self, { try await client.download("k", to: directory.path("k")) }) {
        XCTAssertEqual($0.code, .checksumMismatch)
      }
      XCTAssertEqual(try directory.names, ["k"])
      XCTAssertEqual(try directory.read("k"), [9])
    }
  }

  func testTruncatedDownloadLeavesNoFile() async throws {
    let directory = try TemporaryDirectory(self)
    let transport = RecordingTransport(replies: [
      HTTPStreamingResponse(200, "abc", ["Content-Length": "4", "ETag": "W/\"E\""])
    ])
    await assertThrows(
      StorageError.self, { try await ossClient(transport).download("k", to: directory.path("k")) }
    ) { XCTAssertEqual($0.code, .truncated) }
    XCTAssertEqual(try directory.names, [])
  }

  func testObjectReplacedDuringTheDownloadIsNotMixed() async throws {
    let directory = try TemporaryDirectory(self)
    let service = ObjectService(pattern(450_000))
    let transport = RecordingTransport { request async throws(TransportError) in
      request.headers[.ifMatch] == nil
        ? try await service.answer(request)
        : HTTPStreamingResponse(412, "<Error><Code>PreconditionFailed</Code><Message>Changed.</Message></Error>")
    }
    await assertThrows(
      ServiceError.self, { try await ossClient(transport).download("k", to: directory.path("k")) }
    ) { XCTAssertEqual($0.kind, .preconditionFailed) }
    XCTAssertEqual(try directory.names, [])
  }

  func testMissingDirectoryIsNamed() async throws {
    let directory = try TemporaryDirectory(self)
    let client = ossClient(RecordingTransport(ObjectService([1]).answer))
    await assertThrows(StorageError.self, { try await client.download("k", to: directory.path("missing/k")) }) {
      XCTAssertEqual($0.code, .unusableFile)
      XCTAssertTrue($0.message.contains("missing/k"))
    }
  }

  func testDirectoryIsNotReplaced() async throws {
    let directory = try TemporaryDirectory(self)
    let transport = RecordingTransport(replies: [])
    await assertThrows(
      StorageError.self, { try await ossClient(transport).download("k", to: directory.path("")) }
    ) { XCTAssertEqual($0.code, .unusableFile) }
    XCTAssertTrue(transport.requests.isEmpty)
  }

  func testDownloadIntoMemoryIsLimited() async throws {
    let client = ossClient(RecordingTransport(ObjectService(pattern(1000)).answer))
    let bytes = try await client.download("k", upTo: 1000)
    XCTAssertEqual(bytes, pattern(1000))
    await assertThrows(StorageError.self, { _ = try await client.download("k", upTo: 999) }) {
      XCTAssertEqual($0.code, .tooLarge)
    }
  }

  func testRangeIsNotComparedWithTheObjectsChecksum() async throws {
    let transport = RecordingTransport(ObjectService(pattern(1000)).answer)
    let client = ossClient(transport)
    let bytes = try await client.download("k", upTo: 1000, options: DownloadOptions(range: ByteRange(10...19)))
    XCTAssertEqual(bytes, Array(pattern(1000)[10...19]))
    XCTAssertEqual(
      [ByteRange(0..<5), ByteRange(7...), ByteRange(3...3), .last(9)].map { range in
        var options = DownloadOptions()
        options.range = range
        return options
      }.count, 4)
    for (range, text) in [
      (ByteRange(0..<5), "bytes=0-4"), (ByteRange(7...), "bytes=7-"), (.last(9), "bytes=-9"),
    ] {
      _ = try? await client.open("k", options: DownloadOptions(range: range))
      XCTAssertEqual(transport.requests.last?.headers[.range], text)
    }
  }

  /// Returns a transport whose service answers another range than the requested one, or with the whole object.
  private func transport(
    _ service: ObjectService, answering range: @escaping @Sendable (String) -> String?
  ) -> RecordingTransport {
    RecordingTransport { request async throws(TransportError) in
      var request = request
      request.headers[.range] = request.headers[.range].flatMap(range)
      return try await service.answer(request)
    }
  }

  func testAnotherRangeThanTheRequestedOneIsRefused() async throws {
    let directory = try TemporaryDirectory(self)
    let service = ObjectService(pattern(1000))
    for other in [nil, "bytes=0-9", "bytes=11-20", "bytes=10-20", "bytes=10-18"] as [String?] {
      let client = ossClient(transport(service) { _ in other })
      let options = DownloadOptions(
        range: ByteRange(10..<20), parameters: [.init(name: "response-content-type", value: "image/jpeg")])
      for call in [
        { _ = try await client.open("k", options: options) },
        { _ = try await client.download("k", upTo: 1000, options: options) },
        { try await client.download("k", to: directory.path("k"), options: options) },
      ] as [() async throws -> Void] {
        await assertThrows(StorageError.self, call) {
          XCTAssertEqual($0.code, .malformedResponse, other ?? "the whole object")
        }
      }
    }
    XCTAssertEqual(try directory.names, [])
  }

  func testWholeObjectIsTheRangeThatSelectsIt() async throws {
    let bytes = pattern(1000)
    let client = ossClient(transport(ObjectService(bytes)) { _ in nil })
    for range in [ByteRange(0...), ByteRange(0..<5000), ByteRange(0..<1000), .last(1000), .last(5000)] {
      let found = try await client.download("k", upTo: 1000, options: DownloadOptions(range: range))
      XCTAssertEqual(found, bytes, range.headerValue)
    }
    for range in [ByteRange(1...), ByteRange(0..<999), .last(999), ByteRange(1000...)] {
      await assertThrows(
        StorageError.self, { _ = try await client.open("k", options: DownloadOptions(range: range)) }
      ) { XCTAssertEqual($0.code, .malformedResponse, range.headerValue) }
    }
  }

  func testRangeIsShortenedToTheEndOfTheObject() async throws {
    let bytes = pattern(1000)
    let client = ossClient(transport(ObjectService(bytes)) { $0 == "bytes=-5" ? "bytes=995-999" : $0 })
    for range in [ByteRange(995...), ByteRange(995..<5000), .last(5)] {
      let found = try await client.download("k", upTo: 1000, options: DownloadOptions(range: range))
      XCTAssertEqual(found, Array(bytes[995...]), range.headerValue)
    }
  }

  func testRangesOfAnotherStartAreNotWritten() async throws {
    let service = ObjectService(pattern(450_000))
    for (range, other) in [("bytes=0-199999", "bytes=1-199999"), ("bytes=200000-302399", "bytes=199999-302398")] {
      let directory = try TemporaryDirectory(self)
      let client = ossClient(transport(service) { $0 == range ? other : $0 })
      await assertThrows(StorageError.self, { try await client.download("k", to: directory.path("k")) }) {
        XCTAssertEqual($0.code, .malformedResponse, range)
      }
      XCTAssertEqual(try directory.names, [])
    }
  }

  func testServiceWithoutRangesSendsTheWholeObject() async throws {
    let directory = try TemporaryDirectory(self)
    let bytes = pattern(450_000)
    let transport = transport(ObjectService(bytes)) { _ in nil }
    try await ossClient(transport).download("k", to: directory.path("k"))
    XCTAssertEqual(try directory.read("k"), bytes)
    XCTAssertEqual(transport.requests.map { $0.headers[.range] }, ["bytes=0-199999"])
  }

  func testChecksumOfAProcessedObjectIsNotCompared() async throws {
    let directory = try TemporaryDirectory(self)
    var service = ObjectService(pattern(1000))
    service.checksum = crc([9]).value
    let client = ossClient(RecordingTransport(service.answer))
    let processed = DownloadOptions(parameters: [.init(name: "x-oss-process", value: "image/resize,w_100")])
    let bytes = try await client.download("k", upTo: 1000, options: processed)
    XCTAssertEqual(bytes, pattern(1000))
    try await client.download("k", to: directory.path("k"), options: processed)
    XCTAssertEqual(try directory.read("k"), pattern(1000))
    let stored = DownloadOptions(parameters: [.init(name: "response-content-type", value: "image/jpeg")])
    await assertThrows(StorageError.self, { _ = try await client.download("k", upTo: 1000, options: stored) }) {
      XCTAssertEqual($0.code, .checksumMismatch)
    }
  }

  func testDamagedStreamThrowsAtItsEnd() async throws {
    var service = ObjectService(pattern(1000))
    service.checksum = 1
    let object = try await ossClient(RecordingTransport(service.answer)).open("k")
    XCTAssertEqual(object.contentLength, 1000)
    var received: [UInt8] = []
    await assertThrows(StorageError.self, { for try await chunk in object.body { received += chunk } }) {
      XCTAssertEqual($0.code, .checksumMismatch)
    }
    XCTAssertEqual(received.count, 1000)
  }

  func testConditionsAndVersionsAreSent() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(304) }
    let options = DownloadOptions(
      versionID: "v1", ifNoneMatch: "\"E\"", ifModifiedSince: Timestamp(iso8601: "2026-11-20T08:00:00Z"),
      parameters: [.init(name: "x-oss-process", value: "image/resize,w_100")])
    await assertThrows(ServiceError.self, { _ = try await ossClient(transport).open("k", options: options) }) {
      XCTAssertEqual($0.kind, .notModified)
    }
    let request = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(request.parameter("versionId"), "v1")
    XCTAssertEqual(request.parameter("x-oss-process"), "image%2Fresize%2Cw_100")
    XCTAssertEqual(request.headers[.ifNoneMatch], "\"E\"")
    XCTAssertEqual(request.headers[.ifModifiedSince], "Fri, 20 Nov 2026 08:00:00 GMT")
  }
}

/// A service with one object.
struct ObjectService: Sendable {
  let bytes: [UInt8]
  var checksum: UInt64

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    checksum = crc(bytes).value
  }

  var answer: RecordingTransport.Handler {
    { request async throws(TransportError) in
      var headers = [
        "ETag": "\"E\"", "x-oss-hash-crc64ecma": "\(checksum)", "x-oss-meta-Author": "Mia",
        "Last-Modified": "Fri, 20 Nov 2026 08:00:00 GMT",
      ]
      guard let range = request.headers[.range] else { return HTTPStreamingResponse(200, bytes, headers) }
      let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
      let first = Int(ends[0]) ?? 0
      let last = min(Int(ends[1]) ?? bytes.count - 1, bytes.count - 1)
      guard first <= last else {
        return HTTPStreamingResponse(416, "<Error><Code>InvalidRange</Code><Message>No.</Message></Error>")
      }
      headers["Content-Range"] = "bytes \(first)-\(last)/\(bytes.count)"
      return HTTPStreamingResponse(206, Array(bytes[first...last]), headers)
    }
  }
}
