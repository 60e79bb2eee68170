// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import LocalCloud
internal import StorageAuthServer

/// The routes of a console: the page, the events, and the buckets and objects.
struct ConsoleRoutes: Sendable {
  /// The number of objects and folders in a response.
  private static let pageSize = 200
  /// The maximum length of a parameter, which is more than a key can have.
  private static let parameterByteLimit = 4096

  let cloud: LocalCloud
  let log: RequestLog

  var router: Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: PageProtection())
    router.add(middleware: LoopbackHostMiddleware())
    router.get("/") { _, _ in Self.response(PackageResources.console_html, "text/html; charset=utf-8") }
    router.get("/console.css") { _, _ in Self.response(PackageResources.console_css, "text/css; charset=utf-8") }
    router.get("/console.js") { _, _ in Self.response(PackageResources.console_js, "text/javascript; charset=utf-8") }
    router.get("/events") { request, _ in try events(for: request) }
    router.get("/requests/:number") { _, context in
      guard let number = Int(digits: try context.parameters.require("number")), let detail = log.detail(of: number)
      else {
        throw HTTPError(.notFound, message: "The request is no longer kept.")
      }
      return Self.response(detail, "application/json")
    }
    router.get("/buckets") { _, _ in Self.response(buckets.serialized, "application/json") }
    router.get("/objects") { request, _ in Self.response(try objects(for: request).serialized, "application/json") }
    return router
  }

  private static func response(_ bytes: [UInt8], _ type: String) -> Response {
    Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  // MARK: Events

  /// Returns the response with the events, which ends when the page or the console closes it.
  private func events(for request: Request) throws -> Response {
    let lastID = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
    guard let subscription = log.listen(after: lastID) else {
      throw HTTPError(
        .serviceUnavailable, message: "Too many pages show this console, or it is stopping. Close one of them.")
    }
    let body = ResponseBody { writer in
      // Without the handler, a page that was closed would be a listener until the next sign of life.
      var events = writer
      try await request.body.consumeWithInboundCloseHandler { _ in
        for event in subscription.missed { try await events.write(ByteBuffer(bytes: event.bytes)) }
        for await event in subscription.following { try await events.write(ByteBuffer(bytes: event.bytes)) }
      } onInboundClosed: {
        subscription.cancel()
      }
      try await events.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
  }

  // MARK: Buckets and objects

  private var buckets: JSONValue {
    let services = LocalCloud.Provider.allCases.map { provider -> JSONValue in
      let buckets = cloud.buckets(of: provider).map { bucket -> JSONValue in
        [
          "name": .string(bucket.name), "shown": .string(bucket.name.onOneLine),
          "created": .string(bucket.created.iso8601), "objects": .number(JSONNumber(bucket.objectCount)),
          "public": .bool(bucket.isPublic),
        ]
      }
      return ["service": .string(provider.rawValue), "buckets": .array(buckets)]
    }
    return ["services": .array(services)]
  }

  private func objects(for request: Request) throws -> JSONValue {
    func parameter(_ name: Substring) throws -> String {
      let value = request.uri.queryParameters[name].map(String.init) ?? ""
      guard value.utf8.count <= Self.parameterByteLimit else {
        throw HTTPError(.badRequest, message: "The parameter \(name) is too long.")
      }
      return value
    }
    guard let provider = LocalCloud.Provider(rawValue: try parameter("service")) else {
      let names = LocalCloud.Provider.allCases.map(\.rawValue).joined(separator: ", ")
      throw HTTPError(.badRequest, message: "The service is unknown; use one of: \(names).")
    }
    guard
      let page = cloud.objects(
        in: try parameter("bucket"), of: provider, prefix: try parameter("prefix"), after: try parameter("after"),
        limit: Self.pageSize)
    else { throw HTTPError(.notFound, message: "The bucket does not exist.") }
    let objects = page.objects.map { object -> JSONValue in
      [
        "shown": .string(object.key.onOneLine), "size": .number(JSONNumber(object.byteCount)),
        "modified": .string(object.modified.iso8601),
      ]
    }
    let folders = page.folders.map { folder -> JSONValue in
      ["prefix": .string(folder), "shown": .string(folder.onOneLine)]
    }
    return [
      "objects": .array(objects), "folders": .array(folders), "next": page.next.map { .string($0) } ?? .null,
    ]
  }
}

/// A middleware that keeps other web pages away from the console, and the console's page away from other servers.
///
/// Every response has a content security policy: the page loads scripts and styles from the console only, connects to no
/// other server, and cannot be shown in a frame. Requests that another site caused, as the browser states in
/// `Sec-Fetch-Site` (W3C, "Fetch Metadata Request Headers"), are rejected, except for opening the page itself.
struct PageProtection<Context: RequestContext>: RouterMiddleware {
  private static var headers: HTTPFields {
    var headers: HTTPFields = [
      .cacheControl: "no-store",
      .contentSecurityPolicy: """
      default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
      form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
      """,
      .xContentTypeOptions: "nosniff",
    ]
    for (name, value) in [
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ] {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    return headers
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

  /// Returns whether a request comes from the page of the console, from the user, or from a program.
  private func isAllowed(_ request: Request) -> Bool {
    func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
    guard let site = field("Sec-Fetch-Site"), site != "same-origin", site != "none" else { return true }
    return field("Sec-Fetch-Dest") == "document" && request.uri.path == "/"
  }
}
