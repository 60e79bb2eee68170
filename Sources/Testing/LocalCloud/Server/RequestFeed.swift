// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import HummingbirdCore
public import StorageAuth
internal import Synchronization

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
  public func requests(buffering limit: Int = 256) -> AsyncStream<RequestEvent> { feed.observe(max(1, limit)) }

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

    /// A Boolean value that indicates whether the authorization is in the URL.
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
    /// The request did not reach a verifier of a storage service.
    ///
    /// Other endpoints accept other authorizations, such as bearer tokens, or require none.
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

/// The observers of a local server's requests.
final class RequestFeed: Sendable {
  private struct State {
    var observers: [Int: AsyncStream<LocalCloud.RequestEvent>.Continuation] = [:]
    var nextObserver = 0
    var lastNumber = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  private let observerCount = Atomic(0)

  /// Whether events are created for requests that arrive now.
  private var isObserved: Bool { observerCount.load(ordering: .relaxed) > 0 }

  /// Adds an observer, which is removed when its sequence is released or cancelled.
  func observe(_ limit: Int) -> AsyncStream<LocalCloud.RequestEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LocalCloud.RequestEvent.self, bufferingPolicy: .bufferingNewest(limit))
    let id: Int? = state.withLock { state in
      if state.isFinished { return nil }
      state.nextObserver += 1
      state.observers[state.nextObserver] = continuation
      observerCount.store(state.observers.count, ordering: .relaxed)
      return state.nextObserver
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  private func remove(_ id: Int) {
    state.withLock { state in
      state.observers[id] = nil
      observerCount.store(state.observers.count, ordering: .relaxed)
    }
  }

  func finish() {
    let observers = state.withLock { state in
      state.isFinished = true
      return Array(state.observers.values)
    }
    for observer in observers { observer.finish() }
  }

  /// Returns a request handler that reports each request when it has ended.
  ///
  /// - Parameter respond: The request handler, whose last parameter is `nil` if there is no observer.
  func reporting(
    at now: @escaping @Sendable () -> Timestamp,
    _ respond:
      @escaping @Sendable @concurrent (Request, consuming ResponseWriter, RequestRecord?) async throws -> Void
  ) -> HTTPService.Responder {
    { request, writer in
      guard self.isObserved else { return try await respond(request, writer, nil) }
      let record = RequestRecord(request.head, at: now())
      do {
        try await respond(request, writer, record)
      } catch {
        self.publish(record, isComplete: false)
        throw error
      }
      self.publish(record, isComplete: true)
    }
  }

  private func publish(_ record: RequestRecord, isComplete: Bool) {
    state.withLock { state in
      state.lastNumber += 1
      let event = record.event(number: state.lastNumber, isComplete: isComplete)
      for observer in state.observers.values { observer.yield(event) }
    }
  }
}

/// The notes of a server about a request that it handles, for the observers of the server.
final class RequestRecord: Sendable {
  /// The maximum length of a request's target in an event, in bytes.
  private static let targetByteLimit = 4 * 1024
  /// The maximum length of a name or a message in an event, in bytes.
  private static let textByteLimit = 2 * 1024

  private struct State {
    var endpoint = LocalCloud.Endpoint.oss
    var bucket: String?
    var key: String?
    var accessKeyID: AccessKeyID?
    var isPresigned = false
    var authorization = LocalCloud.RequestEvent.Authorization.other
    var refusal: LocalCloud.RequestEvent.Refusal?
    var rejectedSignature: RejectedSignature?
    var isFaulty = false
    var status: Int?
    var responseByteCount: Int64 = 0
  }

  private let head: HTTPRequest
  private let date: Timestamp
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  init(_ head: HTTPRequest, at date: Timestamp) {
    self.head = head
    self.date = date
  }

  func arrived(at endpoint: LocalCloud.Endpoint) { state.withLock { $0.endpoint = endpoint } }

  func concerns(bucket: String?, key: String?) {
    state.withLock { state in
      state.bucket = bucket?.shortened(to: Self.textByteLimit)
      state.key = key?.shortened(to: Self.textByteLimit)
    }
  }

