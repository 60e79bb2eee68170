// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import LocalCloud
internal import StorageAuthServer
internal import StorageClient

/// The routes of a console: its page, and what the page shows and changes.
struct ConsoleRoutes: Sendable {
  /// The maximum number of objects and folders in one answer about a bucket.
  private static let pageLimit = 200
  /// The maximum size of a parameter, larger than that of any key.
  private static let parameterByteLimit = 4096
  /// The maximum number of issued keys that the page shows.
  private static let keyLimit = 500
  /// The lifetimes of presigned URLs, in seconds, that all services allow.
  private static let urlLifetimes: ClosedRange<Int64> = 1...604_800

  let cloud: LocalCloud
  let log: RequestLog

  var router: Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: PageProtection())
    router.add(middleware: LoopbackHostMiddleware())
    router.get("/") { _, _ in Self.response(PackageResources.console_html, "text/html; charset=utf-8") }
    router.get("/console.css") { _, _ in Self.response(PackageResources.console_css, "text/css; charset=utf-8") }
    router.get("/console.js") { _, _ in Self.response(PackageResources.console_js, "text/javascript; charset=utf-8") }
    router.get("/views.js") { _, _ in Self.response(PackageResources.views_js, "text/javascript; charset=utf-8") }
    router.get("/events") { request, _ in try events(for: request) }
    router.get("/requests/:number") { _, context in
      guard let number = Int(digits: try context.parameters.require("number")), let detail = log.detail(of: number)
      else { throw HTTPError(.notFound, message: "The request is no longer kept.") }
      return Self.response(detail)
    }
    router.delete("/requests") { _, _ in
      log.clear()
      return Response(status: .noContent)
    }
    router.get("/server") { _, _ in Self.response(server.serialized) }
    router.get("/keys") { _, _ in Self.response(keys.serialized) }
    router.delete("/keys") { request, _ in
      guard cloud.revoke(AccessKeyID(try parameter("id", of: request))) else {
        throw HTTPError(.notFound, message: "The server does not know the key, or no longer keeps it.")
      }
      return Response(status: .noContent)
    }
    router.get("/buckets") { _, _ in Self.response(buckets.serialized) }
    router.get("/objects") { request, _ in Self.response(try objects(for: request).serialized) }
    addObjectRoutes(to: router)
    return router
  }

  private static func response(_ bytes: [UInt8], _ type: String = "application/json") -> Response {
    Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// Returns the response with the events, which lasts until the page or the console closes it.
  private func events(for request: Request) throws -> Response {
    let lastEventID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
    guard let listener = log.addListener(after: lastEventID) else {
      throw HTTPError(
        .serviceUnavailable, message: "Too many pages show this console, or it is stopping. Close one of them.")
    }
    let body = ResponseBody { writer in
      var writer = writer
      // Without the handler, a page that was closed would be a listener until the next heartbeat.
      try await request.body.consumeWithInboundCloseHandler { _ in
        for event in listener.firstEvents { try await writer.write(ByteBuffer(bytes: event.bytes)) }
        for await event in listener.laterEvents { try await writer.write(ByteBuffer(bytes: event.bytes)) }
      } onInboundClosed: {
        listener.cancel()
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
  }

  private var server: JSONValue {
    let services = CloudName.known.compactMap { name -> JSONValue? in
      guard let provider = LocalCloud.Provider(rawValue: name.description) else { return nil }
      let variables = name.cloud.keyVariables
      return [
        "service": .string(provider.rawValue), "url": .string(cloud.url(of: provider)),
        "region": .string(cloud.region(of: provider)), "variables": [.string(variables.id), .string(variables.secret)],
        "bucket": .text(cloud.buckets(of: provider).first?.name),
      ]
    }
    let accounts = cloud.configuration.accounts.map { account -> JSONValue in
      [
        "id": .safeText(account.key.id.string), "temporary": .bool(account.key.sessionToken != nil),
        "disabled": .bool(account.isDisabled), "number": .text(account.number),
      ]
    }
    return [
      "services": .array(services), "accounts": .array(accounts),
      "signer": .safeText(ObjectRequests(cloud: cloud).key?.id.string),
      "others": [
        ["STS", .string("\(cloud.servicesURL)/")], ["Metadata", .string("\(cloud.servicesURL)/latest/meta-data/")],
        ["App server of OSS", .string(cloud.ossAppServer)], ["App server of COS", .string(cloud.cosAppServer)],
        ["App server of S3", .string(cloud.s3AppServer)], ["Aspera node", .string(cloud.nodeURL)],
        ["Aspera transfers", .string("127.0.0.1:\(cloud.transferPort)")],
      ],
    ]
  }

  private var keys: JSONValue {
    let now = cloud.now
    let sessions = cloud.sessions(limit: Self.keyLimit).map { session -> JSONValue in
      let state = session.isRevoked ? "revoked" : session.expiration <= now ? "expired" : "valid"
      return [
        "id": .string(session.keyID.string), "service": .string(session.provider.rawValue),
        "issuer": .string(session.endpoint.rawValue), "caller": .safeText(session.caller?.string),
        "role": .safeText(session.role), "session": .safeText(session.name), "policy": .text(session.policy),
        "start": .string(session.start.iso8601), "expiration": .string(session.expiration.iso8601),
        "state": .string(state), "uses": .integer(session.requests), "refusals": .integer(session.refusals),
      ]
    }
    return ["keys": .array(sessions), "now": .string(now.iso8601)]
  }

  private var buckets: JSONValue {
    let services = LocalCloud.Provider.allCases.map { provider -> JSONValue in
      let buckets = cloud.buckets(of: provider).map { bucket -> JSONValue in
        [
          "name": .string(bucket.name), "shown": .safeText(bucket.name), "created": .string(bucket.created.iso8601),
          "objects": .integer(bucket.objectCount), "public": .bool(bucket.isPublic),
        ]
      }
      return ["service": .string(provider.rawValue), "buckets": .array(buckets)]
    }
    return ["services": .array(services)]
  }

  private func parameter(_ name: Substring, of request: Request) throws -> String {
    let value = request.uri.queryParameters[name].map(String.init) ?? ""
    guard value.utf8.count <= Self.parameterByteLimit else {
      throw HTTPError(.badRequest, message: "The parameter \(name) is too long.")
    }
    return value
  }

  private func provider(of request: Request) throws -> LocalCloud.Provider {
    guard let provider = LocalCloud.Provider(rawValue: try parameter("service", of: request)) else {
      let names = LocalCloud.Provider.allCases.map(\.rawValue).joined(separator: ", ")
      throw HTTPError(.badRequest, message: "The service is unknown; use one of: \(names).")
    }
    return provider
  }

  private func object(of request: Request) throws -> NamedObject {
    let object = NamedObject(
      provider: try provider(of: request), bucket: try parameter("bucket", of: request),
      key: try parameter("key", of: request))
    guard !object.bucket.isEmpty, !object.key.isEmpty else {
      throw HTTPError(.badRequest, message: "Name a bucket and a key.")
    }
    return object
  }

  /// Adds the routes for one object; their headers keep a browser from interpreting its bytes.
  private func addObjectRoutes(to router: Router<BasicRequestContext>) {
    let requests = ObjectRequests(cloud: cloud)
    router.get("/object") { request, _ in
      let stored = try await requests.send(.get, object(of: request), range: request.headers[.range])
      var headers: HTTPFields = [.contentType: "application/octet-stream", .contentDisposition: "attachment"]
      // A response with a part of the object must say which one it is (RFC 9110, section 15.3.7).
      for name in [HTTPField.Name.contentLength, .contentRange] { headers[name] = stored.response.headerFields[name] }
      let body = ResponseBody { writer in
        for try await chunk in stored.body { try await writer.write(ByteBuffer(bytes: chunk)) }
        try await writer.finish(nil)
      }
      return Response(status: stored.response.status, headers: headers, body: body)
    }
    router.get("/object/headers") { request, _ in
      let fields = try await requests.send(.head, object(of: request)).response.headerFields
      let pairs = fields.map { field -> JSONValue in [.string(field.name.rawName), .safeText(field.value)] }
      return Self.response(JSONValue.array(pairs).serialized)
    }
    router.get("/object/url") { request, _ in Self.response(try presignedURL(for: request, requests).serialized) }
    router.put("/object") { request, _ in
      guard let length = request.headers[.contentLength].flatMap({ Int64(digits: $0) }) else {
        throw HTTPError(.lengthRequired, message: "The upload has no Content-Length.")
      }
      var headers = HTTPFields()
      headers[.contentType] = request.headers[.contentType]
      let body = request.body
      let bytes = ByteStream {
        var iterator = body.makeAsyncIterator()
        return { try await iterator.nextElement().map { Array($0.readableBytesView) } }
      }
      _ = try await requests.send(.put, object(of: request), headers: headers, body: .stream(bytes, length: length))
      return Response(status: .noContent)
    }
    router.delete("/object") { request, _ in
      _ = try await requests.send(.delete, object(of: request))
      return Response(status: .noContent)
    }
  }

  private func presignedURL(for request: Request, _ requests: ObjectRequests) throws -> JSONValue {
    let method = HTTPRequest.Method(try parameter("method", of: request)) ?? .get
    guard [.get, .head, .put, .delete].contains(method),
      let seconds = Int64(digits: try parameter("seconds", of: request)), Self.urlLifetimes.contains(seconds)
    else {
      throw HTTPError(.badRequest, message: "Use GET, HEAD, PUT or DELETE, and a lifetime of 1 to 604800 seconds.")
    }
    let presigned = try requests.presign(method, object(of: request), validFor: .seconds(seconds))
    return ["url": .string(presigned.url), "expiration": .string(presigned.expiration.iso8601)]
  }

  private func objects(for request: Request) throws -> JSONValue {
    guard
      let page = cloud.objects(
        in: try parameter("bucket", of: request), of: try provider(of: request),
        prefix: try parameter("prefix", of: request), after: try parameter("after", of: request), limit: Self.pageLimit)
    else { throw HTTPError(.notFound, message: "The bucket does not exist.") }
    let objects = page.objects.map { object -> JSONValue in
      [
        "key": .string(object.key), "shown": .safeText(object.key), "size": .integer(object.byteCount),
        "modified": .string(object.modified.iso8601),
      ]
    }
    let folders = page.folders.map { folder -> JSONValue in ["prefix": .string(folder), "shown": .safeText(folder)] }
    return ["objects": .array(objects), "folders": .array(folders), "next": .text(page.next)]
  }
}

/// A middleware that keeps other web pages away from the console, and the console's page away from other servers.
///
/// Every response has a content security policy: the page uses only the console, and cannot be shown in a frame.
/// Requests that another site caused according to `Sec-Fetch-Site` (W3C, "Fetch Metadata Request Headers") are
/// rejected, except for opening the page itself.
struct PageProtection<Context: RequestContext>: RouterMiddleware {
  private static var headers: HTTPFields {
    [
      .cacheControl: "no-store",
      .contentSecurityPolicy: """
      default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
      form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
      """,
      .xContentTypeOptions: "nosniff", .known("Referrer-Policy"): "no-referrer",
      .known("Cross-Origin-Opener-Policy"): "same-origin", .known("Cross-Origin-Resource-Policy"): "same-origin",
    ]
  }

  func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      guard isAllowed(request) else {
        throw HTTPError(.forbidden, message: "Another web page caused this request. Open the console itself.")
      }
      response = try await next(request, context)
    } catch let error as HTTPError {
      response = try error.response(from: request, context: context)
    }
    response.headers.append(contentsOf: Self.headers)
    return response
  }

  private func isAllowed(_ request: Request) -> Bool {
    let site = request.headers[.known("Sec-Fetch-Site")]
    guard let site, site != "same-origin", site != "none" else { return true }
    return request.headers[.known("Sec-Fetch-Dest")] == "document" && request.uri.path == "/"
  }
}
