public import HTTPTypes
public import StorageAuth

/// A transport without a network: it records what is sent and answers what a test says.
///
/// ```swift
/// let transport = ScriptedTransport([.json(#"{"StatusCode":200, …}"#), .status(503)])
/// let transport = ScriptedTransport { request in request.path == "/token" ? .json(token) : .status(404) }
/// XCTAssertEqual(transport.requests.map(\.method), [.get])
/// ```
public final class ScriptedTransport: HTTPTransport {
  /// Makes the answer to a request.
  public typealias Script =
    @Sendable @concurrent (RecordedRequest) async throws(TransportError) -> HTTPStreamingResponse

  private let script: Script
  private let recorded = Lock<[RecordedRequest]>([])
  private let inFlight = Lock((now: 0, highest: 0))
  private let tally = Tally()
  private let gate = Gate()

  /// Answers by a function.
  ///
  /// - Parameter script: Makes the answer to a request.
  public init(_ script: @escaping Script) {
    self.script = script
  }

  /// Answers by a list, one answer a request; then the connection fails.
  public convenience init(_ replies: [HTTPStreamingResponse]) {
    let next = Lock(replies[...])
    self.init { request throws(TransportError) in
      guard let reply = next.withLock({ $0.popFirst() }) else {
        throw TransportError(
          .connectionFailed, "The script has no answer left for \(request.method).",
          remedy: "Give the scripted transport an answer for each request.")
      }
      return reply
    }
  }

  /// What was sent, in order.
  public var requests: [RecordedRequest] { recorded.withLock { $0 } }

  /// The most requests that were under way at once.
  public var highestInFlight: Int { inFlight.withLock { $0.highest } }

  /// Holds answers back from now on: requests are recorded, and not answered.
  public func hold() {
    gate.close()
  }

  /// Answers the requests that are held, and those that come.
  public func release() {
    gate.open()
  }

  /// Waits until as many requests were sent, or the task is cancelled.
  public func wait(forRequests count: Int) async {
    await tally.reached(count)
  }

  /// Records a request and answers it.
  ///
  /// - Throws: What the script says; `connectionLost` if the body cannot be read; `cancelled` if the task is cancelled
  ///   while the answer is held.
  public func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    inFlight.withLock { $0 = ($0.now + 1, max($0.highest, $0.now + 1)) }
    defer { inFlight.withLock { $0.now -= 1 } }
    let sent = RecordedRequest(head: request, body: try await Self.bytes(of: body))
    recorded.withLock { $0.append(sent) }
    tally.add(1)
    do {
      try await gate.pass()
    } catch {
      throw .cancelledWait
    }
    return try await script(sent)
  }

  private static func bytes(of body: HTTPBody) async throws(TransportError) -> [UInt8] {
    switch body.content {
    case .none: return []
    case .bytes(let bytes): return bytes
    case .stream(let stream):
      do {
        var bytes: [UInt8] = []
        for try await chunk in stream { bytes += chunk }
        return bytes
      } catch {
        throw TransportError(
          .connectionLost, "The body of the request could not be read.", remedy: "Look at the stream of the body.")
      }
    }
  }
}

extension ScriptedTransport: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// How many requests were sent.
  public var description: String { "ScriptedTransport(\(requests.count) requests)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror of the description alone.
  public var customMirror: Mirror { Mirror(self, children: ["requests": requests.map(\.description)]) }
}

extension TransportError {
  static let cancelledWait = TransportError(
    .cancelled, "The wait for a scripted answer was cancelled.", remedy: "Release the transport, or step the time.")
}
