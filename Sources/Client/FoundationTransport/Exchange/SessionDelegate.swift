// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import StorageAuth

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The delegate of a session, which passes the events of each task to the task's exchange.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
  private let exchanges = Lock<[Int: Exchange]>([:])

  /// Passes the events of a task to an exchange until the task ends.
  func add(_ exchange: Exchange, for task: URLSessionTask) {
    let id = task.taskIdentifier
    exchanges.withLock { $0[id] = exchange }
  }

  private func exchange(of task: URLSessionTask) -> Exchange? {
    let id = task.taskIdentifier
    return exchanges.withLock { $0[id] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse { exchange(of: dataTask)?.received(response) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.received(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    exchange(of: task)?.noteActivity()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    guard let name = metrics.transactionMetrics.last?.networkProtocolName else { return }
    exchange(of: task)?.received(protocolName: name)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let id = task.taskIdentifier
    let exchange = exchanges.withLock { $0.removeValue(forKey: id) }
    exchange?.completed(error, task.response as? HTTPURLResponse)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    exchange(of: task)?.refuseRepetition()
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // Foundation asks after the whole response with status 401 has been delivered. Its answers either wait for ever or
      // cancel the task, which must not happen on the session's queue.
      exchange(of: task)?.end(.success(()))
      DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
    #else
      // The system decides on certificates and proxies. The credentials of the service are in the request.
      let space = challenge.protectionSpace
      let methods = [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate]
      let isSystem = space.isProxy() || methods.contains(space.authenticationMethod)
      completionHandler(isSystem ? .performDefaultHandling : .rejectProtectionSpace, nil)
    #endif
  }
}
