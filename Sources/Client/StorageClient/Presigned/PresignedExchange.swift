// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The requests that one presigned URL authorizes, sent until one succeeds or no retry is left.
struct PresignedExchange {
  let target: PresignedTarget
  var configuration: StorageClientConfiguration
  private let request: HTTPRequest
  private let requestsCallback: Bool
  private let transport: any HTTPTransport
  private let time: any SigningClock = .system

  init(
    _ presigned: PresignedRequest, for method: HTTPRequest.Method, _ configuration: StorageClientConfiguration,
    _ transport: any HTTPTransport
  ) throws(StorageError) {
    target = try PresignedTarget(presigned, for: method)
    let url = try presigned.serviceURL
    requestsCallback = try presigned.requestsCallback
    request = HTTPRequest(
      method: method, scheme: url.scheme, authority: url.authority, path: url.path, headerFields: presigned.headers)
    self.configuration = configuration
    self.transport = transport
  }

  /// Sends the payload, and compares its checksum with the checksum that the service calculated.
  func upload(_ payload: any UploadPayload, _ progress: TransferProgress.Handler?) async throws -> UploadedObject {
    let meter = BodyMeter(
      length: payload.length, .crc64, progress: ProgressMeter(total: payload.length, handler: progress))
    let received = try await send(meter.body(of: payload.stream), meter)
    let limit = requestsCallback ? PresignedTarget.callbackReplyLimit : ServiceError.bodyLimit
    let body = try await received.body.collected(upTo: limit)
    return try target.uploadedObject(
      from: received.response, size: payload.length, checksum: meter.checksum,
      callbackReply: requestsCallback ? body : nil
    )
  }

  /// Sends the request until the response reports success or no retry is left.
  func send(_ body: HTTPBody, _ meter: BodyMeter? = nil) async throws -> HTTPStreamingResponse {
    var request = request
    if request.method == .put { request.headerFields[.contentLength] = "\(body.length)" }
    var plan = RetryPlan(configuration, isRepeatable: true)
    while true {
      let nextStep: RetryPlan.Step?
      let failure: any Error
      do {
        let received = try await transport.send(request, body: body)
        if received.response.isSuccess { return received }
        let (bytes, isTruncated) = try await received.errorBody()
        var error = target.serviceError(in: received.response, body: bytes)
        error.attempts = plan.attempts
        nextStep = isTruncated && !error.isExplained ? plan.step(afterTruncation: error) : plan.step(after: error)
        failure = error
      } catch let error as TransportError {
        if let sourceError = meter?.sourceError, !(sourceError is CancellationError) { throw sourceError }
        if error.code == .cancelled { throw CancellationError() }
        nextStep = plan.step(after: error)
        failure = error
      }
      guard let nextStep else { throw failure }
      plan.attempts += 1
      try await time.sleep(for: nextStep.delay)
    }
  }
}
