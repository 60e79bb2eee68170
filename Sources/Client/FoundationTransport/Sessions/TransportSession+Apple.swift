// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if !canImport(FoundationNetworking)
  internal import Foundation

  /// The session of all requests.
  final class TransportSession: Sendable {
    let session: URLSession
    let delegate = SessionDelegate()

    init(_ configuration: URLSessionConfiguration) {
      session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// Stops receiving for a slow reader.
    func pause(_ task: URLSessionTask) { task.suspend() }

    /// Continues receiving.
    func resume(_ task: URLSessionTask) { task.resume() }

    /// Lets the session send and receive, which it always does.
    func resume() {}
  }
#endif
