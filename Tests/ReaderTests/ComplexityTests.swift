// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageAuth
import XCTest

/// Tests that the work of every reader is linear in its input.
///
/// `make complexity` runs this under callgrind, which counts instructions. Without callgrind each growth runs only
/// once. `READER` selects readers by name, or growths by shape.
final class ComplexityTests: XCTestCase {
  /// The maximum growth of the work when the input doubles.
  ///
  /// Linear work grows by 2, sorting by a little more, quadratic work by 4; the constant part of the work reduces each
  /// of them.
  private static let limit = 2.3

  private struct Counts: CustomStringConvertible {
    let counts: [Int]

    /// The greater of the two growth factors.
    var factor: Double {
      zip(counts, counts.dropFirst()).map { Double($1) / Double(max(1, $0)) }.max() ?? 0
    }

    /// Whether the work stays below the limit, or even the longest input takes too few instructions for a measurement:
    /// the allocation of its bytes alone can take 100,000.
    var isLinear: Bool { factor <= ComplexityTests.limit || counts.allSatisfy { $0 < ComplexityTests.leastCount / 10 } }

    var description: String {
      "\(counts.map { "\($0)" }.joined(separator: " → ")): grows by \(String(format: "%.2f", factor))"
    }
  }

  /// The minimum instruction count of the smallest input, so that the constant part of the work is negligible.
  private static let leastCount = 3_000_000

  @MainActor
  private func counts(
    of growth: Growth, from leastCount: Int = leastCount, by counter: InstructionCounter
  ) async throws -> Counts {
    var size = max(1, growth.size / 16)
    // Caches are filled before counting.
    await growth.prepare(size)()
    var counts = [try await counter.count(growth.prepare(size))]
    while counts[0] < leastCount, size < growth.size {
      size = min(2 * size, growth.size)
      counts = [try await counter.count(growth.prepare(size))]
    }
    for factor in [2, 4] { counts.append(try await counter.count(growth.prepare(size * factor))) }
    return Counts(counts: counts)
  }

  @MainActor
  func testEveryReaderIsLinear() async throws {
    let wanted = ProcessInfo.processInfo.environment["READER"]?.lowercased() ?? ""
    let counter = InstructionCounter()
    for reader in Reader.all {
      for growth in try await reader.rows(of: reader.corpus) {
        let name = "\(reader.name), \(growth.shape)"
        guard wanted.isEmpty || name.lowercased().contains(wanted) else { continue }
        guard let counter else {
          await growth.prepare(growth.size / 4)()
          continue
        }
        var counts = try await counts(of: growth, by: counter)
        // A few dozen elements are sorted by insertion, and tables grow in steps: more elements give a clearer result.
        if !counts.isLinear {
          counts = try await self.counts(of: growth, from: 16 * Self.leastCount, by: counter)
        }
        print("\(counts.isLinear ? "ok  " : "FAIL") \(name): \(counts)")
        XCTAssertTrue(counts.isLinear, "\(name): \(counts)")
      }
    }
  }

  /// Covers the detection of quadratic work with a known case: replacing one value after another in a text that already
  /// contains masks.
  @MainActor
  func testQuadraticWorkIsDetected() async throws {
    guard let counter = InstructionCounter() else {
      throw XCTSkip("Instructions are counted under callgrind: run make complexity.")
    }
    let masking = Growth("a value of one letter, masked as it was", size: 2) { count in
      let values = Array(repeating: "e", count: count)
      return {
        _ = values.reduce("GET /photos/e") { text, value in text.replacing(value, with: Secret.mask) }
      }
    }
    let search = Growth("the same letter, searched at every place") { size in
      let text = repeated("a", to: size / 8)
      return {
        for index in text.indices { _ = text[index...].hasPrefix(text + "b") }
      }
    }
    for growth in [masking, search] {
      let counts = try await counts(of: growth, by: counter)
      print("expected to exceed the limit: \(growth.shape): \(counts)")
      XCTAssertGreaterThan(counts.factor, Self.limit, growth.shape)
    }
  }
}
