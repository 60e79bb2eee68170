// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth

/// A transport whose responses a closure changes.
struct EditingTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let edit: @Sendable (HTTPRequest, inout HTTPStreamingResponse) -> Void

  init(_ base: any HTTPTransport, _ edit: @escaping @Sendable (HTTPRequest, inout HTTPStreamingResponse) -> Void) {
    self.base = base
    self.edit = edit
  }

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    var reply = try await base.send(request, body: body)
    edit(request, &reply)
    return reply
  }
}
