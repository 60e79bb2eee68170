// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import HummingbirdCore
public import StorageAuth

extension LocalCloud {
  /// Returns the requests that end from now on.
  ///
  /// Each call returns an independent sequence, which ends when the server stops. The server does not wait for its
  /// observers: an observer that falls behind loses the oldest events in its buffer, which the numbers of the events
  /// show. Without an observer, the server creates no events.
  ///
  /// ```swift
  /// for await request in cloud.requests() where request.outcome == .refused {
  ///   print(request.method, DisplayText(request.target), request.refusal?.code ?? "")
  /// }
  /// ```
  ///
  /// - Parameter limit: The maximum number of events that wait for the observer, at least 1.
  /// - Returns: The sequence of requests, in the order in which they end.
  public func requests(buffering limit: Int = 256) -> AsyncStream<RequestEvent> { context.feed.observe(max(1, limit)) }

  /// A request to the local server that has ended, with its verdict.
  ///
  /// The strings come from clients and are shortened. Signatures, session tokens and other values with secret names are
  /// masked in all of them. Control characters are preserved; show the strings as `DisplayText`.
  public struct RequestEvent: Sendable {
    /// The number of the request, which increases by one with each request that ends while the server is observed.
    public let number: Int
    /// The time at which the request arrived, according to the server's clock.
    public let date: Timestamp
    /// The part of the server that received the request.
    public let endpoint: Endpoint
    /// The HTTP method of the request.
    public let method: String
    /// The path of the request and, for a storage service, its query.
    public let target: String
    /// The bucket name in the request, or `nil` if the request names no bucket.
    public let bucket: String?
    /// The object key in the request, or `nil` if the request names no object.
    public let key: String?
    /// The access key ID with which the request claims to be signed, or `nil` if it names none to a storage service.
    public let accessKeyID: AccessKeyID?
    /// Whether the authorization is in the URL.
    public let isPresigned: Bool
    /// The result of verifying the authorization.
    public let authorization: Authorization
    /// The result of the request.
    public let outcome: Outcome
    /// The error with which the server answered, or `nil` if there was none.
    public let refusal: Refusal?
    /// The HTTP status code of the response, or `nil` if the connection ended before a response was sent.
    public let status: Int?
    /// The time from the arrival of the request's head to the end of the response.
    public let duration: Duration
    /// The length of the request body in bytes, as the request declares it, or `nil` if it declares none.
    public let requestByteCount: Int64?
    /// The length of the response body in bytes; 0 if the response has no body.
    public let responseByteCount: Int64
    /// The means to explain a signature that a storage service rejected, or `nil` for every other request.
    package let rejectedSignature: RejectedSignature?
    /// The headers of the request, the host first, with secret values masked.
    package let requestHeaders: [Header]
    /// The headers of the response, with secret values masked.
    package let responseHeaders: [Header]

    package struct Header: Sendable, Hashable { package let name, value: String }
  }
}

extension LocalCloud.RequestEvent {
  /// The result of verifying a request's authorization.
  public enum Authorization: Sendable, Hashable {
    /// The signature is valid.
    case verified(LocalCloud.SignatureKind)
    /// The request is unsigned, and the requested data is public.
    case anonymous
    /// The authorization is invalid or missing.
    case rejected
    /// The request did not reach a verifier of a storage service; other endpoints accept bearer tokens, or need none.
    case other
  }

  /// The result of a request.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// The server carried the request out.
    case accepted
    /// The server answered with an error.
    case refused
    /// An injected fault replaced the response.
    case fault
    /// The connection ended before the response was complete.
    case closed
  }

  /// The error with which the server answered a request.
  public struct Refusal: Sendable, Hashable {
    /// The error code that the client received, such as `SignatureDoesNotMatch`.
    public let code: String
    /// The error message, on a single line.
    public let message: String
  }
}

/// A request whose authorization a storage service rejected, with the means to find the request that was signed.
package struct RejectedSignature: Sendable {
  package let provider: LocalCloud.Provider
  /// The head of the request as it arrived, with its authorization.
  package let request: HTTPRequest
  package let response: HTTPResponse
  /// The error document, also if the response to the request contains no body.
  package let document: [UInt8]
  package let region: String
  /// Whether the signature was compared and does not match.
  package let isMismatch: Bool
  /// The key that the request names, or `nil` if the server does not know it.
  package let key: AccessKey?
  package let others: [AccessKey]
  /// A closure that returns whether the signature of a request is valid for a key.
  package let fits: @Sendable (HTTPRequest, AccessKey) -> Bool
}

extension RejectedSignature: Redacted {
  /// The name of the service, without the request, which contains a signature and can contain a token.
  package var description: String { "RejectedSignature(\(provider.rawValue))" }
}

final class RequestFeed: Sendable {
  /// A request handler, which gets a record only if the request is observed.
  typealias Handler = @Sendable @concurrent (Request, consuming ResponseWriter, RequestRecord?) async throws -> Void

  private struct State {
    var observers: [Int: AsyncStream<LocalCloud.RequestEvent>.Continuation] = [:]
    var lastObserverID = 0
    var lastEventNumber = 0
    var isFinished = false
    /// The events, and `nil` as the end, each with the observers at its time.
    ///
    /// They are delivered outside of the lock: to yield an event can wait for the cancellation of an observer's task,
    /// and the cancellation waits for the lock.
    var undelivered = DeliveryQueue<(LocalCloud.RequestEvent?, [AsyncStream<LocalCloud.RequestEvent>.Continuation])>()

    mutating func enqueue(_ event: LocalCloud.RequestEvent?) { undelivered.append((event, Array(observers.values))) }
  }

  private let state = Lock(State())

  var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

  /// Adds an observer, which is removed when its sequence is released or cancelled.
  func observe(_ limit: Int) -> AsyncStream<LocalCloud.RequestEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LocalCloud.RequestEvent.self, bufferingPolicy: .bufferingNewest(limit))
    let id: Int? = state.withLock { state in
      if state.isFinished { return nil }
      state.lastObserverID += 1
      state.observers[state.lastObserverID] = continuation
      return state.lastObserverID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.observers[id] = nil } }
    return stream
  }

  /// Ends the sequences of all observers after the events that have been published.
  func finish() {
    update { state in
      state.isFinished = true
      state.enqueue(nil)
    }
  }

  /// Returns a request handler that reports each request when it has ended, if there is an observer when it arrives.
  func reporting(at now: @escaping @Sendable () -> Timestamp, _ respond: @escaping Handler) -> HTTPService.Responder {
    { request, writer in
      guard self.isObserved else { return try await respond(request, writer, nil) }
      let record = RequestRecord(request.head, at: now())
      var isComplete = false
      defer { self.publish(record, isComplete: isComplete) }
      try await respond(request, writer, record)
      isComplete = true
    }
  }

  func publish(_ record: RequestRecord, isComplete: Bool) {
    update { state in
      state.lastEventNumber += 1
      state.enqueue(record.event(number: state.lastEventNumber, isComplete: isComplete))
    }
  }

  private func update(_ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
    state.deliver(\.undelivered) { event, observers in
      for observer in observers { if let event { observer.yield(event) } else { observer.finish() } }
    }
  }
}
