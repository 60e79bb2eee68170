// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import StorageAuth

#if canImport(FoundationNetworking)
  internal import FoundationNetworking

  /// The sessions of a transport.
  ///
  /// Only a whole session can be paused, so that each request in flight has a session of its own. A session keeps its
  /// connection for later requests to the same host.
  final class Sessions: Sendable {
    private static let idleSessionLimit = 64

    private let configuration: URLSessionConfiguration
    private let idleSessions = Lock<[(origin: String, session: TransportSession)]>([])

    init(configuration: URLSessionConfiguration) { self.configuration = configuration }

    deinit { for (_, session) in idleSessions.withLock({ $0 }) { session.invalidate() } }

    /// Returns an idle session with a connection to the request's origin if the request may use it, or a new session.
    func session(for request: ExactRequest) throws(TransportError) -> TransportSession {
      let idleSession: TransportSession? = idleSessions.withLock { sessions in
        guard request.canReuseConnection else { return nil }
        return sessions.lastIndex { $0.origin == request.origin }.map { sessions.remove(at: $0).session }
      }
      if let idleSession { return idleSession }
      return try TransportSession(configuration, for: request)
    }

    /// Keeps a session for later requests, or closes it; the session that is idle for longest gives way.
    func release(_ session: TransportSession, from request: ExactRequest, isReusable: Bool) {
      // A paused session can neither close its connection nor serve its next request.
      session.endPauses()
      guard isReusable else { return session.invalidate() }
      let surplusSession = idleSessions.withLock { sessions in
        sessions.append((request.origin, session))
        return sessions.count > Self.idleSessionLimit ? sessions.removeFirst().session : nil
      }
      surplusSession?.invalidate()
    }
  }

  /// A session with its connections, which one request at a time uses.
  final class TransportSession: Sendable {
    enum PauseReason {
      /// The reader of the response is slow.
      case slowReader
      /// The source of the request's body is slow.
      case slowBodySource
    }

    let urlSession: URLSession
    let delegate = SessionDelegate()
    private let queue: DispatchQueue
    private let pauseReasons = Lock<Set<PauseReason>>([])

    /// Creates a session, or throws an error if Foundation has no queue that can be paused.
    ///
    /// In Foundation 6.3, `suspend()` of a task closes the connection, and neither a delegate nor a stream can make a
    /// task wait. Only the queue on which the session serves its connections can; Foundation has no property for the
    /// queue, so that reflection has to find it.
    init(_ configuration: URLSessionConfiguration, for request: ExactRequest) throws(TransportError) {
      urlSession = URLSession(configuration: configuration, delegate: delegate, delegateQueue: ImmediateQueue())
      guard let queue = Mirror(reflecting: urlSession).descendant("multiHandle", "queue") as? DispatchQueue else {
        urlSession.finishTasksAndInvalidate()
        throw .unsendable("This version of Foundation cannot pause a transfer.", to: request.host)
      }
      self.queue = queue
    }

    // A suspended queue must not be released.
    deinit { endPauses() }

    func pause(_ reason: PauseReason) {
      pauseReasons.withLock { reasons in
        if reasons.isEmpty { queue.suspend() }
        reasons.insert(reason)
      }
    }

    /// Lets the session send and receive, if it does not pause for another reason.
    func resume(_ reason: PauseReason) {
      pauseReasons.withLock { reasons in
        if reasons.remove(reason) != nil, reasons.isEmpty { queue.resume() }
      }
    }

    func endPauses() {
      resume(.slowReader)
      resume(.slowBodySource)
    }

    func invalidate() { urlSession.finishTasksAndInvalidate() }

    func pauseReceiving(_ task: URLSessionTask) { pause(.slowReader) }
    func resumeReceiving(_ task: URLSessionTask) { resume(.slowReader) }
  }

  /// A queue that runs the calls of a delegate at once, on the queue of the session.
  ///
  /// On another queue, a session could receive any number of bytes before the delegate pauses it.
  private final class ImmediateQueue: OperationQueue, @unchecked Sendable {
    // Safe: the queue has no state of its own.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }
#else
  /// The one session of a transport.
  final class Sessions: Sendable {
    private let shared: TransportSession

    init(configuration: URLSessionConfiguration) { shared = TransportSession(configuration) }
    deinit { shared.invalidate() }

    func session(for request: ExactRequest) throws(TransportError) -> TransportSession { shared }
    func release(_ session: TransportSession, from request: ExactRequest, isReusable: Bool) {}
  }

  /// The session that all requests of a transport share, because each task can be paused by itself.
  final class TransportSession: Sendable {
    let urlSession: URLSession
    let delegate = SessionDelegate()

    init(_ configuration: URLSessionConfiguration) {
      urlSession = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    func invalidate() { urlSession.finishTasksAndInvalidate() }

    func pauseReceiving(_ task: URLSessionTask) { task.suspend() }
    func resumeReceiving(_ task: URLSessionTask) { task.resume() }

    /// Lets the session send and receive, which it always does.
    func endPauses() {}
  }
#endif

/// The delegate of a session, which passes the events of each task to the task's exchange.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
  private let exchanges = Lock<[Int: URLSessionExchange]>([:])

  func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
    let taskID = task.taskIdentifier
    exchanges.withLock { $0[taskID] = exchange }
  }

  private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
    let taskID = task.taskIdentifier
    return exchanges.withLock { $0[taskID] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse { exchange(of: dataTask)?.receive(response) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.receive(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) { exchange(of: task)?.recordActivity() }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    guard let name = metrics.transactionMetrics.last?.networkProtocolName else { return }
    exchange(of: task)?.recordProtocol(name)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let taskID = task.taskIdentifier
    let exchange = exchanges.withLock { $0.removeValue(forKey: taskID) }
    exchange?.complete(error, lastResponse: task.response as? HTTPURLResponse)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    // Foundation would send the request again, whose body has been read; only the caller decides on a retry.
    exchange(of: task)?.refuseRepetition()
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) { completionHandler(nil) }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // Foundation asks after it has delivered the whole response with status 401. Its answers either wait for ever or
      // cancel the task, which must not happen on the session's queue.
      exchange(of: task)?.end(.success(()))
      DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
    #else
      // The system decides on certificates and proxies. The credentials of the service are in the request.
      let space = challenge.protectionSpace
      let methods = [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate]
      let isForSystem = space.isProxy() || methods.contains(space.authenticationMethod)
      completionHandler(isForSystem ? .performDefaultHandling : .rejectProtectionSpace, nil)
    #endif
  }
}
