// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import LocalCloud
import Logging
package import StorageAuth
import StorageClient
import XCTest

/// Inspects every event, log line and error that the tests of the client and the command line produce, and fails if one
/// contains a secret.
///
/// Tests that start a cloud or create a client install it. It knows the fixed secrets of the tests; tests add every key
/// that a LocalCloud issues.
package enum SecretWatch {
  private static let words = Lock<Set<String>>([])
  private static let seen = Lock(0)
  /// Receives a finding instead of a failure, for the test of the watch itself.
  package static let catcher = Lock<(@Sendable (String) -> Void)?>(nil)

  /// The number of texts that have been inspected.
  package static var count: Int { seen.withLock { $0 } }

  private static let isInstalled: Bool = {
    add(key)
    add(temporaryKey)
    LoggingSystem.bootstrap { _ in Handler() }
    EventHub.globalObserver.withLock { $0 = { event in event.write(to: Logger(label: "watched")) } }
    TokenTable.watcher.withLock { $0 = { add($0) } }
    TransferTokenTable.watcher.withLock { $0 = { add(Secret($0)) } }
    return true
  }()

  package static func install() {
    XCTAssertTrue(isInstalled)
  }

  /// Adds the secrets of a key.
  package static func add(_ key: AccessKey) {
    let secrets = [key.secret, key.sessionToken].compactMap { $0?.reveal() }
    words.withLock { $0.formUnion(secrets) }
  }

  /// Adds a secret.
  package static func add(_ secret: Secret) {
    words.withLock { _ = $0.insert(secret.reveal()) }
  }

  /// Returns the first secret in a text, or `nil` if there is none.
  package static func secret(in text: String) -> String? {
    seen.withLock { $0 += 1 }
    return words.withLock { $0.first { text.contains($0) } }
  }

  /// Fails if a text contains a secret.
  package static func check(_ text: String, file: StaticString = #filePath, line: UInt = #line) {
    guard secret(in: text) != nil else { return }
    if let catcher = catcher.withLock({ $0 }) { return catcher(text) }
    XCTFail("a text contains a secret: \(text)", file: file, line: line)
  }

  /// Inspects log lines of every level.
  private struct Handler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      SecretWatch.check("\(event.message) \(metadata) \(event.metadata ?? [:])")
    }
  }
}
