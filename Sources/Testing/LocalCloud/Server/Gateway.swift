// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import StorageAuth

/// The request handler of a storage service, which verifies a request and performs its operation.
struct Gateway: Sendable {
  let service: SimulatedService
  let authenticator: Authenticator
  let store: BucketTable
  let region: String
  let context: CloudContext

  /// The rule of the server's configuration for requests of web pages, which applies to all buckets.
  private let serverRule: CrossOriginRule

  var counters: Counters { context.counters }
  private var endpoint: LocalCloud.Endpoint { service.endpoint }

  init(
    _ service: SimulatedService, _ store: BucketTable, _ configuration: LocalCloud.Configuration,
    _ context: CloudContext
  ) {
    self.service = service
    authenticator = Authenticator(
      verifier: service.behavior.verifier(for: configuration), provider: service.provider, context: context)
    region = configuration.region(of: service.provider)
    self.store = store
    self.context = context
    serverRule = CrossOriginRule(
      origins: configuration.allowedOrigins, methods: CrossOriginRule.allMethods, headers: ["*"],
      exposedHeaders: ["ETag", "Location"] + service.headers.exposed.map(service.header), lifetime: "600")
  }

  @concurrent
  func respond(to request: Request, with writer: consuming ResponseWriter, _ record: RequestRecord?) async throws {
    let exchange = context.open(endpoint, record)
    let head = request.head
    let identity = CallIdentity(
      requestID: service.behavior.makeRequestID(at: context.now), method: head.method, host: head.authority ?? "",
      path: String((head.path ?? "").bytes(before: "?")), date: context.now)
    var awaitsContinue = head.headerFields[.expect]?.asciiLowercased == "100-continue"
    if let record { noteTargetAndKey(of: head, in: record) }
    var response: Answer
    if let status = try await exchange.begin() {
      response = service.behavior.response(for: .injected(status), to: identity)
    } else {
      do {
        if head.method == .options {
          if let refusal = service.errors.missingOrigin, head.headerFields.first("origin") == nil { throw refusal }
          response = try preflight(head)
        } else if let refusal = Self.ambiguityRefusal(of: head) ?? service.behavior.misaddressed(head) {
          throw refusal
        } else if let upload = try FormUpload(head, at: service) {
          try await sendContinue(&awaitsContinue, &writer)
          response = try await post(upload, request, identity, record)
        } else {
          let permit = try await authorize(head, identity, record)
          try await sendContinue(&awaitsContinue, &writer)
          response = try await perform(permit, request, identity.requestID, at: identity.date)
        }
      } catch {
        let error = ErrorResponse(of: error)
        counters.refused(error.code, by: endpoint)
        if let id = authenticator.claimedKeyID(of: head) { context.keys.tokens.countRefusal(of: id) }
        record?.noteRefusal(error.code, error.message)
        response = service.behavior.response(for: error, to: identity)
        for header in error.headers { response.headers.set(service.header(header.name), header.value) }
      }
      if let status = try await exchange.end(&response) {
        response = service.behavior.response(for: .injected(status), to: identity)
      }
    }
    // The bytes that follow can be the body that the client withheld or another request, so the connection must close.
    if awaitsContinue { response.headers[.connection] = "close" }
    service.identify(&response, as: identity.requestID)
    response.headers[.date] = identity.date.httpDate
    response.headers[.server] = service.headers.serverName
    if head.method != .options, let origin = head.headerFields.first("origin") {
      let method = head.headerFields.first("access-control-request-method") ?? head.method.rawValue
      crossOriginRule(for: head, origin, method)?.addHeaders(to: &response, for: origin)
    }
    try await exchange.send(response, to: head.method, with: writer) { extents, send in
      try await store.blobs.read(extents, send)
    }
  }

  /// Sends `100 Continue` to a client that waits for this response before it sends the request body.
  @concurrent
  private func sendContinue(_ awaitsContinue: inout Bool, _ writer: inout ResponseWriter) async throws {
    if awaitsContinue { try await writer.writeInformationalHead(HTTPResponse(status: .continue)) }
    awaitsContinue = false
  }

