// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// The spans of sessions, whose tokens and attempts belong to the trace of the task that added the session.
final class QueueTracingTests: XCTestCase {
  // matrix: Tracing: failures
  func testSessionHasItsTokensAndAttemptsInOrder() async throws {
    let time = ManualClock()
    let instrument = RecordingInstrument()
    let events = EventHub()
    let observation = events.install(instrument)
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        guard attempt.number > 1 else { throw .expiredToken }
        return TransferSummary(bytes: 5, files: 1)
      }, issuer: ScriptedIssuer(life: nil, time: time), time: time, authEvents: events)
    TraceContext.$name.withValue("request") { _ = bench.queue.add(.sample("a")) }
    _ = await bench.finished("a")
    await eventually("the session's span ends") { instrument.lines.count == 5 }
    observation.cancel()
    XCTAssertEqual(
      instrument.lines,
      [
        "session > refresh desk", "session > attempt 1 failed", "session > refresh desk",
        "session > attempt 2", "request > session",
      ])
  }
}

/// The trace context of a task in these tests.
private enum TraceContext {
  @TaskLocal static var name: String?
}

/// An instrument that keeps a line for each span that has ended.
private final class RecordingInstrument: AuthInstrument {
  private let ended = Lock<[String]>([])

  var lines: [String] { ended.withLock { $0 } }

  func currentContext() -> (any Sendable)? { TraceContext.name }

  func begin(_ activity: AuthActivity, in context: (any Sendable)?) -> any AuthSpan {
    let name =
      switch activity.kind {
      case .operation: "session"
      case .attempt: "attempt \(activity.attempt ?? 0)"
      case .refresh: "refresh \(activity.subject)"
      }
    return Span(name: name, parent: context as? String ?? "none", instrument: self)
  }

  private struct Span: AuthSpan {
    let name: String
    let parent: String
    let instrument: RecordingInstrument

    func run<Value, Failure: Error>(
      _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
      let result: Result<Value, Failure> = await TraceContext.$name.withValue(name) {
        do throws(Failure) {
          return .success(try await body())
        } catch {
          return .failure(error)
        }
      }
      return try result.get()
    }

    func record(_ event: AuthEvent) {}

    func inject(into fields: inout HTTPFields) {}

    func end(_ outcome: AuthActivity.Outcome) {
      instrument.ended.withLock { $0.append("\(parent) > \(name)\(outcome.failure == nil ? "" : " failed")") }
    }
  }
}
