// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Dispatch
package import HTTPTypes
package import StorageAuth

#if canImport(FoundationNetworking)
  internal import Foundation
  package import FoundationNetworking
#else
  package import Foundation
#endif

/// A request and its response, from the start of the session's task to the end of the response's body.
final class URLSessionExchange: Sendable {
  typealias Outcome = Result<Void, TransportError>
  /// The next bytes of the body, or `nil` at its end.
  typealias ChunkResult = Result<Data?, TransportError>

  struct State {
    /// The session and its task, until the task ends and the session may serve another exchange.
    var session: TransportSession?
    var task: URLSessionDataTask?
    /// The task that ends the exchange when a time limit is exceeded.
    var watchTask: Task<Void, Never>?
    var head: HTTPResponse?
    var headWaiter: CheckedContinuation<Result<HTTPResponse, TransportError>, Never>?
    var chunks = ChunkQueue()
    var chunkWaiter: CheckedContinuation<ChunkResult, Never>?
    /// Whether the session reports that the response came in a stream of HTTP/2 or HTTP/3, which marks its end.
    var isMultiplexed = false
    var outcome: Outcome?
    var lastActivity = ContinuousClock.now
  }

  let request: ExactRequest
  let timeouts: HTTPTimeouts
  let state = Lock(State())
  private let sessions: Sessions
  private let upload: BodyUpload?

  init(_ request: ExactRequest, on sessions: Sessions, timeouts: HTTPTimeouts) {
    self.request = request
    self.sessions = sessions
    self.timeouts = timeouts
    upload = request.streamedBody.map { BodyUpload($0, host: request.host) }
  }

