// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Observes processes of this machine.
enum Processes {
  /// Waits until a process has exited; a zombie counts as exited.
  static func ended(_ id: String) async throws {
    try await Patience.until { !isAlive(id) }
  }

  static func isAlive(_ id: String) -> Bool {
    guard let pid = Int32(id), kill(pid, 0) == 0 else { return false }
    let status = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
    return !status.split(separator: "\n").contains { $0.hasPrefix("State:") && $0.contains("Z") }
  }
}
