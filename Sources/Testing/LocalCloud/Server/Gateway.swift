// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import StorageAuth

/// The request handler of a storage service, which verifies a request and performs its operation.
final class Gateway: Sendable {
  let service: SimulatedService
  let authenticator: Authenticator
  let store: BucketTable
  let region: String
  let context: CloudContext
  /// The configured rule for requests of web pages to all buckets.
  private let serverRule: CrossOriginRule

  init(_ service: SimulatedService, _ store: BucketTable, _ context: CloudContext) {
    self.service = service
    authenticator = Authenticator(
      verifier: service.behavior.verifier(for: context.configuration), provider: service.provider, context: context)
    region = context.configuration.region(of: service.provider)
    self.store = store
    self.context = context
    serverRule = CrossOriginRule(
      origins: context.configuration.allowedOrigins, methods: CrossOriginRule.allMethods, headers: ["*"],
      exposedHeaders: ["ETag", "Location"] + service.headers.exposed.map(service.header), lifetime: "600")
  }

  @concurrent
  func respond(to request: Request, with writer: consuming ResponseWriter, _ record: RequestRecord?) async throws {
    let exchange = context.beginExchange(at: service.endpoint, record)
    let head = request.head
    let identity = CallIdentity(
      requestID: service.behavior.makeRequestID(at: context.now), method: head.method, host: head.authority ?? "",
      path: String((head.path ?? "").bytes(before: "?")), date: context.now)
    var awaitsContinue = head.headerFields[.expect]?.asciiLowercased == "100-continue"
    if let record { noteTargetAndKey(of: head, in: record) }
    var response = Answer()
    var injectedStatus = try await exchange.injectFaultsBeforeOperation()
    if injectedStatus == nil {
      do {
        response = try await perform(request, identity, record, &awaitsContinue, &writer)
      } catch {
        response = refuse(head, with: ErrorResponse(of: error), identity, record)
      }
      injectedStatus = try await exchange.injectFaultsAfterOperation(&response)
    }
    if let injectedStatus { response = service.behavior.response(for: .injected(injectedStatus), to: identity) }
    // The next bytes can be the body that the client still withholds, or another request: only a new connection tells.
    if awaitsContinue { response.headers[.connection] = "close" }
    addCommonHeaders(to: &response, for: head, identity)
    try await exchange.send(response, to: head.method, with: writer, from: store.blobs)
  }

  /// Adds the headers that every response has: those of the server and those for web pages of other origins.
  private func addCommonHeaders(to response: inout Answer, for head: HTTPRequest, _ identity: CallIdentity) {
    service.identify(&response, as: identity.requestID)
    response.headers[.date] = identity.date.httpDate
    response.headers[.server] = service.headers.serverName
    // The response to a preflight request already has the headers of its rule, or was refused.
    guard head.method != .options, let origin = head.headerFields.first("origin") else { return }
    let method = head.headerFields.first("access-control-request-method") ?? head.method.rawValue
    crossOriginRule(for: origin, method: method, in: head)?.addHeaders(to: &response, for: origin)
  }

  /// Counts and records an error, and returns the response with it.
  private func refuse(
    _ head: HTTPRequest, with error: ErrorResponse, _ identity: CallIdentity, _ record: RequestRecord?
  ) -> Answer {
    context.counters.countRefusal(error.code, by: service.endpoint)
    if let id = authenticator.claimedKeyID(of: head) { context.keys.tokens.countRefusal(of: id) }
    record?.noteRefusal(error.code, error.message)
    var response = service.behavior.response(for: error, to: identity)
    for header in error.headers { response.headers.set(service.header(header.name), header.value) }
    return response
  }

