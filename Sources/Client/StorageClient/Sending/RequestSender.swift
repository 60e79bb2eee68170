// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// The maximum number of bytes of a response that is read into memory.
private let documentByteLimit = 16 << 20

/// The minimum clock difference that counts as the cause of an error without a reason; services accept smaller ones.
private let unexplainedSkew = Duration.seconds(300)

/// The sender of a client's requests, with the credentials, the clock, the retries and the events of the client.
///
/// An object store sends its requests with ``send(_:body:action:key:isRepeatable:)``. The sender signs a request, emits an
/// event for the signature, and sends the request again if that is permitted and can help. If necessary, the sender
/// refreshes the credential, corrects its clock or follows the service to another endpoint first.
///
/// A sender is a value that is cheap to copy. Its copies share one limit on requests in flight.
public struct RequestSender<Provider: StorageProvider>: Sendable {
  let configuredProvider: Provider

  /// The concurrency limits, part sizes and retry settings.
  public let configuration: StorageClientConfiguration

  package let credentials: CredentialCache<Provider.SigningCredential>
  /// The cache of the credentials for each scope, or `nil` if all requests use ``credentials``.
  let scoped: ScopedCredentialCache<Provider.SigningCredential>?
  /// The remote signer that signs the requests instead of the provider's signer, or `nil` if the client has the key.
  package let remoteSigner: (any RemoteRequestSigner<Provider.SigningCredential>)?
  package let transport: any HTTPTransport
  package let events: EventHub
  package let clockSkew: ClockSkew
  package let time: any SigningClock
  package let memory = StoreMemory()
  private let gate: RequestGate
  private let relocation = Relocation<Provider>()

  package init(
    _ provider: Provider, credentials: CredentialCache<Provider.SigningCredential>,
    scoped: ScopedCredentialCache<Provider.SigningCredential>? = nil,
    remoteSigner: (any RemoteRequestSigner<Provider.SigningCredential>)? = nil,
    configuration: StorageClientConfiguration, transport: any HTTPTransport, events: EventHub, clockSkew: ClockSkew,
    time: any SigningClock
  ) {
    configuredProvider = provider
    self.configuration = configuration
    self.credentials = credentials
    self.scoped = scoped
    self.remoteSigner = remoteSigner
    self.transport = transport
    self.events = events
    self.clockSkew = clockSkew
    self.time = time
    gate = RequestGate(limit: min(configuration.requestsInFlight, OpenFileLimit.current.transfers))
  }

  /// The service and the bucket that requests are sent to.
  ///
  /// If the service redirected the client, the provider has the endpoint and the region that the service specified.
  public var provider: Provider { relocation.provider ?? configuredProvider }

  /// Returns the URL of an object, or the URL of the container if the key is `nil`, in the format of the command line.
  package func location(ofKey key: String?) -> String { "\(provider.name)://\(provider.containerName)/\(key ?? "")" }

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

  func send(_ draft: RequestDraft) async throws -> HTTPStreamingResponse {
    try await sendInSpan(draft) { $0 }
  }

  /// Sends a request whose response is short, and returns the head and the body of the response.
  package func exchange(_ draft: RequestDraft) async throws -> (HTTPResponse, [UInt8]) {
    try await exchange(draft) { ($0, $1) }
  }

  /// Sends a request whose response is short, and reads the response.
  ///
  /// A ``ServiceError`` that the closure throws counts as the service's refusal.
  func exchange<Value>(_ draft: RequestDraft, read: (HTTPResponse, [UInt8]) throws -> Value) async throws -> Value {
    try await sendInSpan(draft) { reply in
      guard let body = try await reply.body.collected(upTo: documentByteLimit) else {
        throw StorageError.malformedResponse("it is longer than \(documentByteLimit) bytes")
      }
      if let error = draft.errorInside?(reply.response, body) { throw error }
      return try read(reply.response, body)
    }
  }