  /// Returns the error response for a request whose target or host can be read in two ways, or `nil` if it cannot.
  private static func ambiguityRefusal(of head: HTTPRequest) -> ErrorResponse? {
    guard head.path?.utf8.first == UInt8(ascii: "/") else { return .unreadableTarget }
    // If the request has a second Host header, it is only found among the header fields.
    return head.headerFields.first("host") == nil ? nil : .invalidArgument("There is more than one Host header.")
  }

  /// Verifies the signature and permissions of a request, before any of its body is read, and returns the permit.
  private func authorize(_ head: HTTPRequest, _ identity: CallIdentity, _ record: RequestRecord?) async throws -> Permit
  {
    let date = identity.date
    let copySource = head.headerFields.first(service.header("copy-source"))
    try checkBucketExists(of: head)
    do {
      if let verified = try await authenticator.verify(head, at: date) {
        let kind = service.signatureKind(of: head, verified)
        counters.verified(kind)
        record?.noteAuthorization(.verified(kind))
        try checkNames(in: verified.wholeTarget)
        var permit = try permit(verified, head, copySource, at: date)
        permit.reader = service.behavior.bodyReader(of: verified)
        return permit
      }
      counters.count(endpoint) { $0.unsigned += 1 }
      let target = try service.behavior.target(of: head)
      try checkNames(in: target)
      let operation = try Operation(head.method, target, of: service, isCopy: copySource != nil)
      try service.headerRules.check(head.headerFields, for: operation)
      let rights = rights(nil, head, operation, target, at: date)
      let source = operation.hasCopySource ? try NamedSource(copySource ?? "", of: service) : nil
      guard let permit = Permit(unsigned: target, operation, copying: source, by: rights) else {
        record?.noteRejection(nil)
        throw service.anonymousRefusal(at: date)
      }
      counters.anonymous()
      record?.noteAuthorization(.anonymous)
      return permit
    } catch let error as VerificationError {
      let isPresigned = head.headerFields[.authorization] == nil
      let refusal =
        (isPresigned ? service.behavior.urlRefusal(error) : nil) ?? service.behavior.refusal(error, at: date)
      record?.noteRejection(rejectedSignature(head, identity, error, refusal))
      throw refusal
    }
  }

  private func permit(
    _ verified: VerifiedRequest, _ head: HTTPRequest, _ copySource: String?, at date: Timestamp
  ) throws -> Permit {
    let operation = try Operation(head.method, verified.wholeTarget, of: service, isCopy: copySource != nil)
    try service.headerRules.check(head.headerFields, for: operation)
    let rights = rights(verified.accessKeyID, head, operation, verified.wholeTarget, at: date)
    let source = operation.hasCopySource ? try NamedSource(copySource ?? "", of: service) : nil
    guard let permit = Permit(verified, operation, copying: source, by: rights) else {
      throw service.policyRefusal(at: date)
    }
    return permit
  }

  /// Returns the permissions of a request; without a key, it is unsigned.
  private func rights(
    _ id: AccessKeyID?, _ head: HTTPRequest, _ operation: Operation, _ target: RequestTarget, at date: Timestamp
  ) -> RequestRights {
    rights(id, service.policies.language.conditions.facts(of: head, for: operation, target, at: date))
  }

  /// Returns the permissions of a key; one that was removed after the signature was verified has none.
  private func rights(_ id: AccessKeyID?, _ facts: [String: String]) -> RequestRights {
    RequestRights(
      authority: id.flatMap { context.keys.authority(of: $0) } ?? .nothing,
      account: id.map { context.keys.number(of: $0) },
      accounts: context.keys.numbers, service: service, region: region, facts: facts, store: store)
  }

