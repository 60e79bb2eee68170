// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import XCTest

/// Tests that no reader of a service's document bypasses the check of its root element.
final class AnswerReaderTests: XCTestCase {
  func testDocumentsOfServicesAreParsedInOnePlace() throws {
    for file in try SourceTree("Sources/Client/StorageClient").files {
      let parses = file.lines.contains { $0.contains("XMLNode.parse(") }
      XCTAssertEqual(
        parses, file.path == "Sources/Client/StorageClient/Sending/ServiceDocument.swift",
        "\(file.path): read documents of services with ServiceDocument, which checks the root element.")
    }
  }
}
