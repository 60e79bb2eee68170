// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)
  internal import Dispatch
  internal import Foundation
  internal import FoundationNetworking
  internal import StorageAuth

  /// A session with its connections, which one request at a time uses.
  final class TransportSession: Sendable {
    /// A reason for a pause.
    enum PauseReason {
      /// The reader of the response is slow.
      case reader
      /// The source of the request's body is slow.
      case source
    }

    let session: URLSession
    let delegate = SessionDelegate()
    private let queue: DispatchQueue
    private let reasons = Lock<Set<PauseReason>>([])

    /// Creates a session.
    ///
    /// In Foundation 6.3, `suspend()` of a task closes the connection, and neither a delegate nor a stream can make a task
    /// wait. The session's own queue can, on which it serves its connections; Foundation has no property for the queue, so
    /// that reflection has to find it.
    ///
    /// - Throws: `TransportError` if Foundation has no such queue.
    init(_ configuration: URLSessionConfiguration, for request: ExactRequest) throws(TransportError) {
      session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: ImmediateQueue())
      guard let queue = Mirror(reflecting: session).descendant("multiHandle", "queue") as? DispatchQueue else {
        session.finishTasksAndInvalidate()
        throw .unsendable("This version of Foundation cannot pause a transfer.", to: request.host)
      }
      self.queue = queue
    }

    deinit {
      // A suspended queue must not be released.
      resume()
    }

    /// Makes the session neither send nor receive.
    func pause(_ reason: PauseReason) {
      reasons.withLock { reasons in
        if reasons.isEmpty { queue.suspend() }
        reasons.insert(reason)
      }
    }

    /// Lets the session send and receive, if it does not pause for another reason.
    func resume(_ reason: PauseReason) {
      reasons.withLock { reasons in
        if reasons.remove(reason) != nil, reasons.isEmpty { queue.resume() }
      }
    }

    /// Lets the session send and receive.
    func resume() {
      resume(.reader)
      resume(.source)
    }

    /// Stops receiving for a slow reader.
    func pause(_ task: URLSessionTask) { pause(.reader) }

    /// Continues receiving.
    func resume(_ task: URLSessionTask) { resume(.reader) }
  }

  /// A queue that runs the calls of a delegate at once, on the queue of the session.
  ///
  /// On another queue, a session could receive any number of bytes before the delegate pauses it.
  private final class ImmediateQueue: OperationQueue, @unchecked Sendable {
    // Safe: the queue has no state of its own.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }
#endif
