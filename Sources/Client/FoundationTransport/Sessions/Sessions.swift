// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

#if canImport(FoundationNetworking)
  internal import FoundationNetworking

  /// The sessions of a transport.
  ///
  /// Only a whole session can be paused, so that each request in flight has a session of its own. A session keeps its
  /// connection for later requests to the same host.
  final class Sessions: Sendable {
    /// The maximum number of sessions that wait for a request.
    private static let mostIdle = 64

    private let configuration: URLSessionConfiguration
    private let idle = Lock<[(origin: String, session: TransportSession)]>([])

    init(configuration: URLSessionConfiguration) {
      self.configuration = configuration
    }

    deinit {
      for (_, session) in idle.withLock({ $0 }) { session.session.finishTasksAndInvalidate() }
    }

    /// Returns the session for a request.
    func session(for request: ExactRequest) throws(TransportError) -> TransportSession {
      let known = idle.withLock { idle in
        guard request.canReuseConnection else { return nil as TransportSession? }
        return idle.lastIndex { $0.origin == request.origin }.map { idle.remove(at: $0).session }
      }
      if let known { return known }
      return try TransportSession(configuration, for: request)
    }

    /// Takes a session back after the end of a request's task.
    func release(_ session: TransportSession, from request: ExactRequest, isReusable: Bool) {
      session.resume()
      guard isReusable else { return session.session.finishTasksAndInvalidate() }
      let surplus = idle.withLock { idle in
        idle.append((request.origin, session))
        return idle.count > Self.mostIdle ? idle.removeFirst().session : nil
      }
      surplus?.session.finishTasksAndInvalidate()
    }
  }
#else
  /// The session of a transport.
  final class Sessions: Sendable {
    private let shared: TransportSession

    init(configuration: URLSessionConfiguration) {
      shared = TransportSession(configuration)
    }

    deinit {
      shared.session.finishTasksAndInvalidate()
    }

    /// Returns the session for a request.
    func session(for request: ExactRequest) throws(TransportError) -> TransportSession { shared }

    /// Takes a session back after the end of a request's task.
    func release(_ session: TransportSession, from request: ExactRequest, isReusable: Bool) {}
  }
#endif