  func claims(_ id: AccessKeyID?, isPresigned: Bool) {
    let id = id.map { AccessKeyID($0.string.shortened(to: Self.textByteLimit)) }
    state.withLock { state in
      state.accessKeyID = id
      state.isPresigned = isPresigned
    }
  }

  func authorized(_ authorization: LocalCloud.RequestEvent.Authorization) {
    state.withLock { $0.authorization = authorization }
  }

  func rejected(_ signature: RejectedSignature?) {
    state.withLock { state in
      state.authorization = .rejected
      state.rejectedSignature = signature
    }
  }

  func refused(_ code: String, _ message: String) {
    let message = SecretMask.namedValues.applied(to: message).onOneLine.shortened(to: Self.textByteLimit)
    state.withLock { $0.refusal = LocalCloud.RequestEvent.Refusal(code: code, message: message) }
  }

  func injectedFault() { state.withLock { $0.isFaulty = true } }

  func answered(_ status: Int, byteCount: Int64) {
    state.withLock { state in
      state.status = status
      state.responseByteCount = byteCount
    }
  }

  func event(number: Int, isComplete: Bool) -> LocalCloud.RequestEvent {
    let duration = start.duration(to: .now)
    let state = state.withLock { $0 }
    let outcome: LocalCloud.RequestEvent.Outcome =
      if state.isFaulty {
        .fault
      } else if !isComplete {
        .closed
      } else {
        state.refusal == nil ? .accepted : .refused
      }
    return LocalCloud.RequestEvent(
      number: number, date: date, endpoint: state.endpoint, method: head.method.rawValue,
      target: target(at: state.endpoint), bucket: state.bucket, key: state.key, accessKeyID: state.accessKeyID,
      isPresigned: state.isPresigned, authorization: state.authorization, outcome: outcome, refusal: state.refusal,
      status: state.status, duration: duration,
      requestByteCount: head.headerFields[.contentLength].flatMap { Int64(digits: $0) },
      responseByteCount: state.responseByteCount, rejectedSignature: state.rejectedSignature)
  }

  /// Returns the target of the request as observers see it.
  ///
  /// The queries of token services and applications can contain tokens under names of any kind, and the path of a
  /// transfer contains the name of a connection, with which its transfer can be continued. They are left out.
  private func target(at endpoint: LocalCloud.Endpoint) -> String {
    let target = head.path ?? ""
    let path = target.bytes(before: "?")
    let shown: String
    if LocalCloud.Provider.allCases.contains(where: { $0.service.endpoint == endpoint }) {
      shown = SecretMask.namedValues.applied(to: target)
    } else if endpoint == .transfer {
      let names = path.words(between: "/").enumerated().map { $0 == 1 ? Secret.mask : String($1) }
      shown = "/\(names.joined(separator: "/"))"
    } else {
      shown = String(path)
    }
    return shown.shortened(to: Self.targetByteLimit)
  }
}

/// A request whose authorization a storage service rejected, with the means to find the string that its client signed.
///
/// The server knows the key, so it can tell whether the signature fits another request: the one that was signed.
package struct RejectedSignature: Sendable {
  /// The storage service that rejected the request.
  package let provider: LocalCloud.Provider

  /// The head of the request as it arrived, with its authorization.
  package let request: HTTPRequest

  package let response: HTTPResponse

  /// The error document, also if the response to the request contains no body.
  package let document: [UInt8]

  package let region: String

  /// A Boolean value that indicates whether the signature was compared and does not match.
  package let isMismatch: Bool

  /// The key that the request names, or `nil` if the server does not know it.
  package let key: AccessKey?

  /// The keys of the server's other accounts.
  package let others: [AccessKey]

  /// A closure that returns whether the signature of a request is valid for a key.
  package let fits: @Sendable (HTTPRequest, AccessKey) -> Bool
}

extension RejectedSignature: Redacted {
  /// The name of the service, without the request, which contains a signature and can contain a token.
  package var description: String { "RejectedSignature(\(provider.rawValue))" }
}
