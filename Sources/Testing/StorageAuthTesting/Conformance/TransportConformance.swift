// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A conformance suite for transports, which checks an implementation against each ``TransportRule``.
///
/// Its servers on 127.0.0.1 record requests byte for byte, and answer slowly, partially or not at all:
///
/// ```swift
/// try await TransportConformance.check { MyTransport() }
/// ```
///
/// A report lists all rules. The rule about idle connections needs a transport with a short limit:
///
/// ```swift
/// let report = await TransportConformance(idleLimit: .seconds(1), impatient: { MyTransport(idle: .seconds(1)) }) {
///   MyTransport()
/// }.report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct TransportConformance<Subject: HTTPTransport>: Sendable {
  /// The number of concurrent requests, all of which the transport must have in flight at once.
  public let concurrency: Int

  /// The time limit for each call, measured with the machine's clock.
  ///
  /// A call that takes longer breaks its rule, and the suite stops waiting for it.
  public let patience: Duration

  /// The limit for idle connections of the transports that `impatient` creates.
  public let idleLimit: Duration
  let makeTransport: @Sendable () -> Subject
  let makeTransportWithIdleLimit: (@Sendable () -> Subject)?

  /// Creates a suite for a transport.
  ///
  /// `impatient` creates a transport with the idle limit; it is `nil` to skip the rule about the limit. `makeTransport`
  /// creates a transport, and is called for each rule. The other parameters are the properties.
  public init(
    concurrency: Int = 64, patience: Duration = .seconds(20), idleLimit: Duration = .seconds(1),
    impatient: (@Sendable () -> Subject)? = nil, _ makeTransport: @escaping @Sendable () -> Subject
  ) {
    self.concurrency = concurrency
    self.patience = patience
    self.idleLimit = idleLimit
    self.makeTransport = makeTransport
    makeTransportWithIdleLimit = impatient
  }

  /// Checks the transports that a closure creates, one for each of the rules.
  ///
  /// - Throws: A ``ConformanceFailure`` with the report if a transport breaks a rule.
  public static func check(_ makeTransport: @escaping @Sendable () -> Subject) async throws(ConformanceFailure) {
    try await TransportConformance(makeTransport).report().throwIfFailed()
  }

  /// Checks rules, and returns a report about the transport with one check for each of them.
  public func report(_ rules: [TransportRule] = TransportRule.allCases) async -> ConformanceReport {
    await ConformanceReport(of: Subject.self, rules) { rule in try await check(rule, makeTransport()) }
  }

  private func check(_ rule: TransportRule, _ transport: Subject) async throws -> Int {
    switch rule {
    case .path: try await checkPath(transport)
    case .unusualPath: try await checkUnusualPath(transport)
    case .headers: try await checkHeaders(transport)
    case .unusualHeaders: try await checkUnusualHeaders(transport)
    case .addedHeaders: try await checkAddedHeaders(transport)
    case .contentLength: try await checkContentLength(transport)
    case .lazyUpload: try await checkLazyUpload(transport)
    case .repeatedBody: try await checkRepeatedBody(transport)
    case .shortBody: try await checkIncompleteBody(transport, TestBody(length: 20_000, produced: 10_000))
    case .longBody: try await checkIncompleteBody(transport, TestBody(length: 20_000, produced: 30_000))
    case .failingBody:
      try await checkIncompleteBody(transport, TestBody(length: 20_000, produced: 10_000, error: BodyFailure()))
    case .earlyResponse: try await checkEarlyResponse(transport)
    case .lazyDownload: try await checkLazyDownload(transport)
    case .redirects: try await checkRedirects(transport)
    case .contentEncoding: try await checkContentEncoding(transport)
    case .framing: try await checkFraming(transport)
    case .trailer: try await checkTrailer(transport)
    case .cookies: try await checkCookies(transport)
    case .cache: try await checkCache(transport)
    case .challenge: try await checkChallenge(transport)
    case .head: try await checkHead(transport)
    case .bodilessStatus: try await checkBodilessStatus(transport)
    case .informational: try await checkInformational(transport)
    case .truncation: try await checkErrors(transport, of: [.partialBody, .partialChunk, .resetBody], .connectionLost)
    case .truncatedHead: try await checkErrors(transport, of: [.partialHead], .connectionLost)
    case .refusal: try await checkRefusal(transport)
    case .loss: try await checkErrors(transport, of: [.nothing, .reset], .connectionLost)
    case .malformed: try await checkErrors(transport, of: [.garbage, .lowStatus, .negativeLength])
    case .recovery: try await checkRecovery(transport)
    case .repetition: try await checkRepetition(transport)
    case .idleLimit: try await checkIdleLimit()
    case .cancellation: try await checkCancellation(transport)
    case .concurrency: try await checkConcurrency(transport)
    case .release: try await checkRelease(transport)
    case .secrecy: try await checkSecrecy(transport)
    }
  }
}

