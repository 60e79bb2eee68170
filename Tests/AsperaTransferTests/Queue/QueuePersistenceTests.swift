// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests persistent sessions in the queue.
final class QueuePersistenceTests: XCTestCase {
  /// Reports each path as done; the first attempt fails after `count` paths.
  private static func moving(failingAfter count: Int = .max) -> ScriptedEngine.Script {
    { attempt throws(TransferFailure) in
      attempt.report(.running)
      var files = 0
      guard let additions = attempt.additions else { return TransferSummary() }
      for await paths in additions {
        for path in paths {
          if attempt.number == 1, files == count { throw .lostConnection }
          files += 1
          attempt.report(.file(TransferFileReport(file: path.source, outcome: .done)))
        }
      }
      return TransferSummary(bytes: 0, files: files)
    }
  }

  private func files(_ bench: QueueBench) -> [String] {
    bench.kinds(of: "a").compactMap { if case .file(let file) = $0 { file.file } else { nil } }
  }

  func testPathsCanBeAddedBeforeAndWhileASessionRuns() async throws {
    let bench = try QueueBench(ScriptedEngine(Self.moving()))
    bench.queue.pause()
    bench.queue.add(.sample("a", isPersistent: true))
    try bench.queue.addPaths([TransferPath("1"), TransferPath("2")], to: "a")
    bench.queue.resume()
    await eventually("two are done") { self.files(bench) == ["1", "2"] }
    XCTAssertEqual(bench.queue.status(of: "a"), .running)
    try bench.queue.addPaths([TransferPath("3", to: "x")], to: "a")
    bench.queue.finish("a")
    let result = await bench.finished("a")
    XCTAssertEqual(result, .success(TransferSummary(bytes: 0, files: 3)))
    XCTAssertEqual(files(bench), ["1", "2", "3"])
  }

  func testPathsAreAddedWithoutACopyOfThePendingOnes() throws {
    let bench = try QueueBench(ScriptedEngine(Self.moving()))
    bench.queue.pause()
    bench.queue.add(.sample("a", isPersistent: true))
    let callCount = 500
    var addresses: [Int] = []
    for number in 1...callCount {
      try bench.queue.addPaths([TransferPath("\(number)")], to: "a")
      let address = bench.queue.state.withLock { state in
        state.records["a"]?.pathFeed?.pendingPaths.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
      }
      addresses.append(try XCTUnwrap(address))
    }
    // The array moves only when it grows, each time by a factor.
    let moveCount = zip(addresses, addresses.dropFirst()).count { $0 != $1 }
    XCTAssertLessThan(moveCount, 20)
    bench.queue.cancel("a")
  }

  func testPathsUnfinishedByAFailedAttemptArePassedToTheNext() async throws {
    let bench = try QueueBench(ScriptedEngine(Self.moving(failingAfter: 2)))
    bench.queue.add(.sample("a", isPersistent: true))
    try bench.queue.addPaths(["1", "2", "3", "4"].map { TransferPath($0) }, to: "a")
    await bench.reaches(.retrying, "a")
    try bench.queue.addPaths([TransferPath("5")], to: "a")
    bench.queue.finish("a")
    await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
    XCTAssertEqual(bench.ends.first?.result.isSuccess, true)
    XCTAssertEqual(files(bench), ["1", "2", "3", "4", "5"])
  }

  func testReportedPathIsRemovedInItsSpelling() {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    var feed = PathFeed()
    feed.add([TransferPath(composed), TransferPath(decomposed)])
    feed.removePath(withSource: decomposed)
    XCTAssertEqual(feed.pendingPaths.map { Array($0.source.utf8) }, [Array(composed.utf8)])
    feed.removePath(withSource: decomposed)
    XCTAssertEqual(feed.pendingPaths, [], "an equivalent spelling")
  }

  func testSessionThatTheEngineEndsPrematurelyContinues() async throws {
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        if attempt.number == 1 { return TransferSummary() }
        return try await Self.moving()(attempt)
      })
    bench.queue.add(.sample("a", isPersistent: true))
    await bench.reaches(.retrying, "a")
    try bench.queue.addPaths([TransferPath("1")], to: "a")
    bench.queue.finish("a")
    await bench.step(by: .seconds(1)) { bench.ends.count == 1 }
    XCTAssertEqual(bench.ends.first?.result.isSuccess, true)
    XCTAssertEqual(files(bench), ["1"])
  }

  func testPathsWithoutAnOpenPersistentSessionAreRejected() async throws {
    let bench = try QueueBench(ScriptedEngine(Self.moving()))
    bench.queue.pause()
    bench.queue.add(.sample("a", isPersistent: true))
    bench.queue.add(.sample("plain"))
    func refusal(_ id: String) -> String? {
      do throws(TransferFailure) {
        try bench.queue.addPaths([TransferPath("1")], to: id)
        return nil
      } catch {
        return error.kind == .caller ? error.message : nil
      }
    }
    XCTAssertEqual(refusal("nobody")?.contains("no persistent session"), true)
    XCTAssertEqual(refusal("plain")?.contains("no persistent session"), true)
    XCTAssertNil(refusal("a"))
    bench.queue.finish("a")
    XCTAssertEqual(refusal("a")?.contains("was finished"), true)
    bench.queue.resume()
    _ = await bench.finished("a")
    XCTAssertEqual(refusal("a")?.contains("is over"), true)
    _ = await bench.finished("plain")
  }

  func testPersistentSessionCanBeCancelledAndRunAgainWithItsRemainingPaths() async throws {
    let bench = try QueueBench(ScriptedEngine(Self.moving()))
    bench.queue.add(.sample("a", isPersistent: true))
    try bench.queue.addPaths([TransferPath("1")], to: "a")
    await eventually("one is done") { self.files(bench) == ["1"] }
    bench.queue.cancel("a")
    let result = await bench.finished("a")
    XCTAssertEqual(result, .failure(.cancelled))
    bench.queue.run("a")
    await bench.reaches(.running, "a")
    try bench.queue.addPaths([TransferPath("2")], to: "a")
    bench.queue.finish("a")
    let second = await bench.finished("a", 2)
    XCTAssertEqual(second?.isSuccess, true)
    XCTAssertEqual(files(bench), ["1", "2"])
  }
}