  /// Performs a preflight request, a form upload or a signed or public request.
  @concurrent private func perform(
    _ request: Request, _ identity: CallIdentity, _ record: RequestRecord?, _ awaitsContinue: inout Bool,
    _ writer: inout ResponseWriter
  ) async throws -> Answer {
    let head = request.head
    if head.method == .options {
      if let error = service.errors.missingOrigin, head.headerFields.first("origin") == nil { throw error }
      return try preflight(head)
    }
    if let error = Self.ambiguityError(of: head) ?? service.behavior.misaddressed(head) { throw error }
    if let upload = try FormUpload(head, at: service) {
      try await sendContinue(&awaitsContinue, &writer)
      return try await performFormUpload(upload, request, identity, record)
    }
    let permit = try authorize(head, identity, record)
    try await sendContinue(&awaitsContinue, &writer)
    var call = makeCall(permit, request, identity, headers: head.headerFields)
    call.callback = try callbackPlan(permit, head, identity.requestID)
    try call.checkLimitOwnersAndPayer()
    call.body.trafficLimit = call.requestedTrafficLimit.flatMap {
      TrafficLimit(bitsPerSecond: $0, sleep: context.configuration.sleep)
    }
    var response = try await countingWrite(of: call) { try await call.perform() }
    // The response is sent at the requested bandwidth limit, and echoes the limit, so that a client can see it.
    response.trafficLimit = call.body.trafficLimit
    if let limit = call.requestedTrafficLimit { response.headers.set(service.header("traffic-limit"), limit) }
    return response
  }

  /// Sends `100 Continue` to a client that waits for this response before it sends the request body.
  @concurrent private func sendContinue(_ awaitsContinue: inout Bool, _ writer: inout ResponseWriter) async throws {
    if awaitsContinue { try await writer.writeInformationalHead(HTTPResponse(status: .continue)) }
    awaitsContinue = false
  }

  /// Returns the error response for a request whose target or host is ambiguous, or `nil`.
  private static func ambiguityError(of head: HTTPRequest) -> ErrorResponse? {
    guard head.path?.utf8.first == UInt8(ascii: "/") else { return .unreadableTarget }
    // If the request has a second Host header, it is only found among the header fields.
    return head.headerFields.first("host") == nil ? nil : .invalidArgument("There is more than one Host header.")
  }

  /// Verifies the signature and permissions of a request, before any of its body is read, and returns the permit.
  private func authorize(_ head: HTTPRequest, _ identity: CallIdentity, _ record: RequestRecord?) throws -> Permit {
    let date = identity.date
    // A target that cannot be read is an error only of a request whose signature is valid or absent.
    let claimedTarget = Result { () throws(VerificationError) in try service.behavior.target(of: head) }
    if let target = try? claimedTarget.get() { try requireBucket(of: target, in: head) }
    do {
      let verified = try authenticator.verify(head, at: date)
      if let verified {
        noteVerified(service.signatureKind(of: head, verified), in: record)
      } else {
        context.counters.count(service.endpoint) { $0.unsigned += 1 }
      }
      return try permit(head, verified, on: verified?.wholeTarget ?? claimedTarget.get(), at: date, record)
    } catch let error as VerificationError {
      let isPresigned = head.headerFields[.authorization] == nil
      let urlRefusal = isPresigned ? service.behavior.urlRefusal(error) : nil
      let refusal = urlRefusal ?? service.behavior.refusal(error, at: date)
      record?.noteRejection(rejectedSignature(of: head, identity, error: error, refusal: refusal))
      throw refusal
    }
  }

  /// Returns the permit for a verified or unsigned request, or throws if its operation is not supported or allowed.
  private func permit(
    _ head: HTTPRequest, _ verified: VerifiedRequest?, on target: RequestTarget, at date: Timestamp,
    _ record: RequestRecord?
  ) throws -> Permit {
    try checkNames(in: target)
    let copySource = service.headerName("copy-source").flatMap { head.headerFields.first($0) }
    let operation = try Operation(head.method, target, of: service, isCopy: copySource != nil)
    try service.headerRules.check(head.headerFields, for: operation)
    let rights = makeRights(of: verified?.accessKeyID) { [service] in
      service.policies.language.conditions.facts(of: head, for: operation, target, at: date)
    }
    let source = operation.hasCopySource ? try NamedSource(copySource ?? "", of: service) : nil
    guard let permit = Permit(verified, operation, on: target, copying: source, by: rights) else {
      if verified == nil { record?.noteRejection() }
      throw rights.denial(at: date)
    }
    if verified == nil {
      context.counters.countAnonymous()
      record?.note { $0.authorization = .anonymous }
    }
    return permit
  }

  private func noteVerified(_ kind: LocalCloud.SignatureKind, in record: RequestRecord?) {
    context.counters.countVerified(kind)
    record?.note { $0.authorization = .verified(kind) }
  }

