// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageClient

/// A transport that counts requests and bytes, and remembers the ID that the service gave to the last request.
final class CountingTransport: HTTPTransport {
  /// The numbers of requests and bytes, and the ID of the last request.
  struct Counts: Sendable {
    var requests = 0
    var bytes: Int64 = 0
    var requestID: String?
  }

  private let base: any HTTPTransport
  private let state = Lock(Counts())

  init(_ base: any HTTPTransport) { self.base = base }

  var counts: Counts { state.withLock { $0 } }

  /// Forgets the last request, before a step.
  func forgetRequestID() { state.withLock { $0.requestID = nil } }

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    state.withLock {
      $0.requests += 1
      $0.bytes += body.length
    }
    let reply = try await base.send(request, body: body)
    let fields = reply.response.headerFields
    let received = request.method == .head ? nil : fields[.contentLength].flatMap { Int64(digits: $0) }
    let requestID = fields.first { $0.name.canonicalName.hasSuffix("-request-id") }?.value
    state.withLock {
      $0.bytes = $0.bytes.saturatingAdding(received ?? 0)
      $0.requestID = requestID ?? $0.requestID
    }
    return reply
  }
}
