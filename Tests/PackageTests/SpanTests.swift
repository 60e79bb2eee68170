// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import XCTest

/// The rule that no source reads the property `span` of an array, which Apple's systems have from version 26 on.
///
/// The check of `make apple-check` finds such uses in the modules that it compiles; this one finds them in all.
final class SpanTests: XCTestCase {
  /// Files in which the property is that of another type, with the type.
  private static let otherTypes: [String: String] = [
    "Sources/Client/FoundationTransport/URLSessionExchange.swift": "Data",
    "Sources/Core/StorageCrypto/Bytes/ByteWriter.swift": "ArraySlice",
    "Sources/Core/StorageCrypto/Bytes/NameTable.swift": "ContiguousArray",
    "Sources/Core/StorageCrypto/Hashing/CRC.swift": "ContiguousArray",
  ]

  func testSpansOfArraysAreNotUsed() throws {
    var used: Set<String> = []
    for file in try SourceTree("Sources").files {
      let extendsArrays = file.lines.contains { $0.hasPrefix("extension [") || $0.hasPrefix("extension Array") }
      // A search for a text is many times faster than one for a pattern.
      let lines = file.lines.filter { $0.contains("span") || $0.contains("mutableSpan") }
      for line in lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        let isOfSelf = extendsArrays && line.contains(/[^.\w]span\)/)
        guard isOfSelf || line.contains(/[\w)]\.(span|mutableSpan|bytes\.span)\b/) else { continue }
        used.insert(file.path)
        XCTAssertNotNil(
          Self.otherTypes[file.path],
          "\(file.path): \(line.drop { $0 == " " }): use withElements, or a method that takes an array")
      }
    }
    XCTAssertEqual(used, Set(Self.otherTypes.keys), "a listed file no longer uses the property")
  }
}
