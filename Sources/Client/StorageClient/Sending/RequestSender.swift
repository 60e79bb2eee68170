// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The maximum number of bytes of a response that is read into memory.
private let documentByteLimit = 16 << 20

/// The sender of a client's requests, with the credentials, the clock, the retries and the events of the client.
///
/// An object store sends its requests with ``send(_:body:action:key:isRepeatable:)``. The sender signs a request, emits
/// an event for the signature, and sends the request again if that is permitted and can help. If necessary, the sender
/// refreshes the credential, corrects its clock or follows the service to another endpoint first.
///
/// A sender is a value that is cheap to copy. Its copies share one limit on requests in flight.
public struct RequestSender<Provider: StorageProvider>: Sendable {
  // A store makes a draft of each request, and calls `send` or `exchange`. Both call `sendInSpan`, which calls
  // `sendWithRecovery`, which repeats `sendOnce` as long as `RequestRecovery` has a step. `sendOnce` emits the event of
  // an attempt, for which `signAndSend` signs the draft, passes the request to the transport and reads the response.

  let configuredProvider: Provider
  /// The concurrency limits, part sizes and retry settings.
  public let configuration: StorageClientConfiguration
  package let credentials: CredentialCache<Provider.SigningCredential>
  let scopedCredentials: ScopedCredentialCache<Provider.SigningCredential>?
  /// A closure that makes the remote signer for the current provider, or `nil` if the client has the key.
  package let remoteSigner: (@Sendable (Provider) -> any RemoteRequestSigner<Provider.SigningCredential>)?
  package let transport: any HTTPTransport
  package let events: EventHub
  package let clockSkew: ClockSkew
  package let time: any SigningClock
  /// The values that stores keep between operations, each of which creates a new store.
  package let storeCache = StoreCache()
  private let gate: RequestGate
  private let relocation = Relocation<Provider>()

  package init(
    _ provider: Provider, credentials: CredentialCache<Provider.SigningCredential>,
    scopedCredentials: ScopedCredentialCache<Provider.SigningCredential>? = nil,
    remoteSigner: (@Sendable (Provider) -> any RemoteRequestSigner<Provider.SigningCredential>)? = nil,
    configuration: StorageClientConfiguration, transport: any HTTPTransport, events: EventHub, clockSkew: ClockSkew,
    time: any SigningClock
  ) {
    configuredProvider = provider
    self.configuration = configuration
    self.credentials = credentials
    self.scopedCredentials = scopedCredentials
    self.remoteSigner = remoteSigner
    self.transport = transport
    self.events = events
    self.clockSkew = clockSkew
    self.time = time
    gate = RequestGate(limit: min(configuration.requestsInFlight, OpenFileLimit.current.transfers))
  }

  /// The service and the bucket; after a redirection, with the endpoint and the region that the service specified.
  public var provider: Provider { relocation.hasMoved ? movedProvider : configuredProvider }

  // Not inlined, so that the usual case does not look up the type of an optional provider.
  @inline(never)
  private var movedProvider: Provider { relocation.provider ?? configuredProvider }

  /// Returns the URL of an object, or the URL of the container if the key is `nil`, in the format of the command line.
  package func location(ofKey key: String?) -> String {
    let provider = provider
    return "\(provider.name)://\(provider.containerName)/\(key ?? "")"
  }

  /// Sends a request to the service, with signing, retries and events.
  ///
  /// The request counts as a request in flight until the end of its response.
  ///
  /// - Parameters:
  ///   - request: The unsigned request to the service's endpoint.
  ///   - body: The body of the request. Its length is sent in the headers.
  ///   - action: The name of the action in errors and events. If `nil`, the HTTP method.
  ///   - key: The object key in errors and events, or `nil` if the request concerns the whole container.
  ///   - isRepeatable: Whether the request may be sent again if it is unknown whether the service received it.
  /// - Returns: The response, whose status reports success.
  /// - Throws: ``ServiceError`` if the response reports an error; `TransportError`, `CancellationError`, `SigningError`
  ///   or `CredentialError` if there is no response; ``StorageError`` if the connection would expose a secret.
  public func send(
    _ request: HTTPRequest, body: HTTPBody = .none, action: String? = nil, key: String? = nil, isRepeatable: Bool = true
  ) async throws -> HTTPStreamingResponse {
    try await send(
      RequestDraft(
        request, to: try provider.endpoint, at: location(ofKey: key), action: action, body: body,
        isRepeatable: isRepeatable))
  }

