// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import LocalCloud
import StorageAuth
import StorageAuthTesting
import StorageClient
import StorageClientTesting
import XCTest

/// Tests many transfers with one progress and one report.
final class TransferPipelineTests: XCTestCase {
  private struct Refusal: Error {}

  /// Waits until the task is cancelled.
  private static func cancellation() async {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    continuation.finish()
  }

  /// Counts the transfers in progress and suspends them until it is opened.
  private final class Gate: Sendable {
    private let state = Lock((underWay: 0, most: 0, isOpen: false))

    var underWay: Int { state.withLock { $0.underWay } }
    var most: Int { state.withLock { $0.most } }

    func open() { state.withLock { $0.isOpen = true } }

    /// Waits until the gate is open.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    func pass() async throws {
      state.withLock { state in
        state.underWay += 1
        state.most = max(state.most, state.underWay)
      }
      defer { state.withLock { $0.underWay -= 1 } }
      while !state.withLock({ $0.isOpen }) {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }

  /// An infinite sequence that counts its elements and suspends after `pause` of them.
  private struct Endless: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
      let sequence: Endless

      mutating func next() async throws -> ObjectTransfer? {
        let number = sequence.yielded.withLock { yielded in
          yielded += 1
          return yielded
        }
        while number > sequence.pause {
          try Task.checkCancellation()
          await Task.yield()
        }
        return sequence.make(number)
      }
    }

    final class Count: Sendable {
      private let value = Lock(0)
      func withLock<Result>(_ body: (inout Int) -> Result) -> Result { value.withLock { body(&$0) } }
    }