/// A rule that an implementation of `HTTPTransport` must follow.
public enum TransportRule: String, CaseIterable, Sendable {
  /// The transport sends the path and the query unchanged.
  case path = "the path and the query of a signed request arrive byte for byte"
  /// The transport does not change an unusual path.
  case unusualPath = "an unusual path or query arrives byte for byte, or the request is rejected as invalid"
  /// The transport sends the header fields unchanged.
  case headers = "each header field arrives once with the same value, and Host is the authority"
  /// The transport does not change unusual header fields.
  case unusualHeaders = "an empty, repeated or non-ASCII header field arrives unchanged, or the request is rejected"
  /// The transport adds no header that changes the meaning of the request.
  case addedHeaders = "no header is added that the service would interpret"
  /// The transport sends a body with its length.
  case contentLength = "a body is sent with Content-Length, and without chunked encoding"
  /// The transport reads a streamed body as it sends it.
  case lazyUpload = "a streamed body is read only as far as the server accepts it"
  /// The transport starts a streamed body over for each request.
  case repeatedBody = "a streamed body can be sent again with a second request"
  /// The transport rejects a body that ends early.
  case shortBody = "a body that ends before its length fails, and the server does not receive a complete request"
  /// The transport rejects a body that continues after its length.
  case longBody = "a body that continues after its length fails, and the server receives no byte after the length"
  /// The transport reports a body that cannot be read.
  case failingBody = "a body that throws fails, and the server does not receive a complete request"
  /// The transport returns a response that arrives before the body has been sent.
  case earlyResponse = "a response that arrives during the upload is returned"
  /// The transport reads a response only as fast as its reader.
  case lazyDownload = "a response is received only as far as its body is read"
  /// The transport returns redirects.
  case redirects = "a redirect is returned and not followed"
  /// The transport returns the stored bytes.
  case contentEncoding = "a compressed body is returned as it was sent, or the response is rejected as invalid"
  /// The transport finds the end of a response.
  case framing = "a response with chunked encoding, or until the end of the connection, is returned whole"
  /// The transport skips the fields after a chunked body (Foundation of Swift 6.3 ends the process on Linux).
  case trailer = "the fields after a chunked body are not part of the body"
  /// The transport stores no cookies.
  case cookies = "a cookie of one response is not sent with the next request"
  /// The transport stores no responses.
  case cache = "a response that may be cached is requested again"
  /// The transport stores no credentials and answers no challenge.
  case challenge = "a response with status 401 and a challenge is returned, and the request is not repeated"
  /// The transport returns the head of a response to HEAD.
  case head = "the response to HEAD has its Content-Length and an empty body"
  /// The transport returns responses without a body.
  case bodilessStatus = "responses with status 204 and 304 have an empty body"
  /// The transport skips informational responses.
  case informational = "informational responses are followed by the final response"
  /// The transport reports a truncated body.
  case truncation = "a response whose body ends early has the code connectionLost"
  /// The transport reports a truncated head (Foundation of Swift 6.3 terminates the process on Linux).
  case truncatedHead = "a response whose head ends early has the code connectionLost"
  /// The transport reports a connection that cannot be established.
  case refusal = "a refused connection has the code connectionFailed"
  /// The transport reports a lost connection.
  case loss = "a connection that is closed or reset before the response has the code connectionLost"
  /// The transport rejects what is not HTTP.
  case malformed = "a malformed response is an error"
  /// The transport continues to work after errors.
  case recovery = "the transport sends requests after errors"
  /// The transport does not repeat a request that may have had an effect.
  case repetition = "a POST or PUT whose connection is lost is not sent again"
  /// The transport ends a wait for bytes.
  case idleLimit = "a connection without bytes has the code timeout after the limit"
  /// The transport ends a request when its task is cancelled.
  case cancellation = "cancelling the task ends each phase of a request with the code cancelled, and the connection"
  /// The transport sends requests concurrently.
  case concurrency = "concurrent requests are in flight at the same time"
  /// The transport closes the connection of an unread response.
  case release = "releasing a response without reading its body closes the connection"
  /// The transport does not disclose secrets.
  case secrecy = "no error shows a header, the query or the body"
}

/// A request that a check sends.
struct TestRequest: Sendable {
  var head: HTTPRequest
  let body: HTTPBody
}

/// A response whose body has been read to its end.
struct CompleteResponse: Sendable {
  let head: HTTPResponse
  let body: [UInt8]

  var status: Int { head.status.code }
  var text: String { String(decoding: body, as: UTF8.self) }
}

extension TransportConformance {
  /// The response to a request, whose body is unread, or the error of the transport.
  typealias Outcome = Result<HTTPStreamingResponse, TransportError>

