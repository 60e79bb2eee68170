// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

final class EventSubjectTests: XCTestCase {
  func testSubjectIsDividedIntoItsParts() {
    let subject = EventSubject("upload oss://photos/2026/cat.jpg")
    XCTAssertEqual(subject.operation, "upload")
    XCTAssertEqual(subject.provider, "oss")
    XCTAssertEqual(subject.container, "photos")
    XCTAssertEqual(subject.key, "2026/cat.jpg")
  }

  func testBucketHasNoKey() {
    for text in ["GET oss://photos", "GET oss://photos/"] {
      XCTAssertEqual(EventSubject(text).container, "photos")
      XCTAssertNil(EventSubject(text).key)
    }
  }

  func testSubjectWithoutLocationHasAnOperationOnly() {
    for text in ["refresh", "refresh keys", "refresh keys:a/b"] {
      let subject = EventSubject(text)
      XCTAssertEqual(subject.operation, "refresh")
      XCTAssertNil(subject.provider)
      XCTAssertNil(subject.container)
      XCTAssertNil(subject.key)
    }
  }

  /// Swift joins a combining mark to the slash before it.
  func testKeyKeepsItsLeadingCombiningMark() {
    XCTAssertEqual(EventSubject("upload oss://photos/\u{301}a").key.map { Array($0.utf8) }, Array("\u{301}a".utf8))
  }
}
