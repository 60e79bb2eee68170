// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import StorageAuth
internal import SystemPackage
internal import XCTest

@testable internal import LocalCloud

/// Tests that copies of copies do not multiply the pieces of an object, and that every record can be read again.
final class CopiedPieceTests: CloudTestCase {
  private func initiate(_ client: TestClient, _ key: String) async throws -> String {
    let reply = try await client.send(.post, key, query: ["uploads": nil])
    return try XCTUnwrap(reply.document["UploadId"]?.text)
  }

  private func copyParts(
    _ client: TestClient, _ source: String, to key: String, ranges: [String?]
  ) async throws {
    let id = try await initiate(client, key)
    var list = ""
    for (index, range) in ranges.enumerated() {
      var headers = ["\(client.prefix)copy-source": client.copySource(source)]
      if let range { headers["\(client.prefix)copy-source-range"] = "bytes=\(range)" }
      let part = try await client.send(
        .put, key, query: ["partNumber": "\(index + 1)", "uploadId": id], headers: headers)
      XCTAssertEqual(part.status, 200, part.text)
      let tag = try XCTUnwrap(part.document["ETag"]?.text)
      list += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
    }
    let done = try await client.send(
      .post, key, query: ["uploadId": id],
      body: Array("<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>".utf8))
    XCTAssertEqual(done.status, 200, done.text)
  }

  /// The numbers of pieces in the records of a service, by key.
  private func pieces(below root: String, _ service: String) throws -> [String: Int] {
    let folder = "\(root)/\(service)/buckets/\(Self.bucket)/objects"
    var pieces: [String: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".json") {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
      XCTAssertLessThan(bytes.count, 4 << 20)
      let record = try XCTUnwrap(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
      pieces[try XCTUnwrap(record["key"] as? String)] = (record["parts"] as? [Any])?.count
    }
    return pieces
  }

  func testCopiesOfCopiesDoNotMultiplyPieces() async throws {
    var configuration = configuration
    let root = try makeDirectory()
    configuration.root = root
    let count = 40
    let text = (0..<10).map { "\($0)" }.joined()
    let whole = [String?](repeating: nil, count: count)
    try await withEachService(configuration) { client in
      _ = try await client.send(.put, "a", body: Array(text.utf8))
      let ranges = (0..<count).map { "\($0 % 7)-\($0 % 7 + 2)" }
      try await copyParts(client, "a", to: "b", ranges: ranges)
      let expected = (0..<count).map { text.utf8.dropFirst($0 % 7).prefix(3) }.flatMap { $0 }
      let first = try await client.send(.get, "b")
      XCTAssertEqual(first.body, expected)
      try await copyParts(client, "b", to: "c", ranges: whole)
      try await copyParts(client, "c", to: "d", ranges: whole)
      let copy = try await client.send(.put, "e", headers: ["\(client.prefix)copy-source": client.copySource("d")])
      XCTAssertEqual(copy.status, 200, copy.text)
      let inside = try await client.send(.get, "c", headers: ["Range": "bytes=119-121"])
      XCTAssertEqual(inside.body, [expected[119], expected[0], expected[1]])
      try await copyParts(client, "a", to: "adjacent", ranges: ["0-1", "2-5", "6-9"])
      let pieces = try pieces(below: root, client.provider.rawValue)
      XCTAssertEqual(pieces, ["a": 1, "b": 40, "c": 40, "d": 40, "e": 40, "adjacent": 1])
    }
    try await withEachService(configuration) { client in
      let last = try await client.send(.head, "e")
      XCTAssertEqual(last.header("Content-Length"), "\(3 * count * count * count)")
      let adjacent = try await client.send(.get, "adjacent")
      XCTAssertEqual(adjacent.text, text)
    }
  }

  private func content(_ count: Int) -> Content {
    let collector = BlobCollector(directory: "/nowhere")
    let extents = (0..<count).map { _ in
      Extent(blob: Blob(id: .random(), byteCount: 3, collector: collector), offset: 1, byteCount: 2)
    }
    return Content(extents: extents, entityTag: "", crc64: 0)
  }

  private func object(_ content: Content) -> StoredObject {
    StoredObject(
      id: .random(), key: ObjectKey("k"), content: content, description: ObjectDescription(), modified: clock.now,
      isMultipart: true)
  }

  func testRecordOfTheLargestObjectIsWrittenAndALargerOneIsNot() async throws {
    let root = try makeDirectory()
    let journal = Journal(directory: FilePath(root))
    try await journal.write(Bucket(name: "photos", created: clock.now, access: .private))
    try await journal.write(object(content(Content.extentLimit)), in: "photos")
    let loaded = try await journal.load(BlobCollector(directory: "/nowhere"))
    XCTAssertEqual(loaded["photos"]?.objects.values.first?.content.extents.count, Content.extentLimit)
    do {
      try await journal.write(object(content(60_000)), in: "photos")
      XCTFail("A record was written that is too large.")
    } catch is ErrorResponse {}
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(root)/photos/objects")
    XCTAssertEqual(names.count, 1)
  }

  func testRangesOfManyPiecesAreFound() {
    let content = content(1_000)
    let cases: [(Range<Int64>, [(Int64, Int64)])] = [
      (0..<1, [(1, 1)]), (1..<2, [(2, 1)]), (1..<3, [(2, 1), (1, 1)]),
      (1_998..<2_000, [(1, 2)]), (5..<5, []), (1_999..<5_000, [(2, 1)]), (0..<4, [(1, 2), (1, 2)]),
    ]
    for (range, offsets) in cases {
      let found = content.extents(in: range)
      XCTAssertEqual(found.map(\.offset), offsets.map(\.0), "\(range)")
      XCTAssertEqual(found.map(\.byteCount), offsets.map(\.1), "\(range)")
    }
  }
}
