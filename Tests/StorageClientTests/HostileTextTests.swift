// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import Foundation
import HTTPTypes
import LocalCloud
import Logging
import StorageAuth
import StorageClient
import XCTest

/// Tests that control characters in keys and messages of services do not reach a terminal or a log.
final class HostileTextTests: XCTestCase {
  static let hostile = "a\u{1B}]0;owned\u{7}\u{9B}2K\r\nError: fake\u{202E}gpj\u{2028}\u{7F}\u{200B}z"

  func testErrorDescriptionsContainNoControlCharacters() {
    let text = Self.hostile
    for error in [
      StorageError(.invalidKey, text, remedy: text) as any Error, AsperaError(.failed, text, remedy: text),
      TransferFailure(.other, text, remedy: text),
      ServiceError(
        code: text, message: text, status: .init(code: 403), requestID: text, hostID: text, detailCode: text,
        subject: text),
    ] {
      let shown = "\(error)"
      XCTAssertTrue(shown.utf8.allSatisfy { (0x20..<0x7f).contains($0) }, shown)
      XCTAssertTrue(shown.contains(#"a\u{1B}]0;owned"#), shown)
    }
  }

  func testLogLinesContainNoControlCharacters() {
    let lines = Lock<[String]>([])
    let logger = Logger(label: "events") { _ in LineHandler { line in lines.withLock { $0.append(line) } } }
    let text = Self.hostile
    // The description of an error has one line for each source that declined.
    let declined = CredentialError(.unavailable, source: text, text, remedy: text)
    let error = CredentialError(.unavailable, source: text, text, remedy: text, declined: [declined])
    for event in [
      AuthEvent.retry(.init(subject: text, attempt: 2, delay: .zero, reason: text)),
      .skew(.init(host: text, offset: .zero)),
      .transfer(.init(subject: text, bytes: 0, duration: .zero, failure: text)),
      .request(.init(subject: text, attempt: 1, status: nil, failure: text, duration: .zero)),
      .refresh(.init(source: text, outcome: .failed(error, backoff: .zero))),
    ] {
      event.write(to: logger)
    }
    let written = lines.withLock { $0 }
    XCTAssertEqual(written.count, 5)
    for line in written { XCTAssertTrue(line.utf8.allSatisfy { (0x20..<0x7f).contains($0) }, line) }
  }
}

/// Passes each line with its metadata to a function.
private struct LineHandler: LogHandler {
  let take: @Sendable (String) -> Void
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(_ take: @escaping @Sendable (String) -> Void) {
    self.take = take
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    take("\(event.message) " + (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.joined(separator: " "))
  }
}
