// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth

/// A request with its record and the faults that are planned for it, which are injected around its operation.
struct Exchange: Sendable {
  let plan: FaultPlan
  let record: RequestRecord?
  let sleep: @Sendable @concurrent (Duration) async throws -> Void

  /// Returns the status of an injected error that replaces the operation, or `nil`.
  func injectFaultsBeforeOperation() async throws -> Int? {
    if plan.delayBefore > .zero { try await sleep(plan.delayBefore) }
    return try injectFailure(in: .before)
  }

  /// Returns the status of an injected error that replaces the answer, or `nil`.
  func injectFaultsAfterOperation(_ answer: inout Answer) async throws -> Int? {
    if plan.delayAfter > .zero { try await sleep(plan.delayAfter) }
    if plan.main?.kind == .malformed, case .bytes(let document) = answer.body {
      answer.body = .bytes(Array(document.prefix(document.count / 2)))
    }
    return try injectFailure(in: .after)
  }

  private func injectFailure(in phase: LocalCloud.Fault.Phase) throws -> Int? {
    guard let fault = plan.main, fault.phase == phase else { return nil }
    switch fault.kind {
    case .serverError(let status):
      record?.note { $0.isFaulty = true }
      return status
    case .disconnect: throw ConnectionFault()
    case .delay, .stall, .cut, .malformed: return nil
    }
  }

  /// Sends a response, whose body can come from files, and injects the planned fault into the body.
  @concurrent func send(
    _ answer: Answer, to method: HTTPRequest.Method, with writer: consuming ResponseWriter, from blobs: BlobStore?
  ) async throws {
    var answer = answer
    if answer.isCompressed { answer.body = .bytes(try await answer.body.compressed(from: blobs)) }
    var head = HTTPResponse(status: answer.status, headerFields: answer.headers)
    let canHaveBody = answer.status != .noContent && answer.status != .notModified
    if canHaveBody, !answer.isCompressed { head.headerFields[.contentLength] = String(answer.body.byteCount) }
    let hasBody = method != .head && canHaveBody && answer.body.byteCount > 0
    let byteCount = hasBody ? answer.body.byteCount : 0
    record?.note { ($0.response, $0.responseByteCount) = (head, byteCount) }
    var fault = BodyFault(plan.main?.kind, byteCount: byteCount)
    if !hasBody || fault?.offset == 0 {
      try await fault?.inject(sleep)
      fault = nil
    }
    guard hasBody else { return try await writer.writeResponse(head) }
    if fault == nil, answer.trafficLimit == nil, byteCount <= BlobStore.chunkByteCount {
      // A small response is sent in a single write.
      let body = try await answer.body.collected(from: blobs)
      return try await writer.write(response: head, body: ResponseBody(byteBuffer: body))
    }
    try await sendPieces(of: answer, head, with: writer, from: blobs, fault)
  }

  /// Sends the pieces of a body at the bandwidth limit of the response, and injects the fault at its offset.
  @concurrent private func sendPieces(
    of answer: Answer, _ head: HTTPResponse, with writer: consuming ResponseWriter, from blobs: BlobStore?,
    _ bodyFault: BodyFault?
  ) async throws {
    var fault = bodyFault
    var body = try await writer.writeHead(head)
    try await answer.body.forEachPiece(from: blobs) { piece in
      var piece = piece
      if let bytesBeforeFault = fault?.removeBytesBefore(from: &piece) {
        if bytesBeforeFault.readableBytes > 0 { try await body.write(bytesBeforeFault) }
        try await fault?.inject(sleep)
        fault = nil
      }
      while let next = piece.readSlice(length: min(piece.readableBytes, answer.trafficLimit?.bytesPerSecond ?? .max)),
        next.readableBytes > 0
      {
        try await answer.trafficLimit?.wait(for: next.readableBytes)
        try await body.write(next)
      }
    }
    try await body.finish(nil)
  }
}

/// An error that makes the server close the connection without further bytes, because of an injected fault.
struct ConnectionFault: Error {}

extension Answer.Body {
  var byteCount: Int64 {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .extents(_, let byteCount): byteCount
    }
  }

  fileprivate func collected(from blobs: BlobStore?) async throws -> ByteBuffer {
    var whole = ByteBuffer()
    try await forEachPiece(from: blobs) { piece in
      var piece = piece
      if whole.readableBytes == 0 { whole = piece } else { whole.writeBuffer(&piece) }
    }
    return whole
  }

  fileprivate func compressed(from blobs: BlobStore?) async throws -> [UInt8] {
    guard let bytes = Gzip.compressed(Array(try await collected(from: blobs).readableBytesView)) else {
      throw ErrorResponse.internalError("There is no memory for gzip.")
    }
    return bytes
  }

  fileprivate func forEachPiece(from blobs: BlobStore?, _ consume: (ByteBuffer) async throws -> Void) async throws {
    switch self {
    case .bytes(let bytes): try await consume(ByteBuffer(bytes: bytes))
    case .extents(let extents, _): try await blobs?.read(extents, consume)
    }
  }
}

/// An injected fault at a byte offset in the response body: a pause, or a closed connection.
private struct BodyFault {
  let offset: Int64
  private let pause: Duration?
  private var sentByteCount: Int64 = 0

  init?(_ kind: LocalCloud.Fault.Kind?, byteCount: Int64) {
    switch kind {
    case .cut(let bytes):
      // At least the last byte is missing, so that the client notices.
      offset = max(min(Int64(bytes), byteCount - 1), 0)
      pause = nil
    case .stall(let duration, let bytes):
      offset = min(Int64(bytes), byteCount)
      pause = duration
    default: return nil
    }
  }

  /// Removes and returns the bytes of a chunk before the fault, or returns `nil` if the fault comes after the chunk.
  mutating func removeBytesBefore(from piece: inout ByteBuffer) -> ByteBuffer? {
    guard sentByteCount + Int64(piece.readableBytes) >= offset else {
      sentByteCount += Int64(piece.readableBytes)
      return nil
    }
    return piece.readSlice(length: Int(offset - sentByteCount))
  }

  /// Pauses the response, or throws an error that closes the connection.
  func inject(_ sleep: @Sendable @concurrent (Duration) async throws -> Void) async throws {
    guard let pause else { throw ConnectionFault() }
    try await sleep(pause)
  }
}
