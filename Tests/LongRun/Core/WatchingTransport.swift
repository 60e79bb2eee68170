// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageClient

/// Sends requests, and counts the unsigned ones and the lost responses.
final class WatchingTransport: HTTPTransport {
  struct Counts: Sendable {
    var requests = 0
    /// The number of requests without a signature.
    var unsigned = 0
    /// The number of uploads whose response was lost or replaced by another, by path.
    var lostAnswers: [String: Int] = [:]
  }

  private let transport: any HTTPTransport
  private let state = Lock(Counts())

  init(_ transport: any HTTPTransport) {
    self.transport = transport
  }

  var counts: Counts { state.withLock { $0 } }

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    let path = String((request.path ?? "").prefix { $0 != "?" })
    let isWhole = request.method == .put && request.path?.contains("?") == false
    state.withLock { state in
      state.requests += 1
      if request.headerFields[.authorization]?.isEmpty ?? true { state.unsigned += 1 }
    }
    do throws(TransportError) {
      let reply = try await transport.send(request, body: body)
      if isWhole, reply.response.status.code == Store.lossStatus {
        state.withLock { $0.lostAnswers[path, default: 0] += 1 }
      }
      return reply
    } catch {
      if isWhole { state.withLock { $0.lostAnswers[path, default: 0] += 1 } }
      throw error
    }
  }
}