  /// Sends a request until an attempt succeeds or no recovery step is left; an incomplete response counts as none.
  private func sendInSpan<Value>(
    _ draft: RequestDraft, _ consume: (HTTPStreamingResponse) async throws -> Value
  ) async throws -> Value {
    let isPart = ActiveSpan.current?.kind == .operation
    let span = isPart ? nil : events.begin(AuthActivity(.operation, draft.subject))
    return try await span.measure {
      try await sendWithRecovery(draft, consume)
    } outcome: {
      AuthActivity.Outcome(of: $0)
    }
  }

  private func sendWithRecovery<Value>(
    _ draft: RequestDraft, _ consume: (HTTPStreamingResponse) async throws -> Value
  ) async throws -> Value {
    var plan = RetryPlan(configuration, isRepeatable: draft.isRepeatable)
    while true {
      let step: RetryPlan.Step
      switch try await sendOnce(draft, number: plan.attempts, consume) {
      case .done(let result, _):
        return result
      case .lost(let error):
        guard let next = plan.step(after: error) else { throw error }
        step = next
      case .unsigned(let error):
        guard let next = plan.step(after: error, pause: credentials(for: draft.scope).remainingBackoff) else {
          throw error
        }
        step = next
      case .refused(var refusal):
        guard let next = try await recovery(from: &refusal, draft, &plan) else {
          refusal.error.attempts = plan.attempts
          throw refusal.error
        }
        step = next
      }
      plan.attempts += 1
      let attempt = plan.attempts
      events.emit(.retry(.init(subject: draft.subject, attempt: attempt, delay: step.delay, reason: step.reason)))
      try await time.sleep(for: step.delay)
    }
  }

  /// Signs and sends a request once, emits an event, and returns the outcome of the attempt.
  package func sendOnce<Value>(
    _ draft: RequestDraft, number: Int = 1, _ consume: (HTTPStreamingResponse) async throws -> Value
  ) async throws -> Refusal.Outcome<Value> {
    var record = AttemptRecord(draft.subject, number: number)
    return try await events.begin(record.activity).measure {
      let outcome = try await signAndSend(draft, &record, consume)
      if let event = record.event(of: outcome, at: time.uptime) { events.emit(.request(event)) }
      return outcome
    } outcome: {
      AuthActivity.Outcome(ofAttempt: $0, status: record.status)
    }
  }

  private func signAndSend<Value>(
    _ draft: RequestDraft, _ record: inout AttemptRecord, _ consume: (HTTPStreamingResponse) async throws -> Value
  ) async throws -> Refusal.Outcome<Value> {
    let permit = try await gate.enter()
    let provider = provider
    let draft = draft.moved(to: try provider.endpoint)
    let request: HTTPRequest
    let signature: SentSignature
    do {
      (request, signature) = try await sign(draft, for: provider)
    } catch let error as CredentialError {
      return .unsigned(error)
    }
    var reply: HTTPStreamingResponse
    record.start = time.uptime
    do {
      reply = try await transport.send(request, body: draft.body)
    } catch {
      if let failure = draft.meter?.failure, !(failure is CancellationError) { throw failure }
      if error.code == .cancelled { throw CancellationError() }
      return .lost(error)
    }
    let localTime = time.now
    record.status = reply.response.status.code
    reply.body = reply.body.holding(permit)
    guard reply.response.isSuccess else {
      return .refused(try await refusal(in: reply, to: request, of: draft, from: provider, signature, localTime))
    }
    try draft.successProof.check(reply.response, draft.subject, requestID: draft.requestID)
    do {
      return .done(try await consume(reply), signature)
    } catch let error as TransportError {
      return .lost(error)
    } catch let error as ServiceError {
      return .refused(Refusal(error: error, signature: signature, serverTime: nil, localTime: localTime))
    }
  }

