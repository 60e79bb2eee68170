// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// An HTTP transport without a network, which records requests and returns scripted responses.
///
/// ```swift
/// let transport = ScriptedTransport([.json(#"{"StatusCode":200, …}"#), .status(503)])
/// let transport = ScriptedTransport { request in request.path == "/token" ? .json(token) : .status(404) }
/// XCTAssertEqual(transport.requests.map(\.method), [.get])
/// ```
public final class ScriptedTransport: HTTPTransport {
  /// The type of a closure that returns the response to a request.
  public typealias Script =
    @Sendable @concurrent (RecordedRequest) async throws(TransportError) -> HTTPStreamingResponse

  private let script: Script
  private let recording = Recording<RecordedRequest>()
  private let inFlightCounts = Lock((current: 0, highest: 0))
  private let responseGate = Gate()

  /// Creates a transport that returns the responses of a closure.
  public init(_ script: @escaping Script) { self.script = script }

  /// Creates a transport that returns the responses in a list, one for each request, after which the connection fails.
  public convenience init(_ responses: [HTTPStreamingResponse]) {
    let remainingResponses = Lock(responses[...])
    self.init { request throws(TransportError) in
      guard let response = remainingResponses.withLock({ $0.popFirst() }) else {
        throw TransportError(
          .connectionFailed, "The script has no response left for \(request.method).",
          remedy: "Pass the transport a response for each request.")
      }
      return response
    }
  }

  /// The requests that have been sent so far, in order.
  public var requests: [RecordedRequest] { recording.values }

  /// The maximum number of requests that were in flight at the same time.
  public var highestInFlight: Int { inFlightCounts.withLock { $0.highest } }

  /// Holds all responses from now on: the transport records requests, but does not respond to them.
  public func hold() { responseGate.close() }

  /// Releases the held responses, and stops holding new responses.
  public func release() { responseGate.open() }

  /// Waits until the given number of requests has been sent since the creation, or the task is cancelled.
  public func wait(forRequests count: Int) async { await recording.wait(for: count) }

  /// Records a request with its body, which is read to its end, and returns the scripted response to it.
  ///
  /// - Throws: The scripted error, or a `TransportError` with the code `connectionLost` if the body cannot be read, or
  ///   `cancelled` if the task is cancelled while the response is held.
  public func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    inFlightCounts.withLock { counts in counts = (counts.current + 1, max(counts.highest, counts.current + 1)) }
    defer { inFlightCounts.withLock { $0.current -= 1 } }
    let recordedRequest = RecordedRequest(head: request, body: try await Self.bytes(of: body))
    recording.add(recordedRequest)
    do { try await responseGate.pass() } catch { throw .cancelledWait }
    return try await script(recordedRequest)
  }

  private static func bytes(of body: HTTPBody) async throws(TransportError) -> [UInt8] {
    switch body.content {
    case .none: return []
    case .bytes(let bytes): return bytes
    case .stream(let stream):
      do { return try await stream.collected(upTo: .max) ?? [] } catch {
        throw TransportError(
          .connectionLost, "The body of the request could not be read.", remedy: "Check the stream of the body.")
      }
    }
  }
}

extension ScriptedTransport: Redacted {
  /// The number of requests that were sent.
  public var description: String { "ScriptedTransport(\(requests.count) requests)" }
}

extension TransportError {
  static let cancelledWait = TransportError(
    .cancelled, "The wait for a scripted response was cancelled.", remedy: "Release the transport, or step the time.")
}

extension HTTPStreamingResponse {
  /// Returns a scripted response with the given status and body, whose length is the `Content-Length`.
  ///
  /// `headers` are additional headers by name. An invalid header name is ignored.
  public static func status(
    _ code: Int, _ body: [UInt8] = [], headers: [String: String] = [:]
  ) -> HTTPStreamingResponse {
    var response = HTTPResponse(status: .init(code: code))
    response.headerFields[.contentLength] = "\(body.count)"
    for (name, value) in headers {
      if let fieldName = HTTPField.Name(name) { response.headerFields[fieldName] = value }
    }
    return HTTPStreamingResponse(response: response, body: ByteStream(body))
  }

  /// Returns a scripted response with a text body, and with `type` as the value of `Content-Type`.
  ///
  /// `headers` are additional headers by name. An invalid header name is ignored.
  public static func text(
    _ text: String, status code: Int = 200, type: String = "text/plain; charset=utf-8", headers: [String: String] = [:]
  ) -> HTTPStreamingResponse {
    status(code, Array(text.utf8), headers: ["Content-Type": type].merging(headers) { $1 })
  }

  /// Returns a scripted response with a JSON body; the other parameters are those of a response with a text body.
  public static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> HTTPStreamingResponse {
    self.text(text, status: status, type: "application/json", headers: headers)
  }

  /// Returns a scripted response with an XML body; the other parameters are those of a response with a text body.
  public static func xml(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> HTTPStreamingResponse {
    self.text(text, status: status, type: "application/xml", headers: headers)
  }

  /// Returns a copy of the response whose connection is lost after a number of body bytes, or after a shorter body.
  public func cut(afterBytes count: Int) -> HTTPStreamingResponse {
    replacingReaders { iterator in
      var remainingByteCount = count
      return {
        guard remainingByteCount > 0, let chunk = try await iterator.next() else {
          throw TransportError(
            .connectionLost, "The connection was lost during the response.", remedy: "Send the request again.")
        }
        let arrivingBytes = chunk.prefix(remainingByteCount)
        remainingByteCount -= arrivingBytes.count
        return Array(arrivingBytes)
      }
    }
  }

  /// Returns a copy of the response whose body arrives in chunks, with a pause before each chunk.
  ///
  /// `size` is the maximum size of a chunk in bytes, at least 1. The clock `time` measures the pauses; with
  /// ``ManualClock``, a test controls when they end.
  public func slowed(by pause: Duration, chunk size: Int = 1_024, on time: any SigningClock) -> HTTPStreamingResponse {
    replacingReaders { iterator in
      var unreadBytes: ArraySlice<UInt8> = []
      return {
        while unreadBytes.isEmpty {
          guard let chunk = try await iterator.next() else { return nil }
          unreadBytes = chunk[...]
        }
        try await time.sleep(for: pause)
        defer { unreadBytes = unreadBytes.dropFirst(max(size, 1)) }
        return Array(unreadBytes.prefix(max(size, 1)))
      }
    }
  }

  /// Returns a copy of the response whose body is read by another reader, made from an iterator of the original body.
  private func replacingReaders(
    _ makeReader: @escaping @Sendable (ByteStream.AsyncIterator) -> ByteStream.Reader
  ) -> HTTPStreamingResponse {
    var copy = self
    copy.body = ByteStream { [body] in makeReader(body.makeAsyncIterator()) }
    return copy
  }

  /// Returns the response after a delay, which the clock `time` measures.
  ///
  /// - Throws: `TransportError` with the code `cancelled` if the task is cancelled during the delay.
  public func delayed(
    by delay: Duration, on time: any SigningClock
  ) async throws(TransportError) -> HTTPStreamingResponse {
    do { try await time.sleep(for: delay) } catch { throw .cancelledWait }
    return self
  }
}
