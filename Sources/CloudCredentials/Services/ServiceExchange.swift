internal import HTTPTypes
package import StorageAuth

/// Asks a service: one call, one answer, in a limited time and of a limited size.
package struct ServiceExchange: Sendable {
  /// The name of the provider, for errors.
  let source: String
  let transport: any HTTPTransport
  let time: any SigningClock
  /// From making the call to the last byte of its answer.
  let timeout: Duration
  /// The most bytes of an answer.
  let answerLimit: Int

  /// Sets up an exchange.
  ///
  /// - Parameters:
  ///   - source: The name of the provider, for errors.
  ///   - transport: Sends the requests.
  ///   - time: The clocks.
  ///   - timeout: The most time from making a call to the last byte of its answer.
  ///   - answerLimit: The most bytes of an answer.
  package init(
    source: String, transport: any HTTPTransport, time: any SigningClock, timeout: Duration, answerLimit: Int = 65_536
  ) {
    self.source = source
    self.transport = transport
    self.time = time
    self.timeout = timeout
    self.answerLimit = answerLimit
  }

  /// Makes a call and sends it.
  ///
  /// - Parameter prepare: Makes the call anew; may take its time, which counts.
  /// - Returns: The answer, with any status but that of a redirect.
  /// - Throws: A `CredentialError` if there was none, or it was too long.
  func send(
    _ prepare: @escaping @Sendable () async throws(CredentialError) -> PreparedCall
  ) async throws(CredentialError) -> ServiceAnswer {
    ServiceAnswer(try await receive(prepare))
  }

  /// Makes a call, sends it, and leaves the answer unread.
  ///
  /// - Parameter prepare: Makes the call anew; may take its time, which counts.
  /// - Returns: The answer, with any status but that of a redirect.
  /// - Throws: A `CredentialError` if there was none, or it was too long.
  package func receive(
    _ prepare: @escaping @Sendable () async throws(CredentialError) -> PreparedCall
  ) async throws(CredentialError) -> ReceivedAnswer {
    let outcome = await time.limiting(to: timeout) { () async -> Result<ReceivedAnswer, CredentialError> in
      do throws(CredentialError) {
        return .success(try await answer(to: try await prepare()))
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .finished(let result): return try result.get()
    case .cancelled: throw cancelled
    case .timedOut:
      throw CredentialError(
        .timeout, source: source, "There was no answer within \(timeout).",
        remedy: "Check that the service can be reached from here, or give it more time.", isRetryable: true)
    }
  }

  private func answer(to prepared: PreparedCall) async throws(CredentialError) -> ReceivedAnswer {
    let call = prepared.call
    let text = ServiceText(masking: prepared.masks)
    let reply: HTTPStreamingResponse
    do {
      reply = try await transport.send(call.request, body: call.body.isEmpty ? .none : .bytes(call.body))
    } catch {
      throw failure(error, text)
    }
    if reply.response.status.kind == .redirection {
      throw CredentialError(
        .failed, source: source,
        "The answer is a redirect (HTTP \(reply.response.status.code)), which is not followed with credentials.",
        remedy: "Name the address that it leads to, if that is where the credentials are.")
    }
    let body: [UInt8]?
    do {
      body = try await reply.body.collected(upTo: answerLimit)
    } catch let error as TransportError {
      throw failure(error, text)
    } catch is CancellationError {
      throw cancelled
    } catch {
      throw CredentialError(
        .failed, source: source, "The answer broke off.", remedy: "Ask again.", isRetryable: true)
    }
    guard let body else {
      throw CredentialError(
        .malformedAnswer, source: source, "The answer is longer than \(answerLimit) bytes.",
        remedy: "Check the address; what is asked for is far shorter.")
    }
    return ReceivedAnswer(reply.response, body: body, masks: prepared.masks)
  }

  private var cancelled: CredentialError {
    CredentialError(.cancelled, source: source, "The wait was cancelled.", remedy: "Ask again if it is still needed.")
  }

  private func failure(_ error: TransportError, _ text: ServiceText) -> CredentialError {
    if error.code == .cancelled { return cancelled }
    return CredentialError(
      error.code == .timeout ? .timeout : .failed, source: source, text.shown(error.message),
      remedy: text.shown(error.remedy), isRetryable: error.isRetryable)
  }
}

/// A call that is ready to be sent, and what must not be seen of it in an error.
package struct PreparedCall: Sendable {
  let call: ServiceCall
  let masks: [Secret]

  package init(_ call: ServiceCall, masks: [Secret] = []) {
    self.call = call
    self.masks = masks
  }
}
