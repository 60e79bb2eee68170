// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Tests every reader with the committed corpus; `make fuzz` searches for further inputs.
final class CorpusTests: XCTestCase {
  func testEveryReaderHasACorpusWithAcceptedInputs() async throws {
    let names = Reader.all.map(\.name)
    XCTAssertEqual(Set(names).count, names.count)
    XCTAssertEqual(Set(try FileManager.default.contentsOfDirectory(atPath: Reader.corpora.path)), Set(names))
    for reader in Reader.all {
      var taken = 0
      for url in try reader.corpusFiles {
        do {
          if try await reader.read(Array(Data(contentsOf: url))) { taken += 1 }
        } catch {
          XCTFail("\(reader.name), \(url.lastPathComponent): \(error)")
        }
      }
      XCTAssertGreaterThan(taken, 0, "no input of \(reader.name) is accepted, only rejected")
    }
  }

  func testEveryReaderIsMeasuredOrSaysWhyNot() async throws {
    for reader in Reader.all {
      if case .none(let reason) = reader.growths {
        XCTAssertFalse(reason.isEmpty, "\(reader.name) has neither growths nor a reason")
        continue
      }
      do {
        let shapes = try await reader.rows(of: reader.corpus).map(\.shape)
        XCTAssertFalse(shapes.isEmpty, "\(reader.name) has neither growths nor a reason")
        XCTAssertEqual(Set(shapes).count, shapes.count, "two growths of \(reader.name) have the same shape")
      } catch {
        XCTFail("\(error)")
      }
    }
  }
}

extension Reader {
  fileprivate static let corpora = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

  fileprivate var corpusFiles: [URL] {
    get throws {
      try FileManager.default.contentsOfDirectory(
        at: Self.corpora.appending(path: name), includingPropertiesForKeys: nil
      ).sorted { $0.path < $1.path }
    }
  }

  /// The inputs of the corpus.
  var corpus: [[UInt8]] {
    get throws { try corpusFiles.map { Array(try Data(contentsOf: $0)) } }
  }
}
