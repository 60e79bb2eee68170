// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageBackground
import StorageClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Uploads of a URL session, which the system performs if the session is a background session.
final class SystemUploads: BackgroundUploads {
  let results: AsyncStream<BackgroundResult>

  /// The delegate of the session.
  let transfers = BackgroundTransfers()

  private let session: URLSession

  /// Creates the session, which also receives the ends of uploads that an earlier launch of the app started.
  ///
  /// - Parameter configuration: The configuration of the session. An app passes `.background(withIdentifier:)`, always
  ///   with the same identifier.
  init(configuration: URLSessionConfiguration) {
    session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: nil)
    let (results, ends) = AsyncStream.makeStream(of: BackgroundResult.self)
    self.results = results
    Task { [events = transfers.events] in
      for await event in events {
        if let end = BackgroundResult(event) { ends.yield(end) }
      }
      ends.finish()
    }
  }

  func start(_ file: FilePath, with request: PresignedRequest, for id: Photo.ID) async throws {
    try await transfers.upload(file, with: request, id: id, in: session)
  }

  /// Ends the session when its uploads have ended.
  func finish() {
    session.finishTasksAndInvalidate()
  }
}

extension BackgroundResult {
  /// Creates the result that an event reports, or returns `nil` for an event of a transfer that goes on.
  init?(_ event: BackgroundTransferEvent) {
    switch event.stage {
    case .progress: return nil
    case .uploaded, .downloaded: self.init(id: event.transfer.id, failure: nil)
    case .failed(let error): self.init(id: event.transfer.id, failure: "\(error)")
    }
  }
}
