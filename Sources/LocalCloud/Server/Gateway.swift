internal import COSAuth
internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import OSSAuth
internal import StorageAuth
internal import Synchronization

/// The way of every request of one service: check, verify, act, answer.
struct Gateway: Sendable {
  private static let keyByteLimit = 1023

  private let dialect: any Dialect
  private let authenticator: Authenticator
  private let store: ObjectStore
  private let region: String
  private let clock: @Sendable () -> Timestamp
  private let counters: Counters

  init(
    _ provider: LocalCloud.Provider, _ store: ObjectStore, _ configuration: LocalCloud.Configuration,
    _ counters: Counters
  ) {
    switch provider {
    case .oss:
      dialect = OSSDialect()
      authenticator = Authenticator(OSSVerifier(region: configuration.region), configuration.accounts)
      region = configuration.region ?? "cn-hangzhou"
    case .cos:
      dialect = COSDialect()
      authenticator = Authenticator(
        COSVerifier(mode: configuration.isStrict ? .strict : .compatible), configuration.accounts)
      region = "ap-guangzhou"
    }
    self.store = store
    clock = configuration.clock
    self.counters = counters
  }

  /// Answers a request.
  @concurrent
  func respond(to request: Request, with writer: consuming ResponseWriter) async throws {
    let head = request.head
    let identity = CallIdentity(
      requestID: BlobID.random().description.uppercased(), method: head.method, host: head.authority ?? "",
      path: String((head.path ?? "").prefix { $0 != "?" }), date: clock())
    var answer: Answer
    do {
      let permit = try await permit(head, at: identity.date)
      if head.headerFields[.expect]?.lowercased() == "100-continue" {
        try await writer.writeInformationalHead(HTTPResponse(status: .continue))
      }
      answer = try await act(permit, request, at: identity.date)
    } catch {
      let error = error as? ServiceError ?? .internalError("\(error)")
      counters.refused(error.code)
      answer = dialect.answer(for: error, to: identity)
    }
    answer.headers.set(dialect.header("request-id"), identity.requestID)
    if dialect.provider == .cos { answer.headers.set(dialect.header("trace-id"), identity.requestID) }
    answer.headers[.date] = identity.date.httpDate
    answer.headers[.server] = dialect.serverName
    try await Self.send(answer, to: head.method, with: writer, store.blobs)
  }

  /// The permission for a request, which is verified before anything of its body is read.
  private func permit(_ head: HTTPRequest, at date: Timestamp) async throws -> Permit {
    guard head.path?.utf8.first == UInt8(ascii: "/") else {
      throw ServiceError(.badRequest, "InvalidURI", "The request target has to be a path that starts with a slash.")
    }
    guard head.headerFields.first("host") == nil else {
      throw ServiceError.invalidArgument("There is more than one Host header.")
    }
    let isCopy = head.headerFields.first(dialect.header("copy-source")) != nil
    do {
      if let verified = try await authenticator.verify(head, at: date) {
        counters.verified(dialect.signatureKind(of: head, verified))
        try Self.check(verified.target)
        return Permit(verified, try Operation(head.method, verified.target, isCopy: isCopy))
      }
      let target = try RequestTarget(of: head)
      try Self.check(target)
      let operation = try Operation(head.method, target, isCopy: isCopy)
      guard let permit = try Permit(everybody: target, operation, in: store) else {
        throw dialect.anonymousRefusal(at: date)
      }
      counters.anonymous()
      return permit
    } catch let error as VerificationError {
      throw dialect.refusal(error, at: date)
    }
  }

  private static func check(_ target: RequestTarget) throws(ServiceError) {
    if let bucket = target.bucket, !isBucketName(bucket) { throw .invalidBucketName(bucket) }
    guard let key = target.key else { return }
    if key.utf8.count > keyByteLimit || key.utf8.contains(0) {
      throw ServiceError(
        .badRequest, "InvalidObjectName", "The key has more than 1,023 bytes in UTF-8, or a NUL in it.")
    }
  }

  private func act(_ permit: Permit, _ request: Request, at date: Timestamp) async throws -> Answer {
    let call = Call(
      dialect: dialect, store: store, target: permit.target, isAnonymous: permit.isAnonymous,
      headers: request.headers, body: request.body, date: date, region: region, host: request.head.authority ?? "")
    return try await call.answer(to: permit.operation)
  }

  @concurrent
  private static func send(
    _ answer: Answer, to method: HTTPRequest.Method, with writer: consuming ResponseWriter, _ blobs: BlobStore
  ) async throws {
    var head = HTTPResponse(status: answer.status, headerFields: answer.headers)
    let hasLength = answer.status != .noContent && answer.status != .notModified
    if hasLength { head.headerFields[.contentLength] = String(answer.body.byteCount) }
    guard method != .head, hasLength else {
      try await writer.writeResponse(head)
      return
    }
    switch answer.body {
    case .none, .head:
      try await writer.writeResponse(head)
    case .bytes(let bytes):
      try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    case .extents(let extents, _):
      var body = try await writer.writeHead(head)
      try await blobs.read(extents) { try await body.write($0) }
      try await body.finish(nil)
    }
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
}
