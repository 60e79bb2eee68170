import HTTPTypes
import StorageClient
import Synchronization

/// A transport without a network: it records what is sent and answers what the test says.
final class ScriptedTransport: HTTPTransport {
  /// A request as it would have gone over the wire, its body read to the end.
  struct Recorded: Sendable {
    var method: HTTPRequest.Method
    var url: String
    var path: String
    var headers: HTTPFields
    var body: [UInt8]

    /// The value of a query parameter, still encoded; empty where there is no value.
    func parameter(_ name: String) -> String? {
      let query = path.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
      for pair in query.split(separator: "&") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        if parts[0] == name { return parts.count > 1 ? String(parts[1]) : "" }
      }
      return nil
    }
  }

  typealias Handler = @Sendable (Recorded) async throws(TransportError) -> HTTPStreamingResponse

  private let handler: Handler
  private let recorded = Mutex<[Recorded]>([])
  private let gauge = Mutex((current: 0, highest: 0))

  init(_ handler: @escaping Handler) {
    self.handler = handler
  }

  /// Answers one request after the other.
  convenience init(replies: [HTTPStreamingResponse]) {
    let rest = ReplyQueue(replies)
    self.init { _ in rest.next() }
  }

  /// What was sent, in order.
  var requests: [Recorded] { recorded.withLock { $0 } }

  /// The most requests that were under way at once.
  var highestInFlight: Int { gauge.withLock { $0.highest } }

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
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
  private let rest: Mutex<[HTTPStreamingResponse]>

  init(_ replies: [HTTPStreamingResponse]) {
    rest = Mutex(replies)
  }

  func next() -> HTTPStreamingResponse {
    rest.withLock { $0.isEmpty ? HTTPStreamingResponse(500, "no more replies") : $0.removeFirst() }
  }
}

extension HTTPStreamingResponse {
  /// An answer with a short body.
  init(_ status: Int, _ body: String = "", _ headers: [String: String] = [:]) {
    self.init(status, Array(body.utf8), headers)
  }

  /// An answer with bytes as its body.
  init(_ status: Int, _ body: [UInt8], _ headers: [String: String] = [:]) {
    var response = HTTPResponse(status: .init(code: status))
    for (name, value) in headers {
      if let name = HTTPField.Name(name) { response.headerFields[name] = value }
    }
    if response.headerFields[.contentLength] == nil { response.headerFields[.contentLength] = "\(body.count)" }
    self.init(response: response, body: ByteStream(body))
  }
}
