internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore

extension Exchange {
  /// Sends an answer, or as much of it as is planned.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - method: The method of the request.
  ///   - writer: Where it goes.
  ///   - read: Reads the bytes of an object.
  /// - Throws: ``ConnectionFault`` where the answer is to end early, which closes the connection.
  @concurrent
  func send(
    _ answer: Answer, to method: HTTPRequest.Method, with writer: consuming ResponseWriter,
    reading read: @escaping @Sendable ([Extent], (ByteBuffer) async throws -> Void) async throws -> Void = { _, _ in }
  ) async throws {
    var head = HTTPResponse(status: answer.status, headerFields: answer.headers)
    let hasLength = answer.status != .noContent && answer.status != .notModified
    if hasLength { head.headerFields[.contentLength] = String(answer.body.byteCount) }
    let hasBody = method != .head && hasLength && answer.body.isSent
    var fault = BodyFault(plan.main?.kind, byteCount: hasBody ? answer.body.byteCount : 0, sleep: sleep)
    if !hasBody || fault?.limit == 0 {
      try await fault?.inject()
      fault = nil
    }
    guard hasBody else { return try await writer.writeResponse(head) }
    if fault == nil, case .bytes(let bytes) = answer.body {
      return try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
    if fault == nil, answer.body.byteCount <= BlobStore.chunkByteCount {
      // One write for all of the answer.
      var whole = ByteBuffer()
      try await answer.body.forEachPiece(reading: read) { piece in
        var piece = piece
        if whole.readableBytes == 0 { whole = piece } else { whole.writeBuffer(&piece) }
      }
      return try await writer.write(response: head, body: ResponseBody(byteBuffer: whole))
    }
    var body = try await writer.writeHead(head)
    try await answer.body.forEachPiece(reading: read) { piece in
      var piece = piece
      if let first = fault?.slice(of: &piece) {
        if first.readableBytes > 0 { try await body.write(first) }
        try await fault?.inject()
        fault = nil
      }
      if piece.readableBytes > 0 { try await body.write(piece) }
    }
    try await body.finish(nil)
  }
}

extension Answer.Body {
  /// The Content-Length.
  var byteCount: Int64 {
    switch self {
    case .none: 0
    case .bytes(let bytes): Int64(bytes.count)
    case .extents(_, let byteCount), .head(let byteCount): byteCount
    }
  }

  /// Whether there are bytes that follow the head.
  fileprivate var isSent: Bool {
    switch self {
    case .none, .head: false
    case .bytes, .extents: true
    }
  }

  /// Passes on the bytes piece by piece.
  fileprivate func forEachPiece(
    reading read: @Sendable @escaping ([Extent], (ByteBuffer) async throws -> Void) async throws -> Void,
    _ consume: (ByteBuffer) async throws -> Void
  ) async throws {
    switch self {
    case .none, .head: break
    case .bytes(let bytes): try await consume(ByteBuffer(bytes: bytes))
    case .extents(let extents, _): try await read(extents, consume)
    }
  }
}

/// What happens at a place in the body of an answer.
private struct BodyFault {
  /// The place.
  let limit: Int64
  private let pause: Duration?
  private let sleep: @Sendable @concurrent (Duration) async throws -> Void
  private var sent: Int64 = 0

  init?(
    _ kind: LocalCloud.Fault.Kind?, byteCount: Int64,
    sleep: @escaping @Sendable @concurrent (Duration) async throws -> Void
  ) {
    switch kind {
    case .cut(let bytes):
      limit = max(min(Int64(bytes), byteCount - 1), 0)
      pause = nil
    case .stall(let duration, let bytes):
      limit = min(Int64(bytes), byteCount)
      pause = duration
    default: return nil
    }
    self.sleep = sleep
  }

  /// Cuts off what comes before the place, if that lies in a piece of the body.
  ///
  /// - Parameter piece: The piece, which the cut bytes are taken from.
  /// - Returns: Nothing for a piece that lies before the place.
  mutating func slice(of piece: inout ByteBuffer) -> ByteBuffer? {
    guard sent + Int64(piece.readableBytes) >= limit else {
      sent += Int64(piece.readableBytes)
      return nil
    }
    return piece.readSlice(length: Int(limit - sent))
  }

  /// Waits, or ends the answer.
  func inject() async throws {
    guard let pause else { throw ConnectionFault() }
    try await sleep(pause)
  }
}
