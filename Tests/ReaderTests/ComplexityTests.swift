// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageAuth
import XCTest

/// Tests that the work of every function that parses untrusted bytes is linear in its input.
///
/// `make complexity` runs this under callgrind, which counts instructions. Without callgrind each reader runs only
/// once.
final class ComplexityTests: XCTestCase {
  /// The maximum growth of the work when the input doubles.
  ///
  /// Linear work grows by 2, sorting by a little more, quadratic work by 4; the constant part of the work reduces each
  /// of them.
  private static let limit = 2.3

  private struct Growth: CustomStringConvertible {
    let counts: [Int]

    /// The greater of the two growth factors.
    var factor: Double {
      zip(counts, counts.dropFirst()).map { Double($1) / Double(max(1, $0)) }.max() ?? 0
    }

    var description: String {
      "\(counts.map { "\($0)" }.joined(separator: " → ")): grows by \(String(format: "%.2f", factor))"
    }
  }

  /// The minimum instruction count of the smallest input, so that the constant part of the work is negligible.
  private static let leastCount = 3_000_000

  @MainActor
  private func growth(
    of reader: Reader, from leastCount: Int = leastCount, counting counter: InstructionCounter
  ) async throws -> Growth {
    // Caches are filled before counting.
    await reader.prepare(reader.size)()
    var size = max(1, reader.size / 16)
    var counts = [try await counter.count(reader.prepare(size))]
    while counts[0] < leastCount, size < reader.size {
      size = min(2 * size, reader.size)
      counts = [try await counter.count(reader.prepare(size))]
    }
    for factor in [2, 4] { counts.append(try await counter.count(reader.prepare(size * factor))) }
    return Growth(counts: counts)
  }

  @MainActor
  func testEveryReaderIsLinear() async throws {
    let wanted = ProcessInfo.processInfo.environment["READER"]
    let readers = Readers.all.filter { wanted.map($0.name.contains) ?? true }
    guard let counter = InstructionCounter() else {
      for reader in readers { await reader.prepare(reader.size / 4)() }
      return
    }
    for reader in readers {
      var growth = try await growth(of: reader, counting: counter)
      // A few dozen elements are sorted by insertion, and tables grow in steps: more elements give a clearer result.
      if growth.factor > Self.limit {
        growth = try await self.growth(of: reader, from: 16 * Self.leastCount, counting: counter)
      }
      print("\(growth.factor <= Self.limit ? "ok  " : "FAIL") \(reader.name), \(reader.shape): \(growth)")
      XCTAssertLessThanOrEqual(growth.factor, Self.limit, "\(reader.name), \(reader.shape): \(growth)")
    }
  }

  /// Covers the detection of quadratic work with a known case: replacing one value after another in a text that already
  /// contains masks.
  @MainActor
  func testQuadraticWorkIsDetected() async throws {
    guard let counter = InstructionCounter() else {
      throw XCTSkip("Instructions are counted under callgrind: run make complexity.")
    }
    let masking = Reader("masking as it was", "a value of one letter", size: 2) { count in
      let values = Array(repeating: "e", count: count)
      return {
        _ = values.reduce("GET /photos/e") { text, value in text.replacing(value, with: Secret.mask) }
      }
    }
    let search = Reader("a search at every place", "the same letter") { size in
      let text = repeated("a", to: size / 8)
      return {
        for index in text.indices { _ = text[index...].hasPrefix(text + "b") }
      }
    }
    for reader in [masking, search] {
      let growth = try await growth(of: reader, counting: counter)
      print("expected to exceed the limit: \(reader.name), \(reader.shape): \(growth)")
      XCTAssertGreaterThan(growth.factor, Self.limit, reader.name)
    }
  }

  @MainActor
  func testEveryListedReaderIsTested() throws {
    let list = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
      path: "readers.txt")
    let names = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
    XCTAssertGreaterThan(names.count, 20)
    XCTAssertEqual(Set(names.map(String.init)), Set(Readers.all.map(\.name)))
  }
}