  /// Throws an error response if the bucket does not exist, unless the request creates it or sets its access.
  ///
  /// As in the services, this happens before the access key is looked up.
  private func checkBucketExists(of head: HTTPRequest) throws {
    guard let target = try? service.behavior.target(of: head), let bucket = target.bucket?.string,
      service.isBucketName(bucket)
    else { return }
    let operation = try? Operation(head.method, target, of: service, isCopy: false)
    let isMissing = (try? store.read(bucket) { _ in }) == nil
    if operation == .createBucket || operation == .changeBucketAccess && isMissing { return }
    try checkExistence(of: bucket, at: head.authority)
  }

  /// Throws an error response if a bucket does not exist, or is in another region than the request's host.
  func checkExistence(of bucket: String, at host: String?) throws {
    try store.read(bucket) { _ in }
    if let host, let redirection = service.behavior.redirection(of: host, for: bucket) { throw redirection }
  }

  /// Throws an error response if a target contains a bucket name or a key that the service does not allow.
  private func checkNames(in target: RequestTarget) throws(ErrorResponse) {
    if let bucket = target.bucket?.string, !service.isBucketName(bucket) { throw .invalidBucketName(bucket) }
    guard let key = target.key else { return }
    let hasBackslash = service.objects.refusesLeadingBackslash && key.string.utf8.first == UInt8(ascii: "\\")
    if key.utf8.count > service.description.keyByteLimit || key.utf8.contains(0) || hasBackslash {
      throw service.errors.invalidKey
    }
  }

  /// Counts the object that an operation has written, also if only the callback failed.
  func countWrite(of call: Call) {
    if call.operation.writesObject { counters.wrote(call.key.text, in: call.bucket, of: service.provider) }
  }

  private func perform(
    _ permit: Permit, _ request: Request, _ requestID: String, at date: Timestamp
  ) async throws -> Answer {
    let body = CallBody(base: request.body, reader: permit.reader) { [service] in service.behavior.refusal($0, at: date)
    }
    var call = Call(
      service: service, store: store, target: permit.target, rights: permit.rights, headers: request.headers,
      body: body, operation: permit.operation, date: date,
      region: region, host: request.head.authority ?? "", callback: try plan(permit, request.head, requestID))
    try call.checkPayerAndOwners()
    call.body.pace = call.trafficLimit.flatMap { Pace(bitsPerSecond: $0, sleep: context.sleep) }
    do {
      var response = try await call.response()
      if !response.isRepetition { countWrite(of: call) }
      call.repeatLimit(in: &response)
      return response
    } catch let refusal as ErrorResponse where refusal.isStored {
      countWrite(of: call)
      throw refusal
    }
  }

  /// Handles a form upload, of which only the authorization in the form's fields counts.
  @concurrent
  func post(
    _ upload: FormUpload, _ request: Request, _ identity: CallIdentity, _ record: RequestRecord?
  ) async throws -> Answer {
    let (requestID, date) = (identity.requestID, identity.date)
    // As in the services, a missing bucket is reported before the form is verified.
    try checkExistence(of: upload.bucket, at: request.head.authority)
    let form = try await upload.open(request.body) { form in
      do {
        return try await authenticator.verify(form, at: date)
      } catch let error as VerificationError {
        record?.noteRejection(nil)
        throw service.behavior.formRefusal(error, at: date) ?? service.behavior.refusal(error, at: date)
      }
    }
    let verified = form.verified
    try service.headerRules.check(verified.form)
    let kind = service.signatureKind(of: verified.form)
    counters.verified(kind)
    record?.noteAuthorization(.verified(kind))
    record?.noteClaimedKey(verified.accessKeyID, isPresigned: false)
    record?.noteTarget(bucket: upload.bucket, key: verified.key)
    let target = RequestTarget(bucket: upload.bucket, key: verified.key, parameters: [])
    try checkNames(in: target)
    let rights = rights(
      verified.accessKeyID, service.policies.language.conditions.facts(of: verified, at: date))
    guard rights.allowPosting(verified.key, to: upload.bucket) else { throw service.policyRefusal(at: date) }
    let call = Call(
      service: service, store: store, target: target, rights: rights,
      headers: try verified.headers(of: service),
      body: CallBody(base: request.body, reader: nil) { [service] in service.behavior.refusal($0, at: date) },
      operation: .putObject,
      date: date, region: region, host: request.head.authority ?? "",
      callback: try plan("PostObject", requestID, isRequested: verified.form["callback"] != nil) {
        () throws(ErrorResponse) in try RequestedCallback(verified.form)
      })
    try call.checkPayerAndOwners()
    do {
      let response = try await call.postObject(upload, form)
      countWrite(of: call)
      return response
    } catch let refusal as ErrorResponse where refusal.isStored {
      countWrite(of: call)
      throw refusal
    }
  }

