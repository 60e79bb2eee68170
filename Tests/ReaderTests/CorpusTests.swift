// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Tests every reader with the committed corpus; `make fuzz` searches for further inputs.
final class CorpusTests: XCTestCase {
  private let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

  private func inputs(of reader: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: corpus.appending(path: reader), includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
  }

  func testEveryReaderHasACorpusWithAcceptedInputs() async throws {
    let names = Reader.all.map(\.name)
    XCTAssertEqual(Set(names).count, names.count)
    XCTAssertEqual(Set(try FileManager.default.contentsOfDirectory(atPath: corpus.path)), Set(names))
    for reader in Reader.all {
      var taken = 0
      for url in try inputs(of: reader.name) {
        do {
          if try await reader.read(Array(Data(contentsOf: url))) { taken += 1 }
        } catch {
          XCTFail("\(reader.name), \(url.lastPathComponent): \(error)")
        }
      }
      XCTAssertGreaterThan(taken, 0, "no input of \(reader.name) is accepted, only rejected")
    }
  }
}
