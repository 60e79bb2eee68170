internal import HTTPTypes
internal import StorageAuth

extension StorageClient {
  /// Signs and sends once, at one instant.
  func attempt<Result>(
    _ draft: RequestDraft, _ consume: (HTTPReply) async throws -> Result
  ) async throws -> Refusal.Outcome<Result> {
    let permit = try await gate.enter()
    let provider = provider
    let draft = draft.moved(to: try provider.endpoint)
    let signed: HTTPRequest
    let signature: SentSignature
    do {
      (signed, signature) = try await sign(draft, for: provider)
    } catch let error as CredentialError {
      return .unsigned(error)
    }
    var reply: HTTPReply
    do {
      reply = try await transport.send(signed, body: draft.body)
    } catch {
      if let failure = draft.meter?.failure, !(failure is CancellationError) { throw failure }
      if error.code == .cancelled { throw CancellationError() }
      return .lost(error)
    }
    let localTime = time.now
    reply.body = reply.body.holding(permit)
    guard reply.isSuccess else {
      let (body, isCut) = try await reply.errorBody()
      var error = provider.error(in: reply.response, body: body, subject: draft.subject)
      if error.status.kind == .clientError {
        error.diagnosis = provider.diagnosis(of: reply.response, body: body, to: signed)
      }
      if draft.forbidsOverwriting, error.kind == .preconditionFailed { error.kind = .alreadyExists }
      var refusal = Refusal(error, in: reply.response, signature: signature, localTime: localTime)
      refusal.isCut = isCut && !refusal.error.isExplained
      if let moved = provider.relocated(by: reply.response, body: body) {
        relocation.provider = moved
        refusal.isMoved = true
      }
      return .refused(refusal)
    }
    do {
      return .done(try await consume(reply), signature)
    } catch let error as TransportError {
      return .lost(error)
    } catch let error as ServiceError {
      return .refused(
        Refusal(error: error, signature: signature, serverTime: nil, localTime: localTime))
    }
  }

  /// The present by the service's clock, as far as it is known.
  func serviceTime() throws -> (date: Timestamp, offset: Duration) {
    let offset = clockSkew.offset(for: try provider.endpoint.authority)
    return (time.now.advanced(by: offset), offset)
  }

  /// A credential that may be sent to the endpoint; the one place where credentials are had.
  ///
  /// - Parameter duration: How long it has to live on.
  func credential(lasting duration: Duration) async throws -> CachedCredential<Provider.Proof> {
    let cached: CachedCredential<Provider.Proof>
    do {
      cached = try await credentials.credential(lasting: duration)
    } catch {
      throw error.asCancellation
    }
    let endpoint = try provider.endpoint
    guard provider.carriesToken(cached.credential), endpoint.scheme != "https", !endpoint.isLoopback else {
      return cached
    }
    throw StorageError(
      .insecureConnection,
      "A secret of the credential would travel in clear to \(endpoint.scheme)://\(endpoint.authority).",
      remedy: "Use an https endpoint; plain http is for this machine only.")
  }

  private func sign(
    _ draft: RequestDraft, for provider: Provider
  ) async throws -> (HTTPRequest, SentSignature) {
    let asked = try serviceTime().date
    var cached = try await credential(lasting: asked.duration(to: provider.signer.requiredValidity(from: asked)))
    let (signed, date, offset) = try await sign(draft.announced, for: provider, as: &cached)
    events.emit(
      .signed(
        .init(
          subject: draft.subject, identity: provider.identity(of: cached.credential),
          generation: cached.generation, date: date)))
    let isTemporary = provider.carriesToken(cached.credential) || cached.credential.expiration != nil
    return (
      signed,
      SentSignature(
        generation: cached.generation, isTemporary: isTemporary, expiration: cached.credential.expiration,
        clockOffset: offset)
    )
  }

  private func sign(
    _ request: HTTPRequest, for provider: Provider, as cached: inout CachedCredential<Provider.Proof>
  ) async throws -> (HTTPRequest, Timestamp, offset: Duration) {
    if let remoteSigner {
      return try await signElsewhere(as: &cached) { try await remoteSigner.signed(request, as: $0, in: $1) }
    }
    let (present, offset) = try serviceTime()
    let (signed, date) = try sign(request, for: provider, with: cached.credential, at: present)
    return (signed, date, offset)
  }

  /// Signs, at the end of the credential's life if the clock says that it is over.
  ///
  /// The cache does not go by this machine's clock alone. If the two disagree, the service decides; what it answers tells
  /// its time.
  private func sign(
    _ request: HTTPRequest, for provider: Provider, with proof: Provider.Proof, at date: Timestamp
  ) throws(SigningError) -> (HTTPRequest, Timestamp) {
    do {
      return (try provider.signer.signed(request, with: proof, in: SigningContext(date: date)), date)
    } catch {
      guard error.code == .credentialEndsFirst, let expiration = proof.expiration, expiration <= date else {
        throw error
      }
      let date = expiration.advanced(by: .seconds(-1))
      return (try provider.signer.signed(request, with: proof, in: SigningContext(date: date)), date)
    }
  }
}

extension CredentialError {
  /// The error that a cancelled task throws, if that is what it is.
  var asCancellation: any Error {
    code == .cancelled && Task.isCancelled ? CancellationError() : self
  }
}

extension HTTPReply {
  /// Whether the service did what it was asked for; 203 says that the callback after an upload failed.
  fileprivate var isSuccess: Bool {
    response.status.kind == .successful && response.status.code != 203
  }

  /// The beginning of the body, and whether it broke off.
  fileprivate func errorBody() async throws -> (bytes: [UInt8], isCut: Bool) {
    do {
      return (try await body.prefix(bytes: ServiceError.bodyLimit), false)
    } catch let cancellation as CancellationError {
      throw cancellation
    } catch {
      return ([], true)
    }
  }
}
