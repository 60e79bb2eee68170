// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageBackground
import StorageClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Uploads of a URL session, which the system performs if the session is a background session.
final class SystemUploads: BackgroundUploads {
  /// The delegate of the session.
  let transfers = BackgroundTransfers()

  private let session: URLSession
  private let ends = Ends()

  /// Creates the session, which also receives the ends of uploads that an earlier launch of the app started.
  ///
  /// - Parameter configuration: The configuration of the session. An app passes `.background(withIdentifier:)`, always
  ///   with the same identifier.
  init(configuration: URLSessionConfiguration) {
    session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: nil)
    Task { [events = transfers.events, ends] in
      for await event in events {
        if let end = BackgroundResult(event) { ends.add(end) }
      }
    }
  }

  /// The ends of uploads, those that no earlier reader has got included; the views of one user read at a time.
  var results: AsyncStream<BackgroundResult> { ends.stream() }

  func start(_ file: FilePath, with request: PresignedRequest, for key: String) async throws {
    try await transfers.upload(file, with: request, id: key, in: session)
  }

  /// Ends the session when its uploads have ended.
  func finish() {
    session.finishTasksAndInvalidate()
  }
}

/// Ends of uploads, which wait while no view reads them, such as before a login.
private final class Ends: @unchecked Sendable {
  // Safe: the lock guards both.
  private var waiting: [BackgroundResult] = []
  private var reader: AsyncStream<BackgroundResult>.Continuation?
  private let lock = NSLock()

  func add(_ end: BackgroundResult) {
    lock.withLock {
      guard let reader, case .enqueued = reader.yield(end) else { return waiting.append(end) }
    }
  }

  func stream() -> AsyncStream<BackgroundResult> {
    AsyncStream { reader in
      lock.withLock {
        self.reader = reader
        for end in waiting { reader.yield(end) }
        waiting = []
      }
    }
  }
}

extension BackgroundResult {
  /// Creates the result that an event reports, or returns `nil` for an event of a transfer that goes on.
  init?(_ event: BackgroundTransferEvent) {
    switch event.stage {
    case .progress: return nil
    case .uploaded, .downloaded: self.init(key: event.transfer.id, failure: nil)
    case .failed(let error): self.init(key: event.transfer.id, failure: "\(error)")
    }
  }
}