  /// Returns the first rule that allows a web page to send a request; a bucket's rules precede the server's.
  private func crossOriginRule(
    for head: HTTPRequest, _ origin: String, _ method: String, with headers: [String] = []
  ) -> CrossOriginRule? {
    let bucket = (try? service.behavior.target(of: head))?.bucket?.string ?? ""
    let rules = store.document("cors", of: bucket).flatMap { try? CrossOriginRule.rules(of: $0) } ?? []
    return (rules + [serverRule]).first { $0.allows(origin: origin, method: method, headers: headers) }
  }

  /// Returns the response to a preflight request, which a browser sends without authorization before the actual one.
  private func preflight(_ head: HTTPRequest) throws(ErrorResponse) -> Answer {
    let names = head.headerFields.first("access-control-request-headers")
    let headers = (names ?? "").words(between: ",").map { String($0.trimmingBlanks) }
    guard let origin = head.headerFields.first("origin"),
      let method = head.headerFields.first("access-control-request-method"),
      let rule = crossOriginRule(for: head, origin, method, with: headers)
    else {
      throw ErrorResponse(
        .forbidden, "AccessForbidden",
        "CORSResponse: This CORS request is not allowed: no rule allows the origin, the method and the headers.")
    }
    var response = Answer(.ok)
    rule.addHeaders(to: &response, for: origin)
    if let lifetime = rule.lifetime { response.headers.set("access-control-max-age", lifetime) }
    if let names { response.headers.set("access-control-allow-headers", names) }
    return response
  }

  private func noteTargetAndKey(of head: HTTPRequest, in record: RequestRecord) {
    if let target = try? service.behavior.target(of: head) {
      record.noteTarget(bucket: target.bucket?.string, key: target.key?.string)
    }
    let id = authenticator.claimedKeyID(of: head)
    record.noteClaimedKey(id, isPresigned: id != nil && head.headerFields[.authorization] == nil)
  }

  /// Returns a request whose signature was rejected, with the means to explain the rejection.
  private func rejectedSignature(
    _ head: HTTPRequest, _ identity: CallIdentity, _ error: VerificationError, _ refusal: ErrorResponse
  ) -> RejectedSignature {
    // The response to a HEAD request has no document, so the document is that of a GET request.
    let displayed = CallIdentity(
      requestID: identity.requestID, method: .get, host: identity.host, path: identity.path, date: identity.date)
    var response = service.behavior.response(for: refusal, to: displayed)
    response.headers[.date] = identity.date.httpDate
    let document: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
    let claimedID = error.accessKeyID ?? authenticator.claimedKeyID(of: head)
    let key = claimedID.flatMap { context.keys.key($0, of: service.provider, at: identity.date) }
    return RejectedSignature(
      provider: LocalCloud.Provider(rawValue: service.description.name) ?? service.provider, request: head,
      response: HTTPResponse(status: response.status, headerFields: response.headers), document: document,
      region: region, isMismatch: error.code == .mismatch, key: key,
      others: context.keys.accountKeys.filter { $0.id != claimedID },
      fits: { [authenticator] in authenticator.fits($0, $1, at: identity.date) })
  }
}
