// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth

/// A request with its record and the faults that are planned for it, which are injected around its operation.
struct Exchange: Sendable {
  let plan: FaultPlan
  let record: RequestRecord?
  let sleep: @Sendable @concurrent (Duration) async throws -> Void

  /// Injects the faults before the operation, and returns the status of an error that replaces it, if any.
  func begin() async throws -> Int? {
    if plan.delayBefore > .zero { try await sleep(plan.delayBefore) }
    return try failure(in: .before)
  }

  /// Injects the faults after the operation, and returns the status of an error that replaces the answer, if any.
  func end(_ answer: inout Answer) async throws -> Int? {
    if plan.delayAfter > .zero { try await sleep(plan.delayAfter) }
    if plan.main?.kind == .malformed, case .bytes(let document) = answer.body {
      answer.body = .bytes(Array(document.prefix(document.count / 2)))
    }
    return try failure(in: .after)
  }

  private func failure(in phase: LocalCloud.Fault.Phase) throws -> Int? {
    guard let fault = plan.main, fault.phase == phase else { return nil }
    switch fault.kind {
    case .serverError(let status):
      record?.note { $0.isFaulty = true }
      return status
    case .disconnect: throw ConnectionFault()
    case .delay, .stall, .cut, .malformed: return nil
    }
  }

  /// Sends a response, with the bytes of an object from its files, and with the planned fault in the body.
  @concurrent
  func send(
    _ answer: Answer, to method: HTTPRequest.Method, with writer: consuming ResponseWriter, from blobs: BlobStore?
  ) async throws {
    var answer = answer
    if answer.isCompressed {
      guard let compressed = Gzip.compressed(Array(try await answer.body.collected(from: blobs).readableBytesView))
      else { throw ErrorResponse.internalError("There is no memory for gzip.") }
      answer.body = .bytes(compressed)
    }
    var head = HTTPResponse(status: answer.status, headerFields: answer.headers)
    let hasLength = answer.status != .noContent && answer.status != .notModified
    if hasLength, !answer.isCompressed { head.headerFields[.contentLength] = String(answer.body.byteCount) }
    let hasBody = method != .head && hasLength && answer.body.byteCount > 0
    let byteCount = hasBody ? answer.body.byteCount : 0
    record?.note { ($0.response, $0.responseByteCount) = (head, byteCount) }
    var fault = BodyFault(plan.main?.kind, byteCount: byteCount)
    if !hasBody || fault?.limit == 0 {
      try await fault?.inject(sleep)
      fault = nil
    }
    guard hasBody else { return try await writer.writeResponse(head) }
    if fault == nil, answer.pace == nil, byteCount <= BlobStore.chunkByteCount {
      // A small response is sent in a single write.
      let body = try await answer.body.collected(from: blobs)
      return try await writer.write(response: head, body: ResponseBody(byteBuffer: body))
    }
    var body = try await writer.writeHead(head)
    try await answer.body.forEachPiece(from: blobs) { piece in
      var piece = piece
      if let beforeFault = fault?.slice(of: &piece) {
        if beforeFault.readableBytes > 0 { try await body.write(beforeFault) }
        try await fault?.inject(sleep)
        fault = nil
      }
      while let next = piece.readSlice(length: min(piece.readableBytes, answer.pace?.bytesPerSecond ?? .max)),
        next.readableBytes > 0
      {
        try await answer.pace?.wait(for: next.readableBytes)
        try await body.write(next)
      }
    }
    try await body.finish(nil)
  }
}

/// An error that makes the server close the connection without further bytes, because of an injected fault.
struct ConnectionFault: Error {}

extension Answer.Body {
  /// The size of the response body in bytes, which is the value of `Content-Length`.
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

  /// Reads the bytes of the response body and passes them to `consume` in chunks.
  fileprivate func forEachPiece(
    from blobs: BlobStore?, _ consume: (ByteBuffer) async throws -> Void
  ) async throws {
    switch self {
    case .bytes(let bytes): try await consume(ByteBuffer(bytes: bytes))
    case .extents(let extents, _): try await blobs?.read(extents, consume)
    }
  }
}

/// An injected fault at a byte offset in the response body: a pause, or a closed connection.
private struct BodyFault {
  /// The byte offset in the response body at which the fault occurs.
  let limit: Int64
  private let pause: Duration?
  private var sent: Int64 = 0

  init?(_ kind: LocalCloud.Fault.Kind?, byteCount: Int64) {
    switch kind {
    case .cut(let bytes):
      // At least the last byte is missing, so that the client notices.
      limit = max(min(Int64(bytes), byteCount - 1), 0)
      pause = nil
    case .stall(let duration, let bytes):
      limit = min(Int64(bytes), byteCount)
      pause = duration
    default: return nil
    }
  }

  /// Takes the bytes before the fault from a chunk, or returns `nil` if the fault comes after the chunk.
  mutating func slice(of piece: inout ByteBuffer) -> ByteBuffer? {
    guard sent + Int64(piece.readableBytes) >= limit else {
      sent += Int64(piece.readableBytes)
      return nil
    }
    return piece.readSlice(length: Int(limit - sent))
  }

  /// Pauses the response, or throws an error that closes the connection.
  func inject(_ sleep: @Sendable @concurrent (Duration) async throws -> Void) async throws {
    guard let pause else { throw ConnectionFault() }
    try await sleep(pause)
  }
}