  /// Reads a response that refuses a request, and follows the service to another location that it names.
  private func refusal(
    in reply: HTTPStreamingResponse, to request: HTTPRequest, of draft: RequestDraft, from provider: Provider,
    _ signature: SentSignature, _ localTime: Timestamp
  ) async throws -> Refusal {
    let (body, isTruncated) = try await reply.errorBody()
    var error = provider.error(in: reply.response, body: body, subject: draft.subject)
    if error.status.kind == .clientError {
      let diagnosis = provider.diagnosis(of: reply.response, body: body, to: request)
      // Only the client's own signer is known to have signed exactly what was sent.
      error.diagnosis = remoteSigner == nil ? diagnosis?.whenSignedAsSent : diagnosis
    }
    if draft.forbidsOverwriting, error.kind == .preconditionFailed { error.kind = .alreadyExists }
    var refusal = Refusal(error, in: reply.response, signature: signature, localTime: localTime)
    refusal.isTruncated = isTruncated && !refusal.error.isExplained
    if let moved = provider.relocated(by: reply.response, body: body) {
      relocation.provider = moved
      refusal.isMoved = true
    }
    return refusal
  }

  /// Returns the estimated time of the service's clock, and its known offset from this machine's clock.
  func serviceTime() throws -> (date: Timestamp, offset: Duration) {
    let offset = clockSkew.offset(for: try provider.endpoint.authority)
    return (time.now.advanced(by: offset), offset)
  }

  func credentials(for scope: CredentialScope?) -> CredentialCache<Provider.SigningCredential> {
    guard let scoped, let scope else { return credentials }
    return scoped.cache(for: scope)
  }

  /// Returns a credential that may be sent to the endpoint, and is valid until the end that follows from the time.
  ///
  /// The client requests all credentials with this method.
  package func credential(
    for scope: CredentialScope?, until end: (Timestamp) -> Timestamp = { $0 }
  ) async throws -> CachedCredential<Provider.SigningCredential> {
    let now = try serviceTime().date
    let cached: CachedCredential<Provider.SigningCredential>
    do {
      cached = try await credentials(for: scope).credential(until: end(now), from: now)
    } catch {
      throw error.asCancellation
    }
    let endpoint = try provider.endpoint
    guard provider.carriesToken(cached.credential), endpoint.scheme != "https", !endpoint.isLoopback else {
      return cached
    }
    throw StorageError(
      .insecureConnection,
      "A secret of the credential would be sent unencrypted to \(endpoint.scheme)://\(endpoint.authority).",
      remedy: "Use an https endpoint; plain http is for this machine only.")
  }

  private func sign(_ draft: RequestDraft, for provider: Provider) async throws -> (HTTPRequest, SentSignature) {
    var cached = try await credential(for: draft.scope) { provider.signer.requiredValidity(from: $0) }
    let unsigned = draft.announced
    let (request, date, offset): (HTTPRequest, Timestamp, Duration)
    if let remoteSigner {
      (request, date, offset) = try await signRemotely(as: &cached) {
        try await remoteSigner.signed(unsigned, as: $0, in: $1)
      }
    } else {
      let (signingDate, clockOffset) = try serviceTime()
      (request, date) = try signBeforeExpiration(
        unsigned, for: provider, with: cached.credential, at: signingDate)
      offset = clockOffset
    }
    events.emit(
      .signed(
        .init(
          subject: draft.subject, identity: provider.identity(of: cached.credential),
          generation: cached.generation, date: date)))
    let isTemporary = provider.carriesToken(cached.credential) || cached.credential.expiration != nil
    return (
      request,
      SentSignature(
        generation: cached.generation, isTemporary: isTemporary, expiration: cached.credential.expiration,
        clockOffset: offset)
    )
  }

  /// Signs a request, with a date just before the credential's expiration if the clock shows a later time.
  ///
  /// The cache does not rely only on this machine's clock. If the cache and the clock disagree, the service decides,
  /// and its response reports the service's time.
  private func signBeforeExpiration(
    _ request: HTTPRequest, for provider: Provider, with credential: Provider.SigningCredential, at date: Timestamp
  ) throws(SigningError) -> (HTTPRequest, Timestamp) {
    do {
      return (try provider.signer.signed(request, with: credential, in: SigningContext(date: date)), date)
    } catch {
      guard error.code == .credentialEndsFirst, let expiration = credential.expiration, expiration <= date else {
        throw error
      }
      let date = expiration.advanced(by: .seconds(-1))
      return (try provider.signer.signed(request, with: credential, in: SigningContext(date: date)), date)
    }
  }