  /// Starts the task, as soon as the first bytes of the body are available.
  func start() async {
    let watchTask = Task { @concurrent in await self.watchTimeLimits() }
    let isOver = state.withLock { state in
      if state.outcome == nil { state.watchTask = watchTask }
      return state.outcome != nil
    }
    if isOver { watchTask.cancel() }
    let pipe = await upload?.open { [weak self] in self?.end(.failure($0)) }
    // Methods of a session can wait for the session's queue.
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        self.beginTask(pipe)
        continuation.resume()
      }
    }
  }

  private func beginTask(_ pipe: BodyPipe?) {
    guard state.withLock({ $0.outcome == nil }) else { return }
    do throws(TransportError) {
      let session = try sessions.session(for: request)
      var urlRequest = request.urlRequest
      if let pipe {
        pipe.connect(to: session)
        urlRequest.httpBodyStream = pipe.makeInputStream()
      }
      let task = session.urlSession.dataTask(with: urlRequest)
      session.delegate.add(self, for: task)
      let isWanted = state.withLock { state in
        (state.session, state.task) = (session, task)
        state.lastActivity = .now
        return state.outcome == nil
      }
      if isWanted { task.resume() } else { task.cancel() }
    } catch { end(.failure(error)) }
  }

  /// Waits for the head of the response, or for the failure of the exchange.
  func head() async -> Result<HTTPResponse, TransportError> {
    await withCheckedContinuation { continuation in
      let result: Result<HTTPResponse, TransportError>? = state.withLock { state in
        if let head = state.head { return .success(head) }
        if case .failure(let error) = state.outcome { return .failure(error) }
        state.headWaiter = continuation
        return nil
      }
      if let result { continuation.resume(returning: result) }
    }
  }

  /// Ends the exchange; the first outcome counts, and a failure closes the connection.
  func end(_ outcome: Outcome) {
    let endedState: State? = state.withLock { state in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      if case .failure = outcome {
        state.chunks = ChunkQueue()
        // A paused session could not close its connection.
        state.session?.endPauses()
      }
      defer { (state.watchTask, state.headWaiter, state.chunkWaiter) = (nil, nil, nil) }
      return state
    }
    guard let endedState else { return }
    endedState.watchTask?.cancel()
    upload?.stop()
    switch outcome {
    case .success: endedState.chunkWaiter?.resume(returning: .success(nil))
    case .failure(let error):
      endedState.headWaiter?.resume(returning: .failure(error))
      endedState.chunkWaiter?.resume(returning: .failure(error))
      guard let task = endedState.task else { return }
      DispatchQueue.global().async { task.cancel() }
    }
  }

  /// Ends the exchange instead of letting the session repeat the request, which the service may have processed.
  func refuseRepetition() { end(.failure(.lost(host: request.host, reason: "the server closed the connection"))) }

  /// Whether only the end of the connection can have marked the end of the body.
  var endsWithConnection: Bool { !state.withLock { $0.isMultiplexed } }

  /// Records the protocol of the response, such as `http/1.1` or `h2`.
  func recordProtocol(_ name: String) {
    let isMultiplexed = name.hasBytePrefix("h2") || name.hasBytePrefix("h3")
    state.withLock { $0.isMultiplexed = isMultiplexed }
  }

  func recordActivity() { state.withLock { $0.lastActivity = .now } }

  /// Sleeps until the next limit could be exceeded, again and again, and ends the exchange when one is.
  private func watchTimeLimits() async {
    let start = ContinuousClock.now
    while let remainingTime = remainingTime(since: start) {
      guard remainingTime > .zero else { return end(.failure(.timeout(host: request.host))) }
      guard (try? await Task.sleep(for: remainingTime, clock: .continuous)) != nil else { return }
    }
  }

  /// Returns the time until the next limit is exceeded, or `nil` after the end.
  private func remainingTime(since start: ContinuousClock.Instant) -> Duration? {
    let now = ContinuousClock.now
    let isSourceSlow = upload?.isWaitingForSource ?? false
    let lastDelivery = upload?.lastDelivery
    return state.withLock { state in
      guard state.outcome == nil else { return nil }
      // The idle limit restarts while the source of the body or the reader of the response is slow.
      let isWaiting = isSourceSlow || state.chunks.isPaused
      let lastActivity = max(state.lastActivity, lastDelivery ?? state.lastActivity)
      let remainingIdleTime = isWaiting ? timeouts.idle : timeouts.idle - (now - lastActivity)
      guard let limit = timeouts.request, state.head == nil else { return remainingIdleTime }
      return min(remainingIdleTime, limit - (now - start))
    }
  }

  /// Receives the head of a response; the final one resumes the waiter.
  func receive(_ response: HTTPURLResponse) {
    // An informational response is followed by the final one.
    guard response.statusCode >= 200 || response.statusCode == 101 else { return recordActivity() }
    do throws(TransportError) {
      let head = try HTTPResponse(response, to: request)
      let waiter = state.withLock { state in
        state.head = head
        state.lastActivity = .now
        state.chunks.expectedByteCount = request.hasResponseBody(head) ? head.contentLength : nil
        defer { state.headWaiter = nil }
        return state.headWaiter
      }
      waiter?.resume(returning: .success(head))
    } catch { end(.failure(error)) }
  }

  /// Passes bytes of the body to the waiting reader, or keeps them, and pauses the session if they are too many.
  func receive(_ data: Data) {
    guard !data.isEmpty else { return }
    let waiter = state.withLock { state -> CheckedContinuation<ChunkResult, Never>? in
      guard state.outcome == nil else { return nil }
      state.lastActivity = .now
      if let waiter = state.chunkWaiter {
        state.chunkWaiter = nil
        state.chunks.countReceived(data)
        return waiter
      }
      if state.chunks.append(data), let task = state.task { state.session?.pauseReceiving(task) }
      return nil
    }
    waiter?.resume(returning: .success(data))
  }

  func nextChunk() async throws(TransportError) -> Data? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let result = availableChunk(orKeep: continuation) { continuation.resume(returning: result) }
      }
    } onCancel: {
      end(.failure(.cancelled(host: request.host)))
    }
    return try result.get()
  }

  /// Returns the next chunk or the outcome if it is known, or else keeps the waiter and returns `nil`.
  private func availableChunk(orKeep waiter: CheckedContinuation<ChunkResult, Never>) -> ChunkResult? {
    state.withLock { state in
      if let (data, isSpaceFree) = state.chunks.removeFirst() {
        if isSpaceFree, let task = state.task {
          state.lastActivity = .now
          state.session?.resumeReceiving(task)
        }
        return .success(data)
      }
      if let outcome = state.outcome { return outcome.map { nil } }
      state.chunkWaiter = waiter
      return nil
    }
  }

  /// Accepts the end of the task, with the session's error or the last response.
  func complete(_ error: (any Error)?, lastResponse response: HTTPURLResponse?) {
    let session = state.withLock { state in
      defer { (state.session, state.task) = (nil, nil) }
      return state.session
    }
    if let session { sessions.release(session, from: request, isReusable: error == nil) }
    if let error { return end(.failure(TransportError(error, host: request.host))) }
    let (hasHead, isIncomplete) = state.withLock { ($0.head != nil, $0.chunks.isIncomplete) }
    if hasHead {
      guard isIncomplete else { return end(.success(())) }
      return end(.failure(.lost(host: request.host, reason: "the response is shorter than declared")))
    }
    // Foundation withholds a redirect without a location until the task ends, and the body of that response for good.
    guard let response else { return end(.failure(.lost(host: request.host, reason: "there is no response"))) }
    receive(response)
    let isEmpty = state.withLock { state in
      state.head.map { $0.contentLength == 0 || !request.hasResponseBody($0) } ?? false
    }
    end(isEmpty ? .success(()) : .failure(.withheld(host: request.host)))
  }
}