  func server(
    _ serve: @escaping @Sendable (LoopbackConnection) throws -> Void
  ) throws(LoopbackError) -> LoopbackServer { try LoopbackServer(patience: patience, serve) }

  /// Starts a server that records requests with their bodies, and sends a response to each of them.
  func recordingServer(
    _ respond: @escaping @Sendable (WireRequest) -> String
  ) throws(LoopbackError) -> (server: LoopbackServer, recording: Recording<WireRequest>) {
    let recording = Recording<WireRequest>()
    let server = try server { connection in
      while true {
        let request = try connection.readRequest()
        recording.add(request)
        try connection.send(respond(request))
      }
    }
    return (server, recording)
  }

  /// Returns a request to a server, with the header fields that describe its body.
  func request(
    _ method: HTTPRequest.Method = .get, _ path: String = "/photos/cat.jpg", to server: LoopbackServer,
    body: HTTPBody = .none
  ) -> TestRequest {
    var head = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(server.port)", path: path)
    if body.length > 0 || method == .put { head.headerFields[.contentLength] = "\(body.length)" }
    if body.length > 0 { head.headerFields[.contentType] = "application/octet-stream" }
    return TestRequest(head: head, body: body)
  }

  /// Sends a request, and returns the outcome, which must be known in time.
  func outcome(_ transport: Subject, _ request: TestRequest) async throws(Violation) -> Outcome {
    let outcome = await answered(within: patience) {
      await Outcome.catching { () throws(TransportError) in
        try await transport.send(request.head, body: request.body)
      }
    }
    guard let outcome else { throw Violation("send(_:body:) did not return within \(patience)") }
    return outcome
  }

  /// Reads the body of a response, which must end in time.
  func completeResponse(
    _ response: HTTPStreamingResponse
  ) async throws(Violation) -> Result<CompleteResponse, any Error> {
    let result = await answered(within: patience) {
      await Result<CompleteResponse, any Error>.catching {
        CompleteResponse(head: response.response, body: try await response.body.collected(upTo: .max) ?? [])
      }
    }
    guard let result else { throw Violation("the body did not end within \(patience)") }
    return result
  }

  /// Sends a request, and returns the whole response or the error.
  func exchange(
    _ transport: Subject, _ request: TestRequest
  ) async throws(Violation) -> Result<CompleteResponse, any Error> {
    switch try await outcome(transport, request) {
    case .success(let response): try await completeResponse(response)
    case .failure(let error): .failure(error)
    }
  }

  /// Sends a request and returns the whole response, which must arrive.
  func response(_ transport: Subject, _ request: TestRequest) async throws(Violation) -> CompleteResponse {
    switch try await exchange(transport, request) {
    case .success(let response): return response
    case .failure(let error as TransportError):
      throw Violation("\(request.head.method) failed with the code \(error.code): \(error.message)")
    case .failure(let error): throw Violation("\(request.head.method) threw \(type(of: error)), not a TransportError")
    }
  }

  /// Sends a request and returns the error, which must be thrown before the end of the response.
  func failure(
    _ transport: Subject, _ request: TestRequest, of label: String
  ) async throws(Violation) -> TransportError {
    switch try await exchange(transport, request) {
    case .success(let response): throw Violation("\(label) gave a response with status \(response.status)")
    case .failure(let error as TransportError): return error
    case .failure(let error): throw Violation("\(label) threw \(type(of: error)), not a TransportError")
    }
  }

  func requireCode(_ code: TransportError.Code, of error: TransportError, in label: String) throws(Violation) {
    try require(error.code == code, "\(label) has the code \(error.code), not \(code)")
  }
}

/// The error of a body that fails; the transport's error must not contain its description.
struct BodyFailure: Error, CustomStringConvertible { var description: String { "body0canary" } }

/// A streamed body whose bytes depend on their position, and whose read bytes are counted.
struct TestBody: Sendable {
  private static let chunkSize = 16_384

  let length: Int
  let producedByteCount: Int
  let error: (any Error)?
  let readBytes = Tally()

  init(length: Int, produced: Int? = nil, error: (any Error)? = nil) {
    self.length = length
    producedByteCount = produced ?? length
    self.error = error
  }

  static func byte(at position: Int) -> UInt8 { UInt8(truncatingIfNeeded: position / chunkSize) }

  var body: HTTPBody {
    let stream = ByteStream { [producedByteCount, error, readBytes] in
      var position = 0
      return {
        guard position < producedByteCount else {
          if let error { throw error }
          return nil
        }
        let size = min(Self.chunkSize, producedByteCount - position)
        defer { position += size }
        readBytes.add(size)
        return [UInt8](repeating: Self.byte(at: position), count: size)
      }
    }
    return .stream(stream, length: Int64(length))
  }
}