  /// Requests a remote signature, and requests it again if the signing server's clock differs from the assumed time.
  ///
  /// The service itself has not been contacted at that point, so its clock is assumed to equal the signing server's
  /// clock. The identity in use is replaced if the key has changed.
  func signRemotely<Result>(
    as cached: inout CachedCredential<Provider.SigningCredential>,
    _ act: (Provider.SigningCredential, SigningContext) async throws -> Result
  ) async throws -> (result: Result, date: Timestamp, offset: Duration) {
    let (date, offset) = try serviceTime()
    do {
      let result = try await replacingKey(of: &cached) { try await act($0, SigningContext(date: date)) }
      return (result, date, offset)
    } catch let refusal as ClockSkewRefusal {
      let host = try provider.endpoint.authority
      guard let newOffset = clockSkew.learn(host: host, serverTime: refusal.serverTime, at: refusal.localTime) else {
        throw refusal.error
      }
      events.emit(.skew(.init(host: host, offset: newOffset)))
    }
    let (corrected, newOffset) = try serviceTime()
    do {
      let result = try await replacingKey(of: &cached) { try await act($0, SigningContext(date: corrected)) }
      return (result, corrected, newOffset)
    } catch let refusal as ClockSkewRefusal {
      throw refusal.error
    }
  }

  /// Performs an action with the cached identity, and again with a newly requested identity if the key has changed.
  private func replacingKey<Result>(
    of cached: inout CachedCredential<Provider.SigningCredential>,
    _ act: (Provider.SigningCredential) async throws -> Result
  ) async throws -> Result {
    do {
      do {
        return try await act(cached.credential)
      } catch let refusal as SigningRefusal where refusal.code == .anotherKey {
        do throws(CredentialError) {
          cached = try await credentials.credential(lasting: .zero, replacing: cached.generation)
        } catch {
          throw error.code == .rejected ? refusal : error.asCancellation
        }
        return try await act(cached.credential)
      }
    } catch let refusal as SigningRefusal {
      throw SigningError(.refused, refusal.message, remedy: refusal.remedy)
    }
  }

  // MARK: Recovery

  /// Performs the recovery step for a refused request, or returns `nil` if sending the request again cannot help.
  private func recovery(
    from refusal: inout Refusal, _ draft: RequestDraft, _ plan: inout RetryPlan
  ) async throws -> RetryPlan.Step? {
    if refusal.isTruncated, let step = plan.step(afterTruncation: refusal.error) { return step }
    if let step = relocationStep(refusal, &plan) { return step }
    if draft.request.method == .head, refusal.isUnclear {
      if let step = try clockStep(refusal, beyond: unexplainedSkew, &plan) { return step }
      if let step = try await explain(&refusal, draft, &plan) { return step }
      if let step = relocationStep(refusal, &plan) { return step }
    }
    if refusal.isAboutTime, let step = try clockStep(refusal, beyond: ClockSkew.tolerance, &plan) { return step }
    if refusal.isAboutCredential, let step = try await renewalStep(&refusal, draft, &plan) { return step }
    return plan.step(after: refusal.error)
  }

  /// Returns the step that sends the request to the location that the service specified, once per request, or `nil`.
  private func relocationStep(_ refusal: Refusal, _ plan: inout RetryPlan) -> RetryPlan.Step? {
    guard plan.mayRelocate, refusal.isMoved else { return nil }
    plan.mayRelocate = false
    return RetryPlan.Step(delay: .zero, reason: "\(refusal.error.code): sent to the location that the service named.")
  }

  /// Learns the service's time if it differs from the signature's, and returns the step that signs again, or `nil`.
  private func clockStep(
    _ refusal: Refusal, beyond tolerance: Duration, _ plan: inout RetryPlan
  ) throws -> RetryPlan.Step? {
    guard plan.mayCorrectClock, let serverTime = refusal.serverTime else { return nil }
    let host = try provider.endpoint.authority
    let error = refusal.localTime.duration(to: serverTime) - refusal.signature.clockOffset
    guard error.magnitude > tolerance else { return nil }
    if let offset = clockSkew.learn(host: host, serverTime: serverTime, at: refusal.localTime) {
      events.emit(.skew(.init(host: host, offset: offset)))
    }
    guard clockSkew.offset(for: host) != refusal.signature.clockOffset else { return nil }
    plan.mayCorrectClock = false
    return RetryPlan.Step(delay: .zero, reason: "\(refusal.error.code): signed again with the clock of \(host).")
  }