extension ExactRequest {
  func hasResponseBody(_ head: HTTPResponse) -> Bool { !isHead && head.status.code != 204 && head.status.code != 304 }
}

extension HTTPResponse {
  /// The maximum number of header fields in a response; the services send about twenty.
  private static let fieldLimit = 1_000

  /// Creates the head of a response to a request, or throws an error if the session has decoded the body.
  init(_ response: HTTPURLResponse, to request: ExactRequest) throws(TransportError) {
    try self.init(response, from: request.host)
    let encoding = headerFields[.contentEncoding] ?? ""
    if encoding != "", encoding.asciiLowercased != "identity", request.hasResponseBody(self), contentLength != 0 {
      throw .decoded(host: request.host)
    }
  }

  package init(_ response: HTTPURLResponse, from host: String) throws(TransportError) {
    guard (100...999).contains(response.statusCode) else {
      throw .lost(host: host, reason: "the response has the status \(response.statusCode)")
    }
    let fields = response.allHeaderFields
    guard fields.count <= Self.fieldLimit else {
      throw .lost(host: host, reason: "the response has \(fields.count) header fields")
    }
    self.init(status: Status(code: response.statusCode))
    for (name, value) in fields {
      guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else { continue }
      headerFields.append(HTTPField(name: name, value: value))
    }
  }
}

/// The reader of a response's body, which closes the connection when it is released before the end.
final class ResponseReader: Sendable {
  private let exchange: URLSessionExchange

  init(_ exchange: URLSessionExchange) { self.exchange = exchange }
  deinit { exchange.end(.failure(.cancelled(host: exchange.request.host))) }

  var stream: ByteStream {
    ByteStream(chunks: { [self] in
      {
        guard let data = try await self.exchange.nextChunk() else { return nil }
        return ReceivedChunk(data: data)
      }
    })
  }
}

private struct ReceivedChunk: ByteChunk {
  let data: Data

  var byteCount: Int { data.count }
  var array: [UInt8] { Array(data) }

  func withSpan(_ body: (Span<UInt8>) -> Void) { body(data.span) }
  func append(to bytes: inout [UInt8]) { bytes += data }
}

/// The bytes of a response that have arrived and have not been read.
struct ChunkQueue {
  /// The number of buffered bytes from which a connection pauses.
  private static let pauseByteCount = 256 * 1_024
  /// The number of buffered bytes below which a paused connection continues.
  private static let resumeByteCount = 64 * 1_024

  /// The chunks, of which those before `firstIndex` have been read and are empty.
  private var chunks: [Data] = []
  private var firstIndex = 0
  private var byteCount = 0
  private var receivedByteCount: Int64 = 0
  private(set) var isPaused = false
  /// The length of the body according to the head, or `nil` if it is unknown.
  var expectedByteCount: Int64?

  var isIncomplete: Bool { expectedByteCount.map { receivedByteCount < $0 } ?? false }

  /// Counts bytes that have arrived, even those that a waiting reader receives at once.
  mutating func countReceived(_ data: Data) { receivedByteCount += Int64(data.count) }

  /// Appends bytes, and returns whether the connection must pause from now on.
  mutating func append(_ data: Data) -> Bool {
    chunks.append(data)
    byteCount += data.count
    countReceived(data)
    guard byteCount >= Self.pauseByteCount, !isPaused else { return false }
    isPaused = true
    return true
  }

  /// Removes the bytes that arrived first, if any, and returns whether the paused connection must continue.
  mutating func removeFirst() -> (data: Data, isSpaceFree: Bool)? {
    guard firstIndex < chunks.count else { return nil }
    let data = chunks[firstIndex]
    chunks[firstIndex] = Data()
    firstIndex += 1
    // At least half of the chunks are removed, so that no chunk is moved more than once on average.
    if firstIndex * 2 >= chunks.count {
      chunks.removeFirst(firstIndex)
      firstIndex = 0
    }
    byteCount -= data.count
    guard isPaused, byteCount < Self.resumeByteCount else { return (data, false) }
    isPaused = false
    return (data, true)
  }
}
