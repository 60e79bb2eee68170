internal import HTTPTypes
internal import StorageAuth

extension StorageClient {
  /// Sends a request, again where that is allowed and can help.
  ///
  /// - Returns: The answer, a success.
  /// - Throws: `ServiceError` for an answer that is none; `TransportError`, `CancellationError`, `SigningError` and
  ///   `CredentialError` where there is no answer.
  func send(_ draft: RequestDraft) async throws -> HTTPReply {
    let request = try unsigned(draft)
    var delay = configuration.retryDelay
    for _ in 1..<configuration.attempts where draft.isRepeatable {
      do {
        return try await attempt(request, draft)
      } catch let error as ServiceError where error.isRetryable {
      } catch let error as TransportError where error.isRetryable {
      }
      try await Task.sleep(for: delay)
      delay *= 2
    }
    return try await attempt(request, draft)
  }

  /// Sends a request whose answer is a short text.
  ///
  /// - Returns: The head of the answer and its whole body.
  func exchange(_ draft: RequestDraft, upTo limit: Int = 16 << 20) async throws -> (HTTPResponse, [UInt8]) {
    let reply = try await send(draft)
    guard let body = try await reply.body.collected(upTo: limit) else {
      throw StorageError.malformedAnswer("it is longer than \(limit) bytes")
    }
    return (reply.response, body)
  }

  /// The request with its address.
  func unsigned(_ draft: RequestDraft) throws -> HTTPRequest {
    var request = try provider.endpoint.request(
      draft.method, bucket: provider.bucket, key: draft.key, parameters: draft.parameters, headers: draft.headers)
    if draft.announcesLength { request.headerFields[.contentLength] = "\(draft.body.length)" }
    return request
  }

  /// A credential that may be sent to the endpoint; the one place where credentials are had.
  func credential() async throws -> Provider.Proof {
    let proof = try await credentials.credential()
    let endpoint = try provider.endpoint
    guard provider.carriesToken(proof), endpoint.scheme != "https", !endpoint.isLoopback else { return proof }
    throw StorageError(
      .insecureConnection,
      "The session token would travel in clear to \(endpoint.scheme)://\(endpoint.authority).",
      remedy: "Use an https endpoint; plain http is for this machine only.")
  }

  /// Signs and sends once, at one instant.
  private func attempt(_ request: HTTPRequest, _ draft: RequestDraft) async throws -> HTTPReply {
    let permit = try await gate.enter()
    let proof = try await credential()
    let signed = try provider.signer.signed(request, with: proof, in: SigningContext(date: clock()))
    var reply: HTTPReply
    do {
      reply = try await transport.send(signed, body: draft.body)
    } catch {
      if let failure = draft.meter?.failure, !(failure is CancellationError) { throw failure }
      throw error.code == .cancelled ? CancellationError() : error
    }
    reply.body = reply.body.holding(permit)
    guard reply.isSuccess else { throw try await serviceError(reply, subject: subject(of: draft)) }
    return reply
  }

  /// Reads the error that an answer tells of.
  private func serviceError(_ reply: HTTPReply, subject: String) async throws -> ServiceError {
    let body: [UInt8]
    do {
      body = try await reply.body.prefix(bytes: ServiceError.bodyLimit)
    } catch let cancellation as CancellationError {
      throw cancellation
    } catch {
      body = []
    }
    return ServiceError(reply.response, body: body, subject: subject, dialect: provider.dialect)
  }

  /// What a request is about, for errors.
  func subject(of draft: RequestDraft) -> String {
    "\(draft.method) \(provider.name)://\(provider.bucket)/\(draft.key ?? "")"
  }
}

extension HTTPReply {
  /// Whether the service did what it was asked for; 203 is how OSS says that the callback after an upload failed.
  fileprivate var isSuccess: Bool {
    response.status.kind == .successful && response.status.code != 203
  }
}