  /// Fetches a credential that replaces the rejected credential, and returns the step that signs again, or `nil`.
  ///
  /// If the credential provider cannot be called yet, the step waits until it can be called.
  private func renewalStep(
    _ refusal: inout Refusal, _ draft: RequestDraft, _ plan: inout RetryPlan
  ) async throws -> RetryPlan.Step? {
    let credentials = credentials(for: draft.scope)
    var step = RetryPlan.Step(delay: .zero, reason: "\(refusal.error.code): signed again with another credential.")
    if !plan.mayRenew {
      guard refusal.expiredOnTheWay, let repetition = plan.step(afterExpiry: refusal.error) else { return nil }
      step = repetition
    }
    plan.mayRenew = false
    do throws(CredentialError) {
      _ = try await credentials.credential(lasting: .zero, replacing: refusal.signature.generation)
      return step
    } catch {
      if let cancellation = error.asCancellation as? CancellationError { throw cancellation }
      refusal.error.renewalError = error
      guard error.code != .rejected, let step = plan.step(after: error, pause: credentials.remainingBackoff) else {
        return nil
      }
      plan.mayRenew = true
      return step
    }
  }

  /// Determines the reason for a refused `HEAD` request, whose response has no body, with a `GET` request for one byte.
  ///
  /// If the `GET` request succeeds with the same credential, the refusal remains unchanged. The next attempt follows at
  /// once if it got no final response, or succeeded with another credential.
  private func explain(
    _ refusal: inout Refusal, _ draft: RequestDraft, _ plan: inout RetryPlan
  ) async throws -> RetryPlan.Step? {
    var request = draft.request
    request.method = .get
    request.headerFields[.range] = "bytes=0-0"
    var probe = RequestDraft(request, to: draft.endpoint, at: draft.location)
    probe.scope = draft.scope
    switch try await sendOnce(probe, number: plan.attempts, { _ in }) {
    case .done(_, let signature):
      guard signature.generation != refusal.signature.generation else { return nil }
      return try await renewalStep(&refusal, draft, &plan)
    case .lost(let error):
      return plan.step(after: error)
    case .unsigned(let error):
      return plan.step(after: error, pause: credentials(for: draft.scope).remainingBackoff)
    case .refused(let response) where response.isTruncated:
      return plan.step(afterTruncation: response.error)
    case .refused(let response):
      guard response.error.isExplained, response.error.status == refusal.error.status || response.isAboutTime else {
        return plan.step(after: response.error)
      }
      refusal = response
      refusal.error.subject = draft.subject
      return nil
    }
  }

  /// Runs a transfer, such as an `upload`, and emits a transfer event when the transfer ends.
  package func transfer<Result>(
    _ verb: String, _ key: String, _ progress: TransferProgress.Handler?,
    _ body: (TransferLedger) async throws -> Result
  ) async throws -> Result {
    let ledger = ledger(verb, key, progress)
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
  package func opening(_ key: String, _ start: () async throws -> DownloadedObject) async throws -> DownloadedObject {
    let ledger = ledger("download", key, nil)
    do {
      let object = try await ledger.measure(start)
      return DownloadedObject(
        info: object.info, contentLength: object.contentLength, body: object.body.recorded(in: ledger))
    } catch {
      ledger.close(failure: error)
      throw error
    }
  }

  private func ledger(_ verb: String, _ key: String, _ progress: TransferProgress.Handler?) -> TransferLedger {
    TransferLedger(events, time, subject: "\(verb) \(location(ofKey: key))", progress: progress)
  }
}

extension CredentialError {
  /// The error to throw: a `CancellationError` if the task was cancelled, or else this error.
  var asCancellation: any Error { code == .cancelled && Task.isCancelled ? CancellationError() : self }
}

/// A cache that the copies of a client share, with at most one value of each type.
package final class StoreMemory: Sendable {
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