  func send(_ draft: RequestDraft) async throws -> HTTPStreamingResponse { try await sendInSpan(draft) { $0 } }

  /// Sends a request whose response is short, and returns the head and the body of the response.
  package func exchange(_ draft: RequestDraft) async throws -> (HTTPResponse, [UInt8]) {
    try await exchange(draft) { ($0, $1) }
  }

  /// Sends a request whose response is short, and reads the head and the body of the response with a closure.
  ///
  /// A ``ServiceError`` that the closure throws counts as a rejection by the service.
  func exchange<Value>(_ draft: RequestDraft, read: (HTTPResponse, [UInt8]) throws -> Value) async throws -> Value {
    try await sendInSpan(draft) { received in
      guard let body = try await received.body.collected(upTo: documentByteLimit) else {
        throw StorageError.malformedResponse("it is longer than \(documentByteLimit) bytes")
      }
      if let error = draft.errorInside?(received.response, body) { throw error }
      return try read(received.response, body)
    }
  }

  /// Sends a request with retries, in a span of its own unless an operation has one.
  private func sendInSpan<Value>(
    _ draft: RequestDraft, _ consume: (HTTPStreamingResponse) async throws -> Value
  ) async throws -> Value {
    let isPartOfOperation = ActiveSpan.current?.kind == .operation
    let span = isPartOfOperation ? nil : events.begin(AuthActivity(.operation, draft.subject))
    return try await span.measure {
      try await sendWithRecovery(draft, consume)
    } outcome: {
      AuthActivity.Outcome(of: $0)
    }
  }

  /// Sends a request, and again as long as the recovery from its failures has another step.
  private func sendWithRecovery<Value>(
    _ draft: RequestDraft, _ consume: (HTTPStreamingResponse) async throws -> Value
  ) async throws -> Value {
    // Most requests need no recovery.
    var recovery: RequestRecovery<Provider>?
    while true {
      switch try await sendOnce(draft, number: recovery?.attemptNumber ?? 1, consume) {
      case .succeeded(let value, _): return value
      case .failed(let failure):
        var nextRecovery = recovery ?? RequestRecovery(self, draft)
        let step = try await nextRecovery.recover(from: failure)
        recovery = nextRecovery
        let attempt = nextRecovery.attemptNumber
        events.emit(.retry(.init(subject: draft.subject, attempt: attempt, delay: step.delay, reason: step.reason)))
        try await time.sleep(for: step.delay)
      }
    }
  }

  /// Signs and sends a request once, and emits the event of the attempt.
  ///
  /// There is no event if an error is thrown: a cancellation, an error of the body's source, or a response that is
  /// unusable although its status reports success. The span ends in any case.
  package func sendOnce<Value>(
    _ draft: RequestDraft, number: Int = 1, _ consume: (HTTPStreamingResponse) async throws -> Value
  ) async throws -> AttemptOutcome<Value> {
    var record = AttemptRecord(action: draft.action, location: draft.location, number: number)
    return try await events.begin(record.activity).measure {
      let outcome = try await signAndSend(draft, &record, consume)
      if let event = record.event(of: outcome, at: time.uptime) { events.emit(.request(event)) }
      return outcome
    } outcome: {
      AuthActivity.Outcome(ofAttempt: $0, status: record.status)
    }
  }

  /// Signs and sends a request once; the request is in flight until the end of its response, or until its head.
  private func signAndSend<Value>(
    _ draft: RequestDraft, _ record: inout AttemptRecord, _ consume: (HTTPStreamingResponse) async throws -> Value
  ) async throws -> AttemptOutcome<Value> {
    let permit = try await gate.acquirePermit()
    let provider = provider
    let draft = draft.moved(to: try provider.endpoint)
    let signed: SignedRequest
    do { signed = try await sign(draft, for: provider) } catch let error as CredentialError {
      return .failed(.unsigned(error))
    }
    var received: HTTPStreamingResponse
    record.start = time.uptime
    do { received = try await transport.send(signed.request, body: draft.body) } catch {
      try error.throwCause(recordedBy: draft.meter)
      return .failed(.unanswered(error))
    }
    let localTime = time.now
    record.status = received.response.status.code
    if !RequestGate.endsAtHead { received.body = received.body.holding(permit) }
    guard received.response.isSuccess else {
      let rejection = try await readRejection(received, to: signed, of: draft, from: provider, at: localTime)
      return .failed(.rejected(rejection))
    }
    return try await readSuccess(received, to: signed, of: draft, at: localTime, consume)
  }

