// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import StorageAuth
package import StorageClient

/// A transport without a network that records requests and returns the responses that the test provides.
package final class RecordingTransport: HTTPTransport {
  /// A request as it would have been sent, with its body read to the end.
  package struct Recorded: Sendable {
    package var method: HTTPRequest.Method
    package var url: String
    package var path: String
    package var headers: HTTPFields
    package var body: [UInt8]

    /// The key in the path, with its percent-encoding, for a bucket in the path or in the host.
    package var key: String {
      let path = path.split(separator: "?", maxSplits: 1).first ?? ""
      return path.split(separator: "/").last.map(String.init) ?? ""
    }

    /// The bucket in the path or in the host.
    package var bucket: String {
      let path = path.split(separator: "?", maxSplits: 1).first ?? ""
      let parts = path.split(separator: "/")
      if parts.count > 1 { return String(parts[0]) }
      return url.split(separator: "/").dropFirst().first?.split(separator: ".").first.map(String.init) ?? ""
    }

    /// Returns the encoded value of a query parameter: an empty string if it has no value, `nil` if it is absent.
    package func parameter(_ name: String) -> String? {
      let query = path.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
      for pair in query.split(separator: "&") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        if parts[0] == name { return parts.count > 1 ? String(parts[1]) : "" }
      }
      return nil
    }
  }

  package typealias Handler = @Sendable (Recorded) async throws(TransportError) -> HTTPStreamingResponse

  private let handler: Handler
  private let recorded = Lock<[Recorded]>([])
  private let gauge = Lock((current: 0, highest: 0))

  package init(_ handler: @escaping Handler) {
    self.handler = handler
  }

  /// Returns the given responses in order.
  package convenience init(replies: [HTTPStreamingResponse]) {
    let rest = ReplyQueue(replies)
    self.init { _ in rest.next() }
  }

  /// The requests that were sent, in order.
  package var requests: [Recorded] { recorded.withLock { $0 } }

  /// The highest number of concurrent requests.
  package var highestInFlight: Int { gauge.withLock { $0.highest } }

  package func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    gauge.withLock { gauge in
      gauge.current += 1
      gauge.highest = max(gauge.highest, gauge.current)
    }
    defer { gauge.withLock { $0.current -= 1 } }
    let sent = Recorded(
      method: request.method, url: "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")",
      path: request.path ?? "", headers: request.headerFields, body: try await bytes(of: body))
    recorded.withLock { $0.append(sent) }
    return try await handler(sent)
  }

  private func bytes(of body: HTTPBody) async throws(TransportError) -> [UInt8] {
    switch body.content {
    case .none: return []
    case .bytes(let bytes): return bytes
    case .stream(let stream):
      do {
        var bytes: [UInt8] = []
        for try await chunk in stream { bytes += chunk }
        return bytes
      } catch {
        throw TransportError(.connectionLost, "The body failed.", remedy: "None.")
      }
    }
  }
}

private final class ReplyQueue: Sendable {
  private let rest: Lock<[HTTPStreamingResponse]>

  init(_ replies: [HTTPStreamingResponse]) {
    rest = Lock(replies)
  }

  func next() -> HTTPStreamingResponse {
    rest.withLock { $0.isEmpty ? HTTPStreamingResponse(500, "no more replies") : $0.removeFirst() }
  }
}

extension HTTPStreamingResponse {
  /// Creates a response with a short body.
  package init(_ status: Int, _ body: String = "", _ headers: [String: String] = [:]) {
    self.init(status, Array(body.utf8), headers)
  }

  /// Creates a response with bytes as its body.
  ///
  /// A success has an entity tag, unless its value is an empty string.
  package init(_ status: Int, _ body: [UInt8], _ headers: [String: String] = [:]) {
    var response = HTTPResponse(status: .init(code: status))
    for (name, value) in headers {
      if let name = HTTPField.Name(name) { response.headerFields[name] = value }
    }
    if status == 200 || status == 206, headers["ETag"] == nil { response.headerFields[.eTag] = "\"E\"" }
    if headers["ETag"] == "" { response.headerFields[.eTag] = nil }
    if response.headerFields[.contentLength] == nil { response.headerFields[.contentLength] = "\(body.count)" }
    self.init(response: response, body: ByteStream(body))
  }
}
