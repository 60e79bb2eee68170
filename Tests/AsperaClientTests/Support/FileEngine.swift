// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import Foundation
import StorageAuth
import StorageClient

/// A transfer engine that copies files between this machine and a ``NodeService`` and runs a test's actions before and
/// after.
final class FileEngine: TransferEngine {
  typealias Event = @Sendable (TransferSpec, FileEngine) async throws(TransferFailure) -> Void

  private let service: NodeService
  private let before: Event
  private let after: Event
  private let state = Lock<[TransferSpec]>([])

  /// - Parameters:
  ///   - service: The node whose files are copied.
  ///   - before: The action at the start of each attempt.
  ///   - after: The action after its bytes are copied.
  init(
    _ service: NodeService, before: @escaping Event = { _, _ throws(TransferFailure) in },
    after: @escaping Event = { _, _ throws(TransferFailure) in }
  ) {
    self.service = service
    self.before = before
    self.after = after
  }

  /// The signed specification of each attempt.
  var attempts: [TransferSpec] { state.withLock { $0 } }

  func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?,
    report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary {
    state.withLock { $0.append(spec) }
    report(.connecting)
    try await before(spec, self)
    guard service.takes(spec.token?.reveal()) else {
      throw TransferFailure(.token(.expired), code: 34, "Token expired.", remedy: "Get another.")
    }
    report(.running)
    var bytes: Int64 = 0
    for path in spec.paths {
      let count = try spec.direction == .send ? upload(path, spec) : download(path, spec)
      for part in [bytes + count / 2, bytes + count] { report(.progress(TransferProgressReport(bytes: part))) }
      bytes += count
      report(.file(TransferFileReport(file: path.source, bytes: count, outcome: .done)))
    }
    try await after(spec, self)
    return TransferSummary(bytes: bytes, files: spec.paths.count)
  }

  private func upload(_ path: TransferPath, _ spec: TransferSpec) throws(TransferFailure) -> Int64 {
    guard let data = FileManager.default.contents(atPath: path.source) else { throw Self.missing }
    let root = spec.destinationRoot ?? "/"
    service.put(Array(data), at: (root == "/" ? "" : root) + "/" + (path.destination ?? ""))
    return Int64(data.count)
  }

  private func download(_ path: TransferPath, _ spec: TransferSpec) throws(TransferFailure) -> Int64 {
    guard let bytes = service.files[path.source] else { throw Self.missing }
    let file = "\(spec.destinationRoot ?? "")/\(path.destination ?? "")"
    guard FileManager.default.createFile(atPath: file, contents: Data(bytes)) else { throw Self.missing }
    return Int64(bytes.count)
  }

  private static let missing = TransferFailure(.caller, code: 4, "No such file.", remedy: "Look.")
}
