// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

/// Collects the argument lists of all processes repeatedly on a separate thread until it is stopped.
package final class ProcessWatch: Sendable {
  private let lists = Lock<Set<String>>([])
  private let isOver = Lock(false)

  /// Starts collecting.
  package init() {
    Thread.detachNewThread { [self] in
      while !isOver.withLock({ $0 }) {
        let present = Self.argumentLists()
        lists.withLock { $0.formUnion(present) }
      }
    }
  }

  /// The argument lists that were observed so far, with the arguments of a process separated by spaces.
  package var seen: Set<String> { lists.withLock { $0 } }

  /// Stops collecting.
  package func end() { isOver.withLock { $0 = true } }

  /// Returns the argument lists of the running processes, except zombies.
  package static func argumentLists() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { name in
      guard Int(name) != nil else { return nil }
      return FileManager.default.contents(atPath: "/proc/\(name)/cmdline").map {
        String(decoding: $0.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
      }
    }
  }
}
