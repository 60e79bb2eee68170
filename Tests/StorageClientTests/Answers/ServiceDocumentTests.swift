// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageCrypto
import SystemPackage
import XCTest

@testable import StorageClient

/// Tests that a document with status 200 counts as a result only if it is the one that the request asked for.
final class ServiceDocumentTests: XCTestCase {
  /// Bodies that are not the result of any operation, or the result of another one.
  private static let foreign = [
    "", "<html><body>Sign in</body></html>", "<!DOCTYPE html><html></html>", "{}", "<ListAllMyBucketsResult/>",
    "<R><IsTruncated>false</IsTruncated></R>",
    "<ListVersionsResult><IsTruncated>false</IsTruncated></ListVersionsResult>",
    "<listbucketresult/>", "<ListBucketResult><IsTruncated>false</IsTruncated>", "<Errors/>",
    "<Deleteresult/>", "<AssumeRoleResponse/>",
  ]

  private func client(_ body: String) -> StorageClient<OSSProvider> {
    ossClient(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, body) })
  }

  private func assertMalformed(
    _ body: String, _ operation: () async throws -> Void, file: StaticString = #filePath, line: UInt = #line
  ) async {
    do {
      try await operation()
      XCTFail("the body was accepted: \(body)", file: file, line: line)
    } catch let error as StorageError {
      XCTAssertEqual(error.code, .malformedResponse, body, file: file, line: line)
    } catch {
      XCTFail("\(error) was thrown for \(body)", file: file, line: line)
    }
  }

  /// Calls each operation whose result is a document.
  private func operations(_ client: StorageClient<OSSProvider>) -> [(name: String, call: () async throws -> Void)] {
    let bucket = BucketClient(sender: client.sender)
    return [
      ("list", { for try await _ in client.list() {} }), ("exists", { _ = try await client.bucketExists() }),
      ("uploads", { for try await _ in client.unfinishedUploads() {} }),
      ("versions", { for try await _ in client.versions() {} }),
      ("initiate", { _ = try await MultipartUpload.begin(bucket, key: "k", headers: [:]) }),
      ("parts", { _ = try await self.upload(bucket).storedParts() }),
      ("complete", { _ = try await self.upload(bucket).complete([]) }),
      ("copy", { try await client.copy(from: "a", to: "b") }), ("delete", { try await client.delete(["a"]) }),
    ]
  }

  private func upload(_ bucket: BucketClient<OSSProvider>) throws -> MultipartUpload<OSSProvider> {
    MultipartUpload(bucket: bucket, key: "k", id: try ResponseValue("U", named: "UploadId"), headers: [:])
  }

  func testForeignBodiesAreErrorsOfEveryOperation() async throws {
    for body in Self.foreign {
      for (name, call) in operations(client(body)) {
        await assertMalformed("\(name): \(body)", call)
      }
    }
  }

  func testResultOfEachOperationIsAnErrorOfTheOthers() async throws {
    let results = [
      "list": listAnswer(), "uploads": uploadsAnswer(end: "<IsTruncated>false</IsTruncated>"),
      "initiate": initiateAnswer("k", id: "U"), "complete": completeAnswer("k"), "copy": copyAnswer,
      "delete": "<DeleteResult/>",
      "parts": """
      <ListPartsResult><Bucket>photos</Bucket><Key>k</Key><UploadId>U</UploadId><IsTruncated>false</IsTruncated>
      </ListPartsResult>
      """,
    ]
    for (result, body) in results {
      for (name, call) in operations(client(body)) where name != "exists" {
        if name == result { try await call() } else { await assertMalformed("\(name): \(body)", call) }
      }
      // Prefixes of namespaces do not matter.
      let prefixed = body.replacing(/<(\/?)([A-Z])/) { "<\($0.1)s3:\($0.2)" }
      for (name, call) in operations(client(" \n<?xml version=\"1.0\"?>\(prefixed)")) where name == result {
        try await call()
      }
    }
  }

  func testErrorInsideASuccessIsTheServicesError() async throws {
    let body = "<a:Error xmlns:a=\"http://x/\"><a:Code>AccessDenied</a:Code><a:Message>No.</a:Message></a:Error>"
    for (name, call) in operations(client(body)) {
      await assertThrows(ServiceError.self, call) {
        XCTAssertEqual($0.kind, .accessDenied, name)
        XCTAssertEqual($0.message, "No.", name)
      }
    }
  }

  func testEchoesOfAnotherRequestAreErrors() async throws {
    let pages = [
      listAnswer(bucket: "other"), listAnswer(bucket: ""), listAnswer(prefix: "b/"), listAnswer(),
      listAnswer(prefix: "a/", delimiter: "%2F"), listAnswer(prefix: "A/"),
      listAnswer(prefix: "a/").replacing("<EncodingType>url<", with: "<EncodingType>none<"),
      listAnswer(prefix: "a/").replacing("<IsTruncated>false</IsTruncated>", with: ""),
      listAnswer(prefix: "a/").replacing("false", with: "False"),
      listAnswer(prefix: "a/").replacing("false", with: "0"), listAnswer(prefix: "a/").replacing("false", with: " "),
      listAnswer(prefix: "a/").replacing("false", with: "<b>false</b>"),
      listAnswer("<IsTruncated>true</IsTruncated>", prefix: "a/"), listAnswer("<Name>photos</Name>", prefix: "a/"),
    ]
    for page in pages {
      let client = client(page)
      await assertMalformed(page) { for try await _ in client.list(prefix: "a/") {} }
    }
    let page = listAnswer(prefix: "a/", delimiter: "b")
    await assertMalformed(page) { for try await _ in client(page).list(prefix: "a/", delimiter: "c") {} }
    for answer in [
      initiateAnswer("j", id: "U"), initiateAnswer("k", id: "U", bucket: "other"), initiateAnswer("k", id: ""),
    ] {
      await assertMalformed(answer) {
        _ = try await MultipartUpload.begin(BucketClient(sender: client(answer).sender), key: "k", headers: [:])
      }
    }
    for answer in [completeAnswer("j"), completeAnswer("k", bucket: "b"), completeAnswer("k", etag: "")] {
      await assertMalformed(answer) { _ = try await upload(.init(sender: client(answer).sender)).complete([]) }
    }
    for part in ["<Key>j</Key><UploadId>U</UploadId>", "<Key>k</Key><UploadId>V</UploadId>", "<Key>k</Key>"] {
      let answer =
        "<ListPartsResult><Bucket>photos</Bucket>\(part)<IsTruncated>false</IsTruncated></ListPartsResult>"
      await assertMalformed(answer) { _ = try await upload(.init(sender: client(answer).sender)).storedParts() }
    }
    await assertMalformed("") { try await client("<CopyObjectResult/>").copy(from: "a", to: "b") }
  }

  func testBucketNamesThatServicesAreKnownToReportOtherwiseAreAccepted() async throws {
    let page = listAnswer(bucket: "photos")
    let cos = cosClient(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, page) })
    for try await _ in cos.list() {}
    let alias = StorageClient(
      .s3(bucket: "mine-s3alias", region: "eu-central-1", endpoint: endpoint), credentials: key, configuration: .test,
      transport: RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, page) })
    for try await _ in alias.list() {}
    for bucket in ["photo", "photos-125000000", "photos-", "other"] {
      let page = listAnswer(bucket: bucket)
      let cos = cosClient(RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, page) })
      await assertMalformed(page) { for try await _ in cos.list() {} }
    }
  }

  /// versitygw and others ignore the request for an encoding.
  func testNamesWithoutAnEncodingAreAcceptedIfTheyAreUnambiguous() async throws {
    func answer(_ key: String) -> String {
      listAnswer(listed(key)).replacing("<EncodingType>url</EncodingType>", with: "")
    }
    let names = try await client(answer("a/猫 1")).list().reduce(into: []) { $0.append($1.name) }
    XCTAssertEqual(names, ["a/猫 1"])
    for key in ["a%41", "a+b", "100%", "a%2Fb"] {
      await assertMalformed(key) { for try await _ in client(answer(key)).list() {} }
    }
  }

  func testReportsOnDeletionsAreAboutTheRequestedKeys() async throws {
    let failure = "<Error><Key>a</Key><Code>AccessDenied</Code><Message>No.</Message></Error>"
    let report = try await client("<DeleteResult>\(failure)</DeleteResult>").delete(["a", "b"])
    XCTAssertEqual(report.deleted, ["b"])
    XCTAssertEqual(report.failures.map(\.key), ["a"])
    for content in [
      failure.replacing("<Key>a</Key>", with: "<Key>c</Key>"), failure.replacing("<Key>a</Key>", with: ""),
      "<Deleted><Key>c</Key></Deleted>", failure.replacing("<Key>a</Key>", with: "<Key>A</Key>"),
    ] {
      let answer = "<DeleteResult>\(content)</DeleteResult>"
      await assertMalformed(answer) { try await client(answer).delete(["a", "b"]) }
    }
    // Two spellings of one name are two keys.
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let answer = "<DeleteResult>\(failure.replacing("<Key>a</Key>", with: "<Key>\(composed)</Key>"))</DeleteResult>"
    let both = try await client(answer).delete([composed, decomposed])
    XCTAssertEqual(both.deleted.map { Array($0.utf8) }, [Array(decomposed.utf8)])
    XCTAssertEqual(both.failures.map { Array($0.key.utf8) }, [Array(composed.utf8)])
  }

  func testPartsThatDoNotAscendAreErrors() async throws {
    func part(_ number: Int) -> String {
      "<Part><PartNumber>\(number)</PartNumber><ETag>\"E\"</ETag><Size>1</Size></Part>"
    }
    func page(_ numbers: [Int], next: Int? = nil) -> HTTPStreamingResponse {
      HTTPStreamingResponse(
        200,
        """
        <ListPartsResult><Bucket>photos</Bucket><Key>k</Key><UploadId>U</UploadId>
        \(numbers.map(part).joined())<IsTruncated>\(next != nil)</IsTruncated>
        <NextPartNumberMarker>\(next ?? 0)</NextPartNumberMarker></ListPartsResult>
        """)
    }
    let wrong = [
      [page([2, 1])], [page([1, 1])], [page([0])], [page([10_001])], [page([1, 2], next: 2), page([2])],
      [page([1, 2], next: 2), page([1])], [page([1], next: 0)], [page([1], next: 1), page([2], next: 1)],
    ]
    for pages in wrong {
      await assertMalformed("\(pages.count)") {
        _ = try await upload(.init(sender: ossClient(RecordingTransport(replies: pages)).sender)).storedParts()
      }
    }
    let right = ossClient(RecordingTransport(replies: [page([1, 3], next: 3), page([7])]))
    let parts = try await upload(.init(sender: right.sender)).storedParts()
    XCTAssertEqual(parts.map(\.number), [1, 3, 7])
  }
}
