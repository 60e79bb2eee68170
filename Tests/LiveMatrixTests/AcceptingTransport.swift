// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageClient

/// A transport to a service of S3 that accepts every signature: what was refused is sent again with a valid one.
struct AcceptingTransport: HTTPTransport {
  let base: any HTTPTransport
  let key: AccessKey
  let region: String

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    let reply = try await base.send(request, body: body)
    guard [400, 403].contains(reply.response.status.code), request.method == .get else { return reply }
    var unsigned = request
    for field in request.headerFields where field.name.canonicalName.hasPrefix("x-amz-") {
      unsigned.headerFields[field.name] = nil
    }
    unsigned.headerFields[.authorization] = nil
    let parts = (request.path ?? "").split(separator: "?", maxSplits: 1)
    let parameters = parts.dropFirst().joined().split(separator: "&").filter { !$0.hasPrefix("X-Amz-") }
    unsigned.path = parts[0] + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    guard let signed = try? S3Signer(region: region).signed(unsigned, with: key, in: .now) else { return reply }
    return try await base.send(signed, body: .none)
  }
}
