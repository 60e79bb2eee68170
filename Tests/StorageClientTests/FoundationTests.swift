// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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

  func testOtherURLsAreNoFiles() async throws {
    let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), credentials: AccessKey.anonymous)
    for text in ["https://example.com/cat.jpg", "cat.jpg"] {
      let url = try XCTUnwrap(URL(string: text))
      do {
        try await client.upload(url, to: "cat.jpg")
        XCTFail("\(text) was uploaded")
      } catch let error as StorageError {
        XCTAssertEqual(error.code, .unusableFile)
      }
    }
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
    _ = Timestamp(Date(timeIntervalSince1970: .nan))
  }
}
