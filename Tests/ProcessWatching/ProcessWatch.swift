internal import Foundation
internal import Synchronization

/// Collects the argument lists of all processes, over and over on a thread of its own, until it is ended.
package final class ProcessWatch: Sendable {
  private let lists = Mutex<Set<String>>([])
  private let isOver = Mutex(false)

  /// Begins.
  package init() {
    Thread.detachNewThread { [self] in
      while !isOver.withLock({ $0 }) {
        let present = Self.argumentLists()
        lists.withLock { $0.formUnion(present) }
      }
    }
  }

  /// What was seen so far, the arguments of a process separated by spaces.
  package var seen: Set<String> { lists.withLock { $0 } }

  /// Ends.
  package func end() { isOver.withLock { $0 = true } }

  /// The argument lists of the processes that run, except of those that ended and were not looked after yet.
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
