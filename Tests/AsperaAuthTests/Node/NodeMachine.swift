// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting

/// A machine in memory: an environment, files, and no network.
struct NodeMachine: FileReader {
  /// Records warnings.
  final class Warnings: Sendable {
    private let list = Lock<[CredentialWarning]>([])

    var all: [CredentialWarning] { list.withLock { $0 } }

    func add(_ warning: CredentialWarning) {
      list.withLock { $0.append(warning) }
    }
  }

  var environment: [String: String] = [:]
  var files: [String: String] = [:]
  var permissions: UInt16 = 0o600
  let time = ManualClock(now: Timestamp(unixSeconds: 1_800_000_000))
  let warnings = Warnings()

  func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents {
    guard let text = files[path] else { throw .notFound }
    return FileContents(Array(text.utf8), permissions: permissions)
  }

  var access: ProviderContext {
    let (environment, warnings) = (environment, warnings)
    var access = ProviderContext(
      environment: { environment[$0] }, home: "/home/mia", files: self, transport: ScriptedTransport([]), time: time)
    access.onWarning = { warnings.add($0) }
    return access
  }
}
