// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Logging
import StorageAuth

/// Records the messages and metadata of a log.
final class LogLines: Sendable {
  private let lines = Lock<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let metadata = event.metadata ?? [:]
      let facts = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
      lines.lines.withLock { $0.append("\(event.message)\(facts.joined())") }
    }
  }
}
