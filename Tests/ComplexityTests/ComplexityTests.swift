import Foundation
import StorageAuth
import XCTest

/// The work of every function that reads bytes from outside is linear in its input.
///
/// `make complexity` runs this under callgrind, which counts instructions. Anywhere else each reader is only run once.
final class ComplexityTests: XCTestCase {
  /// How much the work may grow when the input doubles.
  ///
  /// Linear work grows by 2, sorting by a little more, quadratic work
  /// by 4; what is the same for every input makes each of them less.
  private static let limit = 2.3

  private struct Growth: CustomStringConvertible {
    let counts: [Int]

    /// The greater of the two growths.
    var factor: Double {
      zip(counts, counts.dropFirst()).map { Double($1) / Double(max(1, $0)) }.max() ?? 0
    }

    var description: String {
      "\(counts.map { "\($0)" }.joined(separator: " → ")): grows by \(String(format: "%.2f", factor))"
    }
  }

  /// The instructions of the smallest input: enough of them that what is the same for every input does not count.
  private static let leastCount = 3_000_000

  @MainActor
  private func growth(
    of reader: Reader, from leastCount: Int = leastCount, counting counter: InstructionCounter
  ) async throws -> Growth {
    // What is made once and kept is not counted.
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
      // A few dozen elements are sorted by insertion, and tables grow in steps: more of them tell.
      if growth.factor > Self.limit {
        growth = try await self.growth(of: reader, from: 16 * Self.leastCount, counting: counter)
      }
      print("\(growth.factor <= Self.limit ? "ok  " : "FAIL") \(reader.name), \(reader.shape): \(growth)")
      XCTAssertLessThanOrEqual(growth.factor, Self.limit, "\(reader.name), \(reader.shape): \(growth)")
    }
  }

  /// What was wrong once would be found: replacing one value after another, in a text that holds masks already.
  @MainActor
  func testQuadraticWorkIsFound() async throws {
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
      print("expected to fail: \(reader.name), \(reader.shape): \(growth)")
      XCTAssertGreaterThan(growth.factor, Self.limit, reader.name)
    }
  }

  @MainActor
  func testEveryReaderOfTheListHasARow() throws {
    let list = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
      path: "readers.txt")
    let names = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
    XCTAssertGreaterThan(names.count, 20)
    XCTAssertEqual(Set(names.map(String.init)), Set(Readers.all.map(\.name)))
  }
}