  /// Returns the permissions of a key, which has none if it was removed after the signature was verified.
  private func makeRights(of id: AccessKeyID?, facts: @escaping @Sendable () -> [String: String]) -> RequestRights {
    RequestRights(
      authority: id.flatMap { context.keys.authority(of: $0) } ?? .nothing,
      account: id.map { context.keys.accountNumber(of: $0) },
      allAccounts: context.keys.accountNumbers, service: service, region: region, facts: facts, store: store)
  }

  /// Throws if the bucket of a target does not exist, unless the request creates it or sets its access.
  ///
  /// As in the services, this happens before the access key is looked up.
  private func requireBucket(of target: RequestTarget, in head: HTTPRequest) throws {
    guard let bucket = target.bucket?.string, service.isBucketName(bucket) else { return }
    // Only the operations on a bucket itself have a target without a key.
    if target.key == nil {
      let operation = try? Operation(head.method, target, of: service, isCopy: false)
      let isMissing = (try? store.read(bucket) { _ in }) == nil
      if operation == .createBucket || operation == .changeBucketAccess && isMissing { return }
    }
    try requireBucket(bucket, at: head.authority)
  }

  /// Throws if a bucket does not exist, or is in another region than the request's host.
  private func requireBucket(_ bucket: String, at host: String?) throws {
    try store.read(bucket) { _ in }
    if let host, let redirection = service.behavior.redirection(of: host, for: bucket) { throw redirection }
  }

  /// Throws if the service does not allow the bucket name or the key of a target.
  private func checkNames(in target: RequestTarget) throws(ErrorResponse) {
    if let bucket = target.bucket?.string, !service.isBucketName(bucket) { throw .invalidBucketName(bucket) }
    guard let key = target.key else { return }
    let hasRefusedBackslash = service.objects.refusesLeadingBackslash && key.string.utf8.first == UInt8(ascii: "\\")
    if key.utf8.count > service.description.keyByteLimit || key.utf8.contains(0) || hasRefusedBackslash {
      throw service.errors.invalidKey
    }
  }

  private func makeCall(_ permit: Permit, _ request: Request, _ identity: CallIdentity, headers: HTTPFields) -> Call {
    let body = CallBody(base: request.body, decoder: permit.decoder) { [service] in
      service.behavior.refusal($0, at: identity.date)
    }
    return Call(
      service: service, store: store, target: permit.target, rights: permit.rights, headers: headers, body: body,
      operation: permit.operation, date: identity.date, region: region, host: identity.host)
  }

  /// Performs an operation, and counts the object that it has written, also if only the callback failed.
  @concurrent
  private func countingWrite(of call: Call, _ perform: @concurrent () async throws -> Answer) async throws -> Answer {
    func countWrite() {
      guard call.operation.writesObject else { return }
      context.counters.countWrite(of: call.key.string, in: call.bucket, of: service.provider)
    }
    do {
      let response = try await perform()
      if !response.isRepetition { countWrite() }
      return response
    } catch let error as ErrorResponse where error.isStored {
      countWrite()
      throw error
    }
  }

  /// Performs a form upload, of which only the authorization in the form's fields counts.
  @concurrent private func performFormUpload(
    _ upload: FormUpload, _ request: Request, _ identity: CallIdentity, _ record: RequestRecord?
  ) async throws -> Answer {
    let date = identity.date
    // As in the services, a missing bucket is reported before the form is verified.
    try requireBucket(upload.bucket, at: request.head.authority)
    let form = try await upload.readFields(of: request.body) { form in
      do {
        return try await authenticator.verify(form, at: date)
      } catch let error as VerificationError {
        record?.noteRejection()
        throw service.behavior.formRefusal(error, at: date) ?? service.behavior.refusal(error, at: date)
      }
    }
    let verified = form.verified
    try service.headerRules.check(verified.form)
    noteVerified(service.signatureKind(of: verified.form), in: record)
    record?.noteClaimedKey(verified.accessKeyID, isPresigned: false)
    record?.noteTarget(bucket: upload.bucket, key: verified.key)
    let target = RequestTarget(bucket: upload.bucket, key: verified.key, parameters: [])
    try checkNames(in: target)
    let rights = makeRights(of: verified.accessKeyID) { [service] in
      service.policies.language.conditions.facts(of: verified, at: date)
    }
    guard let permit = Permit(posting: verified, to: target, by: rights) else { throw rights.denial(at: date) }
    var call = makeCall(permit, request, identity, headers: try verified.headers(of: service))
    call.callback = try callbackPlan("PostObject", identity.requestID, isRequested: verified.form["callback"] != nil) {
      () throws(ErrorResponse) in try RequestedCallback(verified.form)
    }
    try call.checkLimitOwnersAndPayer()
    return try await countingWrite(of: call) { try await call.postObject(upload, form) }
  }

