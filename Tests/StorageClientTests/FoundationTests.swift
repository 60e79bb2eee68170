// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import StorageAuthTesting
import XCTest

@testable import StorageClient

/// Transfers and times with the types of Foundation: URLs of files, data and dates.
final class FoundationTests: XCTestCase {
  func testFilesAndDataAreTransferredByTheirURLs() async throws {
    let cloud = try await Cloud(self)
    let directory = try TemporaryDirectory(self)
    let source = URL(filePath: directory.path("a cat.jpg").string)
    try Data([1, 2, 3]).write(to: source)
    let client = cloud.oss()
    try await client.upload(source, to: "cat.jpg")
    try await client.upload(Data([4, 5]), to: "dog.jpg", contentType: "image/jpeg")
    for (key, bytes) in [("cat.jpg", Data([1, 2, 3])), ("dog.jpg", Data([4, 5]))] {
      let copy = URL(filePath: directory.path("copy of \(key)").string)
      try await client.download(key, to: copy)
      XCTAssertEqual(try Data(contentsOf: copy), bytes)
    }
  }

  func testErrorsAreLocalizedWithTheirMessageAndRemedy() {
    let error: any Error = CredentialError(.failed, source: "app", "There is no key.", remedy: "Log in.")
    XCTAssertEqual(error.localizedDescription, "There is no key.")
    XCTAssertEqual((error as? any LocalizedError)?.recoverySuggestion, "Log in.")
    let other: any Error = StorageError(.unsupported, "There is no cat.", remedy: "Upload it.")
    XCTAssertEqual(other.localizedDescription, "There is no cat.")
    let refusal: any Error = ServiceError(
      code: "AccessDenied", message: "The cat is private.", status: .forbidden, subject: "GET oss://photos/cat.jpg")
    XCTAssertEqual(refusal.localizedDescription, "The cat is private.")
    XCTAssertEqual((refusal as? any LocalizedError)?.recoverySuggestion?.isEmpty, false)
    for error in [
      PolicyError.self, ServiceError.self, SigningError.self, SigningRefusal.self, TransportError.self,
      VerificationError.self,
    ] as [any Error.Type] {
      XCTAssertTrue(error is any LocalizedError.Type, "\(error)")
    }
  }

  func testUploadIsASequenceOfItsProgress() async throws {
    let cloud = try await Cloud(self)
    let bytes = pattern(300_000)
    let file = try TemporaryDirectory(self).write(bytes, to: "film.mov")
    var last: TransferProgress?
    for try await progress in cloud.oss().uploading(file, to: "film.mov") {
      XCTAssertGreaterThanOrEqual(progress.completed, last?.completed ?? 0)
      last = progress
    }
    XCTAssertEqual(last?.completed, 300_000)
    let stored = try await cloud.oss().download("film.mov", upTo: 300_000)
    XCTAssertEqual(stored, bytes)
    await assertThrows(
      StorageError.self,
      {
        for try await _ in cloud.oss().uploading("/no/such/film.mov", to: "film.mov") {}
      }
    ) { XCTAssertEqual($0.code, .unusableFile) }
  }

  func testOtherURLsAreNoFilesEvenIfAFileHasTheirPath() async throws {
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200) }
    let file = try TemporaryDirectory(self).write([1], to: "cat.jpg")
    let url = try XCTUnwrap(URL(string: "https://example.com\(file)"))
    let other = try XCTUnwrap(URL(string: "\(file)"))
    for url in [url, other] {
      await assertThrows(StorageError.self, { try await ossClient(transport).upload(url, to: "cat.jpg") }) {
        XCTAssertEqual($0.code, .unusableFile)
        XCTAssertTrue($0.message.contains("scheme"), $0.message)
      }
      await assertThrows(StorageError.self, { try await ossClient(transport).download("cat.jpg", to: url) }) {
        XCTAssertEqual($0.code, .unusableFile)
      }
    }
    XCTAssertEqual(transport.requests.count, 0)
  }

  func testPresignedURLIsTheSameForFoundation() async throws {
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"), credentials: AccessKey(id: "AKIDexample", secret: "secret"))
    let presigned = try await client.presign(.get, "a b/é+%.jpg", validFor: .seconds(1800))
    let link: URL = try presigned.foundationURL
    XCTAssertEqual(link.absoluteString, presigned.url)
  }

  func testDatesAreConvertedInBothDirections() {
    for seconds in [0, 1_795_161_600, -1, 1_795_161_600.25, -0.5] {
      let date = Date(timeIntervalSince1970: seconds)
      XCTAssertEqual(Date(Timestamp(date)), date)
    }
    XCTAssertEqual(Timestamp(Date(timeIntervalSince1970: -0.5)).unixSeconds, -1)
    XCTAssertEqual(Timestamp(Date(timeIntervalSince1970: -0.5)).nanoseconds, 500_000_000)
    // Instants are clamped, and no number traps.
    XCTAssertEqual(Timestamp(Date(timeIntervalSince1970: .infinity)), Timestamp(unixSeconds: .max))
    XCTAssertEqual(Timestamp(Date(timeIntervalSince1970: -.greatestFiniteMagnitude)), Timestamp(unixSeconds: .min))
    XCTAssertEqual(Timestamp(Date(timeIntervalSince1970: .nan)), Timestamp(unixSeconds: .min))
  }
}
