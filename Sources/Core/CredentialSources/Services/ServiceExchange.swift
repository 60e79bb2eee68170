// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth

/// A client that sends a request to a service and receives the response within limits of time and size.
package struct ServiceExchange: Sendable {
  package let source: String
  let transport: any HTTPTransport
  package let time: any SigningClock
  /// The limit of the time from the start of a request's preparation to the last byte of the response.
  let timeout: Duration
  /// The maximum size of a response's body in bytes.
  let responseLimit: Int

  package init(
    source: String, transport: any HTTPTransport, time: any SigningClock, timeout: Duration, responseLimit: Int = 65_536
  ) {
    self.source = source
    self.transport = transport
    self.time = time
    self.timeout = timeout
    self.responseLimit = responseLimit
  }

  package init(
    source: String, in context: ProviderContext, timeout: Duration, responseLimit: Int = 65_536
  ) throws(CredentialError) {
    self.init(
      source: source, transport: try context.transport(for: source), time: context.time,
      timeout: context.timeout ?? timeout, responseLimit: responseLimit)
  }

  /// Prepares a request, sends it and returns the response with its body parsed.
  ///
  /// - Parameter prepare: A closure that is called once, and whose run time counts towards the time limit.
  /// - Throws: A `CredentialError` if no response was received, or if the response is a redirect or too long.
  package func send(
    _ prepare: @escaping @Sendable () async throws(CredentialError) -> PreparedCall
  ) async throws(CredentialError) -> ServiceResponse {
    ServiceResponse(try await receive(prepare))
  }

  /// Sends a request as ``send(_:)`` does, and leaves the body of the response unparsed.
  package func receive(
    _ prepare: @escaping @Sendable () async throws(CredentialError) -> PreparedCall
  ) async throws(CredentialError) -> ReceivedResponse {
    let outcome = await time.run(timeout: timeout) {
      await Result.catching { () async throws(CredentialError) in try await response(to: try await prepare()) }
    }
    switch outcome {
    case .finished(let result): return try result.get()
    case .cancelled: throw cancellationError
    case .timedOut:
      throw CredentialError(
        .timeout, source: source, "There was no response within \(timeout).",
        remedy: "Check that the service can be reached from here, or give it more time.", isRetryable: true)
    }
  }

  private func response(to prepared: PreparedCall) async throws(CredentialError) -> ReceivedResponse {
    let call = prepared.call
    let filter = MessageFilter(masking: prepared.masks)
    let streamingResponse: HTTPStreamingResponse
    do {
      streamingResponse = try await transport.send(call.request, body: call.body.isEmpty ? .none : .bytes(call.body))
    } catch { throw credentialError(for: error, shownThrough: filter) }
    if streamingResponse.response.status.kind == .redirection {
      throw CredentialError(
        .failed, source: source,
        "The response is a redirect (HTTP \(streamingResponse.response.status.code)), which is not followed with credentials.",
        remedy: "Name the address that it leads to, if that is where the credentials are.")
    }
    let body = try await receiveBody(of: streamingResponse, shownThrough: filter)
    return ReceivedResponse(response: streamingResponse.response, body: body, masks: prepared.masks)
  }

  private func receiveBody(
    of response: HTTPStreamingResponse, shownThrough filter: MessageFilter
  ) async throws(CredentialError) -> [UInt8] {
    let body: [UInt8]?
    do {
      body = try await response.body.collected(upTo: responseLimit)
    } catch let error as TransportError {
      throw credentialError(for: error, shownThrough: filter)
    } catch is CancellationError {
      throw cancellationError
    } catch {
      throw CredentialError(.failed, source: source, "The response broke off.", remedy: "Retry.", isRetryable: true)
    }
    guard let body else {
      throw CredentialError(
        .malformedResponse, source: source, "The response is longer than \(responseLimit) bytes.",
        remedy: "Check the address; a response with a key is far shorter.")
    }
    return body
  }

  private var cancellationError: CredentialError {
    CredentialError(.cancelled, source: source, "The wait was cancelled.", remedy: "Retry if the key is still needed.")
  }

  private func credentialError(for error: TransportError, shownThrough filter: MessageFilter) -> CredentialError {
    if error.code == .cancelled { return cancellationError }
    return CredentialError(
      error.code == .timeout ? .timeout : .failed, source: source, filter.applied(to: error.message),
      remedy: filter.applied(to: error.remedy), isRetryable: error.isRetryable)
  }
}

/// A request that is ready to be sent, with the confidential values that error messages must not show.
package struct PreparedCall: Sendable {
  let call: ServiceCall
  let masks: [Secret]

  package init(_ call: ServiceCall, masks: [Secret] = []) {
    self.call = call
    self.masks = masks
  }
}