    let yielded = Count()
    var pause = Int.max
    let make: @Sendable (Int) -> ObjectTransfer

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }
  }

  // matrix: Pipeline: bound
  func testConcurrentTransfersAreLimitedAndAtMostOneMoreIsRead() async throws {
    let gate = Gate()
    let source = Endless { number in ObjectTransfer("\(number)") { _ in try await gate.pass() } }
    let task = Task { try await TransferPipeline(transfersInFlight: 5).run(source) }
    await eventually("all transfers are in progress") { gate.underWay == 5 && source.yielded.withLock { $0 } == 6 }
    for _ in 0..<1000 { await Task.yield() }
    XCTAssertEqual(gate.underWay, 5)
    XCTAssertEqual(source.yielded.withLock { $0 }, 6)
    gate.open()
    await eventually("the pipeline continues") { source.yielded.withLock { $0 } > 500 }
    XCTAssertEqual(gate.most, 5)
    task.cancel()
    await assertThrows(CancellationError.self) { _ = try await task.value }
  }

  // matrix: Pipeline: progress
  func testProgressAddsUpObjectsAndBytesMonotonically() async throws {
    let cloud = try await Cloud(self)
    let store = cloud.oss()
    let directory = try TemporaryDirectory(self)
    let contents = Dictionary(uniqueKeysWithValues: (0..<40).map { ("k/\($0)", pattern($0 * 200, seed: UInt64($0))) })
    let total = Int64(contents.values.reduce(0) { $0 + $1.count })
    let seen = Collected<PipelineProgress>()
    let uploads = contents.map { ObjectTransfer.upload(.bytes($0.value), to: $0.key, in: store) }
    let up = try await TransferPipeline(transfersInFlight: 8).run(uploads) { seen.append($0) }
    XCTAssertTrue(up.isComplete)
    XCTAssertEqual([up.completedObjects, up.failedObjects, up.unfinishedObjects], [40, 0, 0])
    XCTAssertEqual(up.completedBytes, total)
    try check(seen.values, objects: 40, bytes: total)

    let listed = Collected<PipelineProgress>()
    let downloads = store.list(prefix: "k/").compactMap { entry -> ObjectTransfer? in
      guard case .object(let info) = entry else { return nil }
      return .download(
        info.key, from: store, to: directory.path(String(info.key.dropFirst(2))), byteCount: info.size)
    }
    let down = try await TransferPipeline(transfersInFlight: 8).run(downloads) { listed.append($0) }
    XCTAssertTrue(down.isComplete)
    XCTAssertEqual(down.completedObjects, 40)
    try check(listed.values, objects: 40, bytes: total)
    for (key, bytes) in contents { XCTAssertEqual(try directory.read(String(key.dropFirst(2))), bytes) }
  }

  private func check(_ seen: [PipelineProgress], objects: Int, bytes: Int64, line: UInt = #line) throws {
    let last = try XCTUnwrap(seen.last, line: line)
    XCTAssertEqual(last.completedObjects, objects, line: line)
    XCTAssertEqual(last.totalObjects, objects, line: line)
    XCTAssertEqual(last.completedBytes, bytes, line: line)
    XCTAssertEqual(last.totalBytes, bytes, line: line)
    XCTAssertEqual(last.fractionCompleted, 1, line: line)
    for (before, after) in zip(seen, seen.dropFirst()) {
      XCTAssertLessThanOrEqual(before.completedObjects, after.completedObjects, line: line)
      XCTAssertLessThanOrEqual(before.completedBytes, after.completedBytes, line: line)
      if before.totalObjects != nil { XCTAssertEqual(after.totalObjects, objects, line: line) }
    }
    XCTAssertGreaterThan(seen.count, objects, line: line)
  }

  // matrix: Pipeline: progress
  func testTotalIsReportedOnlyWhenItIsKnown() async throws {
    let seen = Collected<PipelineProgress>()
    let transfers = [
      ObjectTransfer("told", byteCount: 10) { $0(TransferProgress(completed: 4, total: 10)) },
      ObjectTransfer("late") { $0(TransferProgress(completed: 7, total: nil)) },
      ObjectTransfer("copied") { _ in },
    ]
    let report = try await TransferPipeline(transfersInFlight: 1).run(transfers) { seen.append($0) }
    XCTAssertEqual(report.completedBytes, 17, "unreported bytes count when a transfer has succeeded")
    for progress in seen.values.dropLast() { XCTAssertNil(progress.totalBytes) }
    XCTAssertEqual(seen.values.last?.totalBytes, 17)
    let none = try await TransferPipeline().run([]) { seen.append($0) }
    XCTAssertTrue(none.isComplete)
    XCTAssertEqual(seen.values.last?.fractionCompleted, 1)
  }

  // matrix: Pipeline: progress
  func testReportedTotalReplacesTheSizeOfTheListing() async throws {
    let seen = Collected<PipelineProgress>()
    let transfers = [
      ObjectTransfer("shorter", byteCount: 10) { $0(TransferProgress(completed: 1, total: 1)) },
      ObjectTransfer("longer", byteCount: 2) { $0(TransferProgress(completed: 5, total: 5)) },
    ]
    let report = try await TransferPipeline(transfersInFlight: 1).run(transfers) { seen.append($0) }
    XCTAssertEqual(report.completedBytes, 6)
    XCTAssertEqual(seen.values.last?.totalBytes, 6)
  }

  func testSizesWhoseSumIsTooLargeDoNotEndTheProgram() async throws {
    let gate = Gate()
    let waiting = Lock(0)
    let transfers = (0..<3).map { number in
      ObjectTransfer("\(number)", byteCount: .max) { progress in
        // The sizes are replaced after all of them have been added.
        let isLast = waiting.withLock { waiting in
          waiting += 1
          return waiting == 3
        }
        if isLast { gate.open() }
        try await gate.pass()
        progress(TransferProgress(completed: 10, total: 10))
      }
    }
    let report = try await TransferPipeline(transfersInFlight: 3).run(transfers)
    XCTAssertEqual([report.completedObjects, Int(report.completedBytes)], [3, 30])
  }

  // matrix: Pipeline: failure
  func testFailureIsReportedAndDoesNotAffectOtherTransfers() async throws {
    let store = InMemoryStore()
    store.fail(.upload, key: "3", with: InMemoryStore.throttled)
    let transfers = (0..<10).map { ObjectTransfer.upload(.bytes([1, 2]), to: "\($0)", in: store) }
    let report = try await TransferPipeline(transfersInFlight: 2).run(transfers)
    XCTAssertEqual([report.completedObjects, report.failedObjects, report.unfinishedObjects], [9, 1, 0])
    XCTAssertEqual(report.failures.map(\.name), ["3"])
    XCTAssertEqual((report.failures.first?.error as? ServiceError)?.kind, .throttled)
    XCTAssertFalse(report.isComplete)
  }

  // matrix: Pipeline: failure
  func testDescribedFailuresAreLimitedAndAllAreCounted() async throws {
    let transfers = (0..<100).lazy.map { ObjectTransfer("\($0)") { _ in throw Refusal() } }
    let report = try await TransferPipeline(transfersInFlight: 1, describedFailures: 3).run(Array(transfers))
    XCTAssertEqual(report.failedObjects, 100)
    XCTAssertEqual(report.failures.map(\.name), ["0", "1", "2"])
  }

  // matrix: Pipeline: failure
  func testFirstFailureCancelsTheOthersWhenConfiguredEvenIfTheSequenceIsSuspended() async throws {
    let gate = Gate()
    let source = Endless(pause: 4) { number in
      ObjectTransfer("\(number)") { _ in
        guard number == 4 else { return try await gate.pass() }
        while gate.underWay < 3 { await Task.yield() }
        throw Refusal()
      }
    }
    let report = try await TransferPipeline(transfersInFlight: 8, stopsAtFailure: true).run(source)
    XCTAssertEqual(report.failures.map(\.name), ["4"])
    XCTAssertEqual([report.completedObjects, report.failedObjects, report.unfinishedObjects], [0, 1, 3])
    XCTAssertEqual(gate.underWay, 0)
    XCTAssertNil(report.sourceError)
  }

  // matrix: Pipeline: failure
  func testNoTransferStartsAfterAFailureThatStopsThePipeline() async throws {
    let started = Collected<String>()
    let transfers = [
      ObjectTransfer("failing") { _ in throw Refusal() }, ObjectTransfer("next") { _ in started.append("next") },
    ]
    for _ in 0..<100 {
      let report = try await TransferPipeline(transfersInFlight: 1, stopsAtFailure: true).run(transfers)
      XCTAssertEqual(report.failures.map(\.name), ["failing"])
    }
    XCTAssertEqual(started.values, [])
  }

  // matrix: Pipeline: failure
  func testFailingSequenceEndsAfterTheTransfersInProgress() async throws {
    let store = InMemoryStore()
    for number in 0..<3 { try await store.upload([1], to: "\(number)") }
    let source = AsyncThrowingStream<ObjectTransfer, any Error> { continuation in
      for number in 0..<3 {
        continuation.yield(
          ObjectTransfer("\(number)") { _ in
            await Task.yield()
            _ = try await store.head("\(number)")
          })
      }
      continuation.finish(throwing: Refusal())
    }
    let report = try await TransferPipeline().run(source)
    XCTAssertEqual(report.completedObjects, 3)
    XCTAssertTrue(report.sourceError is Refusal)
    XCTAssertFalse(report.isComplete)
  }

  // matrix: Pipeline: cancellation
  func testCancelledPipelineLeavesNoTransfersAndNoPartialFiles() async throws {
    let directory = try TemporaryDirectory(self)
    let started = Collected<String>()
    let transport = RecordingTransport { request async throws(TransportError) in
      started.append(request.path)
      return HTTPStreamingResponse(
        response: HTTPResponse(status: .ok, headerFields: [.contentLength: "1000", .eTag: "\"E\""]),
        body: ByteStream {
          var isFirst = true
          return {
            if isFirst {
              isFirst = false
              return [1, 2, 3]
            }
            await Self.cancellation()
            throw CancellationError()
          }
        })
    }
    let store = ossClient(transport)
    let source = Endless { number in
      .download("k\(number)", from: store, to: directory.path("f\(number)"))
    }
    let task = Task { try await TransferPipeline(transfersInFlight: 4).run(source) }
    await eventually("all transfers have started") { started.values.count == 4 }
    await eventually("each transfer has a file") { ((try? directory.names) ?? []).count == 4 }
    task.cancel()
    await assertThrows(CancellationError.self) { _ = try await task.value }
    XCTAssertEqual(try directory.names, [])
    XCTAssertEqual(started.values.count, 4)
  }
}