  /// Reads a response whose status reports success, but whose body can still report an error or be incomplete.
  private func readSuccess<Value>(
    _ received: HTTPStreamingResponse, to signed: SignedRequest, of draft: RequestDraft, at localTime: Timestamp,
    _ consume: (HTTPStreamingResponse) async throws -> Value
  ) async throws -> AttemptOutcome<Value> {
    try draft.successProof.require(in: received.response, to: draft.subject, requestIDHeader: draft.requestIDHeader)
    do { return .succeeded(try await consume(received), signed.signature) } catch let error as TransportError {
      return .failed(.unanswered(error))
    } catch let error as ServiceError {
      // The service accepted the signature and reported the error later, so the response's time does not matter.
      return .failed(
        .rejected(Rejection(error: error, signature: signed.signature, serverTime: nil, localTime: localTime)))
    }
  }

  /// Reads an error response, and adopts the endpoint or region to which it redirects the client.
  private func readRejection(
    _ received: HTTPStreamingResponse, to signed: SignedRequest, of draft: RequestDraft, from provider: Provider,
    at localTime: Timestamp
  ) async throws -> Rejection {
    let (body, isTruncated) = try await received.errorBody()
    var error = provider.error(in: received.response, body: body, subject: draft.subject)
    if error.status.kind == .clientError {
      let diagnosis = provider.diagnosis(of: received.response, body: body, to: signed.request)
      // Only the client's own signer is known to have signed exactly what was sent.
      error.diagnosis = remoteSigner == nil ? diagnosis?.whenSignedAsSent : diagnosis
    }
    if draft.forbidsOverwriting, error.kind == .preconditionFailed { error.kind = .alreadyExists }
    var rejection = Rejection(error, in: received.response, signature: signed.signature, localTime: localTime)
    rejection.isTruncated = isTruncated && !rejection.error.isExplained
    if let moved = provider.relocated(by: received.response, body: body) {
      relocation.provider = moved
      rejection.isMoved = true
    }
    return rejection
  }

  /// Returns the estimated time of the service's clock, and its known offset from this machine's clock.
  func serviceTime() throws -> (time: Timestamp, offset: Duration) {
    let offset = clockSkew.offset(for: try provider.endpoint.authority)
    return (time.now.advanced(by: offset), offset)
  }

  /// Learns the offset of a service's clock.
  func learnClockSkew(of host: String, serverTime: Timestamp, at localTime: Timestamp) {
    guard let offset = clockSkew.learn(host: host, serverTime: serverTime, at: localTime) else { return }
    events.emit(.skew(.init(host: host, offset: offset)))
  }

  /// Returns the cache of the credentials for a scope, or the client's only cache if its credentials have no scopes.
  func credentialCache(for scope: CredentialScope?) -> CredentialCache<Provider.SigningCredential> {
    guard let scopedCredentials, let scope else { return credentials }
    return scopedCredentials.cache(for: scope)
  }

  /// Returns a credential that remains valid until the time that a closure returns for the current time.
  ///
  /// All credentials of the client come from here, so that no secret is sent over an unencrypted connection.
  package func credential(
    for scope: CredentialScope?, until requiredExpiration: (Timestamp) -> Timestamp = { $0 }
  ) async throws -> CachedCredential<Provider.SigningCredential> {
    let now = try serviceTime().time
    let cached: CachedCredential<Provider.SigningCredential>
    do {
      cached = try await credentialCache(for: scope).credential(until: requiredExpiration(now), from: now)
    } catch { throw error.orCancellation }
    let provider = provider
    let endpoint = try provider.endpoint
    guard provider.carriesToken(cached.credential), endpoint.scheme != "https", !endpoint.isLoopback else {
      return cached
    }
    throw StorageError(
      .insecureConnection,
      "A secret of the credential would be sent unencrypted to \(endpoint.scheme)://\(endpoint.authority).",
      remedy: "Use an https endpoint; plain http is for this machine only.")
  }

