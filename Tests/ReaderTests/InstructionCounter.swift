// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CInstructionCounter
import Foundation

/// Counts the instructions of an operation: the same count in every run, also on a busy machine.
///
/// The process must run under callgrind, with `CALLGRIND_OUT` naming its output file; `make complexity` does that.
@MainActor
struct InstructionCounter {
  private let path: String
  /// The number of files that this process has written: callgrind numbers them in their names, for all tests together.
  private static var writes = 0

  /// - Returns: `nil` if the process does not run under callgrind.
  init?() {
    guard instruction_counter_is_present() != 0, let path = ProcessInfo.processInfo.environment["CALLGRIND_OUT"] else {
      return nil
    }
    self.path = path
  }

  /// Returns the number of instructions of `work`.
  func count(_ work: () async -> Void) async throws -> Int {
    instruction_counter_start()
    await work()
    instruction_counter_write()
    Self.writes += 1
    let file = URL(filePath: "\(path).\(Self.writes)")
    defer { try? FileManager.default.removeItem(at: file) }
    // This code runs under callgrind too: the sum is at the end, after half a megabyte.
    let handle = try FileHandle(forReadingFrom: file)
    let length = try handle.seekToEnd()
    try handle.seek(toOffset: length > 200 ? length - 200 : 0)
    let text = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    for line in text.split(separator: "\n") where line.hasPrefix("totals:") {
      if let count = line.split(separator: " ").last.flatMap({ Int($0) }) { return count }
    }
    throw CounterError(text: "callgrind wrote no sum to \(file.path())")
  }
}

struct CounterError: Error {
  let text: String
}