  /// Returns the first rule that allows a web page to send a request; a bucket's rules precede the server's.
  private func crossOriginRule(
    for origin: String, method: String, headers: [String] = [], in head: HTTPRequest
  ) -> CrossOriginRule? {
    let bucket = (try? service.behavior.target(of: head))?.bucket?.string ?? ""
    let rules = store.document("cors", of: bucket).flatMap { try? CrossOriginRule.rules(of: $0) } ?? []
    return (rules + [serverRule]).first { $0.allows(origin: origin, method: method, headers: headers) }
  }

  /// Returns the response to the request without authorization that a browser sends before the actual one.
  private func preflight(_ head: HTTPRequest) throws(ErrorResponse) -> Answer {
    let headerList = head.headerFields.first("access-control-request-headers")
    let headers = (headerList ?? "").words(between: ",").map { String($0.trimmingBlanks) }
    guard let origin = head.headerFields.first("origin"),
      let method = head.headerFields.first("access-control-request-method"),
      let rule = crossOriginRule(for: origin, method: method, headers: headers, in: head)
    else {
      throw ErrorResponse(
        .forbidden, "AccessForbidden",
        "CORSResponse: This CORS request is not allowed: no rule allows the origin, the method and the headers.")
    }
    var response = Answer()
    rule.addHeaders(to: &response, for: origin)
    if let lifetime = rule.lifetime { response.headers.set("access-control-max-age", lifetime) }
    if let headerList { response.headers.set("access-control-allow-headers", headerList) }
    return response
  }

  private func noteTargetAndKey(of head: HTTPRequest, in record: RequestRecord) {
    if let target = try? service.behavior.target(of: head) {
      record.noteTarget(bucket: target.bucket?.string, key: target.key?.string)
    }
    let id = authenticator.claimedKeyID(of: head)
    record.noteClaimedKey(id, isPresigned: id != nil && head.headerFields[.authorization] == nil)
  }

  /// Returns the means to explain to an observer why a signature was rejected.
  private func rejectedSignature(
    of head: HTTPRequest, _ identity: CallIdentity, error: VerificationError, refusal: ErrorResponse
  ) -> RejectedSignature {
    // The response to a HEAD request has no document, so the document is that of a GET request.
    var identityOfGet = identity
    identityOfGet.method = .get
    var response = service.behavior.response(for: refusal, to: identityOfGet)
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

/// A verifier for all signatures of requests and form uploads to a storage service.
struct Authenticator: Sendable {
  let verifier: any SignatureVerifier & FormVerifier
  let provider: LocalCloud.Provider
  let context: CloudContext

  /// Returns the access key with an ID; the lookup counts as a use of an issued key.
  private func key(_ id: AccessKeyID, at date: Timestamp) -> AccessKey? {
    let limit = TokenTable.UseLimit(uses: context.injector.faults.requestsPerCredential)
    return context.keys.key(id, of: provider, at: date, counting: limit)
  }

  func verify(_ form: SubmittedForm, at date: Timestamp) async throws -> VerifiedForm {
    try await verifier.verify(form, at: date) { key($0, at: date) }
  }

  /// Returns the key ID with which a request claims to be signed, without a check of the signature.
  func claimedKeyID(of request: HTTPRequest) -> AccessKeyID? { (try? verifier.claim(in: request))?.accessKeyID }

  func fits(_ request: HTTPRequest, _ key: AccessKey, at date: Timestamp) -> Bool {
    (try? verify(request, with: key, at: date)) != nil
  }

  /// Verifies a request against a key, or else the key that it names; returns `nil` if it contains no authorization.
  func verify(
    _ request: HTTPRequest, with given: AccessKey? = nil, at date: Timestamp
  ) throws(VerificationError) -> VerifiedRequest? {
    // A function of its own, because the verifier's type must be known to pass its claim back to it.
    func verified(by verifier: some SignatureVerifier) throws(VerificationError) -> VerifiedRequest? {
      guard let claim = try verifier.claim(in: request) else { return nil }
      return try verifier.verify(claim, withFound: given ?? key(claim.accessKeyID, at: date), at: date)
    }
    return try verified(by: verifier)
  }
}
