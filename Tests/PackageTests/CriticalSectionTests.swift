// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import XCTest

/// The bodies of locks: none resumes or cancels a task.
///
/// Cancelling a task holds a lock of the runtime while it calls the handlers of the cancellation, and resuming the task
/// waits for that lock. A handler that waits for a lock under which the task is resumed never ends.
final class CriticalSectionTests: XCTestCase {
  /// Words that resume or cancel a task, or may do so.
  private static let words = [".yield(", ".resume(", ".finish()", ".cancel()"]

  /// Files in which such words are in a body of a lock, with the reason for which no handler waits for this lock.
  private static let harmless = [
    "Sources/Client/AsperaTransfer/TransferQueue.swift":
      "the sequence of paths has no handler of its termination; at its end, the queue has no readers",
    "Sources/Client/AsperaTransfer/TransferQueue+Effects.swift": "the buffer is new and has no reader",
    "Sources/Client/AsperaTransfer/SessionRecord.swift": "the sequence of paths has no handler of its termination",
    "Sources/Client/FoundationTransport/Sessions.swift": "an operation queue is resumed, not a task",
    "Sources/Core/StorageAuth/CredentialCache.swift": "the cache is released, so that no task waits for it",
    "Sources/Testing/LocalCloud/Storage/Blob.swift": "the sequence of files has no handler of its termination",
    "Sources/Testing/StorageAuthTesting/Loopback/LoopbackServer.swift": "a source of events is cancelled, not a task",
  ]

  /// Returns the words in the bodies of locks, and the deliveries to readers in functions that change a guarded state.
  private static func findings(in text: String) -> [String] {
    ["withLock": words, "mutating func": [".yield("]].flatMap { start, words in
      text.ranges(of: start).flatMap { range in
        let body = body(after: text[range.upperBound...])
        return words.filter { body.contains($0) }
      }
    }
  }

  /// Returns the text between the next brace and the one that closes it.
  private static func body(after text: Substring) -> Substring {
    guard let start = text.firstIndex(of: "{") else { return "" }
    var depth = 0
    let end = text[start...].firstIndex { character in
      depth += character == "{" ? 1 : character == "}" ? -1 : 0
      return depth == 0
    }
    return text[start..<(end ?? text.endIndex)]
  }

  func testNoTaskIsResumedOrCancelledUnderALock() throws {
    var found: Set<String> = []
    for file in try SourceTree("Sources").files {
      let code = file.lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
      let findings = Self.findings(in: code)
      if !findings.isEmpty { found.insert(file.path) }
      guard Self.harmless[file.path] == nil else { continue }
      XCTAssertEqual(findings, [], "\(file.path): use a DeliveryQueue, or resume after the lock")
    }
    XCTAssertEqual(found, Set(Self.harmless.keys))
  }

  func testLintFindsDeliveriesUnderALock() {
    for text in [
      "state.withLock { state in\n  for observer in state.observers { observer.yield(event) }\n}",
      "let waiter = state.withLock { if $0.isOver { $0.waiter?.resume() } }",
      "  mutating func send(_ event: Event) {\n    if isOpen { listener.yield(event) }\n  }",
    ] {
      XCTAssertEqual(Self.findings(in: text).count, 1, text)
    }
    let good = "let waiters = state.withLock { $0.waiters }\nfor waiter in waiters { waiter.resume() }"
    XCTAssertEqual(Self.findings(in: good), [])
  }
}
