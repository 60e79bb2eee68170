// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
  private let recorded = Lock<[RecordedRequest]>([])
  private let inFlight = Lock((now: 0, highest: 0))
  private let tally = Tally()
  private let gate = Gate()

  /// Creates a transport that returns the responses of a closure.
  ///
  /// - Parameter script: A closure that returns the response to a request.
  public init(_ script: @escaping Script) {
    self.script = script
  }

  /// Creates a transport that returns the responses in a list, one for each request.
  ///
  /// - Parameter replies: The responses. After the last response, the connection fails.
  public convenience init(_ replies: [HTTPStreamingResponse]) {
    let next = Lock(replies[...])
    self.init { request throws(TransportError) in
      guard let reply = next.withLock({ $0.popFirst() }) else {
        throw TransportError(
          .connectionFailed, "The script has no response left for \(request.method).",
          remedy: "Pass the transport a response for each request.")
      }
      return reply
    }
  }

  /// The requests that have been sent so far, in order.
  public var requests: [RecordedRequest] { recorded.withLock { $0 } }

  /// The maximum number of requests that were in flight at the same time.
  public var highestInFlight: Int { inFlight.withLock { $0.highest } }

  /// Holds all responses from now on: the transport records requests, but does not respond to them.
  public func hold() {
    gate.close()
  }

  /// Releases the held responses, and stops holding new responses.
  public func release() {
    gate.open()
  }

  /// Waits until the given number of requests has been sent, or the task is cancelled.
  ///
  /// - Parameter count: The number of requests since the transport was created.
  public func wait(forRequests count: Int) async {
    await tally.reached(count)
  }

  /// Records a request and returns the scripted response to it.
  ///
  /// - Parameters:
  ///   - request: The head of the request.
  ///   - body: The body of the request, which is read to its end.
  /// - Returns: The scripted response.
  /// - Throws: The scripted error, or a `TransportError` with the code `connectionLost` if the body cannot be read, or
  ///   `cancelled` if the task is cancelled while the response is held.
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