  /// Signs a request with a credential for its scope, and emits the event of the signature.
  private func sign(_ draft: RequestDraft, for provider: Provider) async throws -> SignedRequest {
    var cached = try await credential(for: draft.scope) { provider.signer.requiredValidity(from: $0) }
    let unsigned = draft.requestWithLength
    let signed: (result: HTTPRequest, time: Timestamp, offset: Duration)
    if let remoteSigner = remoteSigner?(provider) {
      signed = try await signRemotely(as: &cached) { try await remoteSigner.signed(unsigned, as: $0, in: $1) }
    } else {
      let (now, offset) = try serviceTime()
      let (request, time) = try signBeforeExpiration(unsigned, for: provider, with: cached.credential, now: now)
      signed = (request, time, offset)
    }
    let identity = provider.identity(of: cached.credential)
    events.emit(
      .signed(.init(subject: draft.subject, identity: identity, generation: cached.generation, date: signed.time)))
    let expiration = cached.credential.expiration
    let signature = SentSignature(
      generation: cached.generation, isTemporary: provider.carriesToken(cached.credential) || expiration != nil,
      credentialExpiration: expiration, clockOffset: signed.offset)
    return SignedRequest(request: signed.result, signature: signature)
  }

  /// Signs a request, with a time just before the credential's expiration if the clock shows a later time.
  ///
  /// Either the clock or the cache is wrong in this case, and the response of the service tells which.
  private func signBeforeExpiration(
    _ request: HTTPRequest, for provider: Provider, with credential: Provider.SigningCredential, now: Timestamp
  ) throws(SigningError) -> (result: HTTPRequest, time: Timestamp) {
    do {
      return (try provider.signer.signed(request, with: credential, in: SigningContext(date: now)), now)
    } catch {
      guard error.code == .credentialEndsFirst, let expiration = credential.expiration, expiration <= now else {
        throw error
      }
      let lastValidTime = expiration.advanced(by: .seconds(-1))
      let context = SigningContext(date: lastValidTime)
      return (try provider.signer.signed(request, with: credential, in: context), lastValidTime)
    }
  }

  /// Runs a transfer, such as an "upload", and emits a transfer event when the transfer ends.
  package func withTransferLedger<Value>(
    for operation: String, of key: String, progress: TransferProgress.Handler?,
    _ body: (TransferLedger) async throws -> Value
  ) async throws -> Value {
    let ledger = makeLedger(operation, of: key, progress: progress)
    do {
      let result = try await ledger.measure { try await body(ledger) }
      ledger.close(failure: nil)
      return result
    } catch {
      ledger.close(failure: error)
      throw error
    }
  }

  /// Starts a download, and emits a transfer event when the bytes have been read or the download has failed.
  package func recordDownload(
    of key: String, _ start: () async throws -> DownloadedObject
  ) async throws -> DownloadedObject {
    let ledger = makeLedger("download", of: key, progress: nil)
    do {
      let object = try await ledger.measure(start)
      return DownloadedObject(
        info: object.info, contentLength: object.contentLength, body: object.body.recorded(in: ledger))
    } catch {
      ledger.close(failure: error)
      throw error
    }
  }

  private func makeLedger(_ operation: String, of key: String, progress: TransferProgress.Handler?) -> TransferLedger {
    TransferLedger(events, time, subject: "\(operation) \(location(ofKey: key))", progress: progress)
  }
}

/// A request as it is sent, with the properties of its signature.
private struct SignedRequest {
  let request: HTTPRequest
  let signature: SentSignature
}

/// The redirection of a client to another endpoint or region, shared by the copies of the client.
private final class Relocation<Provider: Sendable>: Sendable {
  // Every request reads the flag, because it takes far longer to copy an optional provider.
  private let flag = Lock(false)
  private let moved = Lock<Provider?>(nil)

  var hasMoved: Bool { flag.withLock { $0 } }

  /// The provider with the new endpoint, or `nil` if the service did not redirect the client.
  var provider: Provider? {
    get { moved.withLock { $0 } }
    set {
      moved.withLock { $0 = newValue }
      flag.withLock { $0 = newValue != nil }
    }
  }
}

extension CredentialError {
  /// The error, or a `CancellationError` if the cancellation of the task caused it.
  var orCancellation: any Error { code == .cancelled && Task.isCancelled ? CancellationError() : self }
}

/// A cache that the copies of a client share, with at most one value of each type.
package final class StoreCache: Sendable {
  private let values = Lock<[ObjectIdentifier: any Sendable]>([:])

  package init() {}

  /// Returns the cached value of the given type, or creates and caches a new value.
  package func value<Value: Sendable>(_ make: () throws -> Value) rethrows -> Value {
    let type = ObjectIdentifier(Value.self)
    if let cached = values.withLock({ $0[type] }) as? Value { return cached }
    // Concurrent callers may each create a value; the first one to be stored is used by all.
    let newValue = try make()
    return values.withLock { values in
      if let cached = values[type] as? Value { return cached }
      values[type] = newValue
      return newValue
    }
  }
}
