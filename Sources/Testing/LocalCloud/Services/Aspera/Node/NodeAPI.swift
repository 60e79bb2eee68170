// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import CredentialSources
internal import HTTPTypes
internal import HummingbirdCore
internal import StorageAuth
internal import StorageCrypto
internal import StorageKeys

/// The simulated Node API, which authenticates the caller of a request, routes the request and performs it.
struct NodeAPI: Sendable {
  static let endpoint = LocalCloud.Endpoint.node

  let aspera: AsperaContext

  /// The port of the simulated transfer server, which setup responses contain.
  let transferPort: Int

  /// Authenticates the caller of a request, and performs the request.
  func response(to call: InboundCall) async throws -> Answer {
    if call.request.headerFields[.authorization] == nil {
      aspera.cloud.counters.count(Self.endpoint) { $0.unsigned += 1 }
    }
    let route = NodeRoute(call.request.method, call.path)
    // A ping needs no authorization: IBM's own client sends none in order to find out whether a server is a node.
    if case .ping? = route, call.request.headerFields[.authorization] == nil { return Answer() }
    let caller = try NodeAuthenticator(directory: aspera.directory).caller(of: call)
    guard let route else {
      throw ErrorResponse.node(.notFound, "There is no \(call.request.method.rawValue) \(call.path) here.")
    }
    if caller.bearerUser != nil, !accepts(bearerAt: route) {
      throw ErrorResponse.node(.unauthorized, "This call accepts only Basic authorization, and no bearer token.")
    }
    do {
      return try await perform(route, call, for: caller)
    } catch let problem as FileProblem {
      throw ErrorResponse.node(problem.relative(to: try caller.root))
    }
  }

  /// Returns the HTTP response for an error, with the error document of the Node API.
  func response(for error: ErrorResponse) -> Answer { Answer(["error": error.nodeDocument], error.status) }

  private func accepts(bearerAt route: NodeRoute) -> Bool {
    switch route {
    case .info, .paths(.downloadSetup): aspera.infoAcceptsBearer
    default: route.acceptsBearer
    }
  }

  private func perform(_ route: NodeRoute, _ call: InboundCall, for caller: NodeCaller) async throws -> Answer {
    let activity = ActivityService(aspera: aspera, caller: caller)
    return switch route {
    case .ping: Answer()
    case .info: info()
    case .accessKeys: accessKeys(for: caller)
    case .createAccessKey: try await createAccessKey(document(of: call), for: caller, at: call.date)
    case .accessKey(let name): try accessKey(name, for: caller)
    case .setAccessKey(let name): try setAccessKey(name, to: document(of: call), for: caller)
    case .deleteAccessKey(let name): try deleteAccessKey(name, for: caller)
    case .ownAccessKey: try accessKey("self", for: caller)
    case .addPublicKey: try addPublicKey(document(of: call))
    case .paths(let action):
      try await perform(
        action, PathService(aspera: aspera, root: caller.root), document(of: call), at: call.date, for: caller)
    case .contents(let path): try PathService(aspera: aspera, root: caller.root).contents(path)
    case .file(let id, let action): try await perform(action, id, FileService(aspera, for: caller), call)
    case .permissions: try PermissionService(aspera, for: caller).list(NodeQuery(call))
    case .createPermission: try PermissionService(aspera, for: caller).create(document(of: call), at: call.date)
    case .permission(let id): try PermissionService(aspera, for: caller).show(id, NodeQuery(call))
    case .changePermission(let id):
      try PermissionService(aspera, for: caller).change(id, document(of: call), at: call.date)
    case .deletePermission(let id): try PermissionService(aspera, for: caller).delete(id, at: call.date)
    case .transfers: try activity.transfers(NodeQuery(call))
    case .startTransfer:
      try await NodeCopy(aspera: aspera, caller: caller, transferPort: transferPort).start(
        document(of: call), at: call.date)
    case .transfer(let id): try activity.transfer(id)
    case .changeTransfer(let id): try activity.change(id, document(of: call), at: call.date)
    case .cancelTransfer(let id): try activity.cancel(id, at: call.date)
    case .events: try activity.events(NodeQuery(call))
    case .event(let id): try activity.event(id)
    case .space: try await activity.space(document(of: call))
    case .usage(let id): try activity.usage(id, NodeQuery(call))
    }
  }

  private func perform(
    _ action: NodeRoute.PathAction, _ service: PathService, _ document: JSONValue, at date: Timestamp,
    for caller: NodeCaller
  ) async throws -> Answer {
    switch action {
    case .uploadSetup: try setup(.send, document, for: caller, at: date)
    case .downloadSetup: try setup(.receive, document, for: caller, at: date)
    case .browse: try service.browse(document)
    case .page: try service.page(document)
    case .search: try service.search(document)
    case .du: try service.usage(document)
    case .info: try await service.forEachPath(document) { try service.info($0, &$1) }
    case .create: try await service.forEachPath(document) { element, _ in try await service.create(element, at: date) }
    case .delete: try await service.forEachPath(document) { element, _ in try await service.delete(element) }
    case .rename:
      try await service.forEachPath(document, repeating: ["path", "source", "destination"]) { element, _ in
        try await service.rename(element, at: date)
      }
    }
  }

  private func perform(
    _ action: NodeRoute.FileAction, _ id: String, _ service: FileService, _ call: InboundCall
  ) async throws -> Answer {
    let isVersion4 = call.header("accept-version") == "4.0"
    return switch action {
    case .show: try service.show(id, NodeQuery(call))
    case .change: try await service.change(id, document(of: call), at: call.date)
    case .delete: try await service.delete(id, inBackground: isVersion4)
    case .list where isVersion4:
      try service.listVersion4(id, NodeQuery(call), tokenInHeader: call.header("iteration_token"))
    case .list: try service.list(id, NodeQuery(call))
    case .create: try await service.create(id, document(of: call), at: call.date)
    case .content: try service.content(id)
    }
  }

  private func document(of call: InboundCall) throws(ErrorResponse) -> JSONValue {
    guard let document = try? JSONValue(parsing: call.call.body), document.object != nil else {
      throw .nodeBadRequest("The body is not an object in JSON.")
    }
    return document
  }

  private func info() -> Answer {
    Answer([
      "application": "node", "version": "4.4.6", "current_time": .string(aspera.cloud.now.iso8601),
      "transfer_user": .string(aspera.directory.transferUser),
      "settings": [["name": "ssh_fingerprint", "value": .string(aspera.hostKey.description)]],
    ])
  }

  /// Lists all access keys for a node user, and only its own for an access key.
  func accessKeys(for caller: NodeCaller) -> Answer {
    let keys = aspera.directory.accessKeys.filter { key in caller.accessKey.map { $0.id == key.id } ?? true }
    return Answer(.array(keys.map { document(for: $0) }))
  }

  /// Describes an access key, which the caller can name `self` if it is the caller's.
  func accessKey(_ name: String, for caller: NodeCaller) throws(ErrorResponse) -> Answer {
    Answer(document(for: try key(name, for: caller)))
  }

  /// Sets or removes the public key for verifying bearer tokens of an access key.
  func setAccessKey(
    _ name: String, to document: JSONValue, for caller: NodeCaller
  ) throws(ErrorResponse) -> Answer {
    let key = try key(name, for: caller)
    if document["token_verification_key"] != nil {
      let pem = try Self.verificationKey(document["token_verification_key"])
      aspera.directory.setTokenVerificationKey(pem, of: key.id)
    }
    return Answer(.noContent)
  }

  /// Creates an access key, which only a node user can do.
  func createAccessKey(_ document: JSONValue, for caller: NodeCaller, at date: Timestamp) async throws -> Answer {
    guard caller.accessKey == nil else {
      throw ErrorResponse.node(.forbidden, "Only a node user can create access keys.")
    }
    let storage = document["storage"]
    guard storage?["type"]?.string == "local", let path = NodePath(storage?["path"]?.string ?? "/") else {
      throw ErrorResponse.nodeBadRequest("The storage must be local, with a path that does not lead out of the root.")
    }
    let id = document["id"]?.string ?? BlobID.random().description
    let secret = document["secret"]?.string ?? RandomText.letters(40)
    guard !id.isEmpty, id.utf8.count <= 255, !id.utf8.contains(UInt8(ascii: ":")), !secret.isEmpty,
      secret.utf8.count <= 1_024
    else { throw ErrorResponse.nodeBadRequest("The id or the secret is empty or too long, or the id has a colon.") }
    let pem = try Self.verificationKey(document["token_verification_key"])
    let key = LocalCloud.NodeAccessKey(id: id, secret: Secret(secret), tokenVerificationKey: pem, path: path.text)
    try aspera.directory.add(key)
    try await aspera.prepare(key, at: date)
    guard case .object(var response) = self.document(for: key) else { return Answer() }
    // The only response that contains the secret, which the client cannot know if the node made it.
    response["secret"] = .string(secret)
    return Answer(.object(response))
  }

  /// Deletes an access key with its permissions, but not its files.
  func deleteAccessKey(_ name: String, for caller: NodeCaller) throws(ErrorResponse) -> Answer {
    let key = try key(name, for: caller)
    aspera.directory.removeAccessKey(key.id)
    aspera.files.register.removePermissions(of: key.id)
    aspera.activity.remove(key.id)
    return Answer(.noContent)
  }

  /// Adds a public key to the keys that a transfer user can log in with.
  func addPublicKey(_ document: JSONValue) throws(ErrorResponse) -> Answer {
    guard let line = document["public_key"]?.string else { throw .nodeBadRequest("The public_key is missing.") }
    let user = document["username"]?.string ?? aspera.directory.transferUser
    guard aspera.directory.add(publicKey: line, of: user) else {
      throw .nodeBadRequest("The public_key is not a line of authorized_keys, or there is no user \(user).")
    }
    return Answer(["username": .string(user), "public_key": .string(line)], .created)
  }

  private func key(_ name: String, for caller: NodeCaller) throws(ErrorResponse) -> LocalCloud.NodeAccessKey {
    guard let id = name == "self" ? caller.accessKey?.id : name, let key = aspera.directory.accessKey(id) else {
      throw .node(.notFound, "There is no access key \(name).")
    }
    if let own = caller.accessKey?.id, own != id {
      throw .node(.forbidden, "The access key \(id) is not the caller's.")
    }
    return key
  }

  private static func verificationKey(_ value: JSONValue?) throws(ErrorResponse) -> String? {
    switch value {
    case nil, .null?, .string("")?: return nil
    case .string(let pem)?:
      guard (try? PublicKey(pem: pem)) != nil else {
        throw .nodeBadRequest("The token_verification_key is not a public key in PEM.")
      }
      return pem
    default: throw .nodeBadRequest("The token_verification_key is not a string.")
    }
  }

  private func document(for key: LocalCloud.NodeAccessKey) -> JSONValue {
    let rootID = NodePath(key.path).map { aspera.files.register.rootID(of: $0) }
    return [
      "id": .string(key.id), "root_file_id": rootID.map { .string(String($0)) } ?? .null,
      "storage": ["type": "local", "path": .string(key.path)],
      "token_verification_key": key.tokenVerificationKey.map { .string($0) } ?? .null,
    ]
  }
}

extension ErrorResponse {
  /// Creates an error response of the Node API, whose error code is the HTTP status code.
  static func node(_ status: HTTPResponse.Status, _ message: String) -> ErrorResponse {
    ErrorResponse(status, String(status.code), message)
  }

  static func nodeBadRequest(_ message: String) -> ErrorResponse { node(.badRequest, message) }

  static func node(_ problem: FileProblem) -> ErrorResponse {
    switch problem {
    case .notFound: node(.notFound, problem.message)
    case .isFolder, .isNoFolder, .isRoot, .tooLong: node(.badRequest, problem.message)
    case .exists, .notEmpty: node(.conflict, problem.message)
    }
  }

  /// Creates the error response for an error that was thrown while a request to an API was handled.
  init(of error: any Error, failureCode: String) {
    switch error {
    case let error as ErrorResponse: self = error
    case let problem as FileProblem: self = .node(problem)
    default: self.init(.internalServerError, failureCode, "The server failed: \(Self.kind(of: error))")
    }
  }

  var nodeDocument: JSONValue {
    [
      "code": .number(JSONNumber(status.code)), "reason": .string(status.reasonPhrase),
      "user_message": .string(message),
    ]
  }
}

/// The HTTP request handler of the simulated Node API.
struct NodeGateway: Sendable {
  private static let bodyByteLimit = 8 * 1024 * 1024

  let api: NodeAPI
  let context: CloudContext

  @concurrent
  func respond(to request: Request, with writer: consuming ResponseWriter, _ record: RequestRecord?) async throws {
    let exchange = context.open(NodeAPI.endpoint, record)
    let date = context.now
    var response = try await context.answer(
      exchange, try await exchange.begin(), by: NodeAPI.endpoint, at: date, failureCode: "500",
      refusal: api.response(for:)
    ) {
      guard request.head.path?.utf8.first == UInt8(ascii: "/") else { throw ErrorResponse.unreadableTarget }
      guard let body = try await InboundCall.body(of: request, limit: Self.bodyByteLimit) else {
        throw ErrorResponse.node(.contentTooLarge, "The body is too long.")
      }
      return try await api.response(
        to: InboundCall(request.head, body: body, requestID: BlobID.random().description, at: date))
    }
    if response.status == .unauthorized { response.headers[.wwwAuthenticate] = "Basic realm=\"node\"" }
    let blobs = api.aspera.files.store.blobs
    try await exchange.send(response, to: request.method, with: writer) { extents, send in
      try await blobs.read(extents, send)
    }
  }
}

/// A call of the Node API, as the method and the path of a request name it.
enum NodeRoute: Sendable {
  case ping, info
  case accessKeys
  case accessKey(String)
  case setAccessKey(String)
  case createAccessKey
  case deleteAccessKey(String)
  case ownAccessKey
  case addPublicKey
  case paths(PathAction)
  /// The content of the file at a percent-encoded path.
  case contents(String)
  case file(String, FileAction)
  case permissions
  case createPermission
  case permission(String)
  case changePermission(String)
  case deletePermission(String)
  case transfers, startTransfer
  case transfer(String), changeTransfer(String), cancelTransfer(String)
  case events
  case event(String)
  case space
  case usage(String?)

  /// A call of the third generation, which names files by their paths in the document of the request.
  enum PathAction: String, Sendable {
    case browse, page, search, info, du, create, delete, rename
    case uploadSetup = "upload_setup"
    case downloadSetup = "download_setup"
  }

  /// A call of the fourth generation, which names a file by its ID.
  enum FileAction: Sendable {
    case show, change, delete, list, create, content
  }

  init?(_ method: HTTPRequest.Method, _ path: String) {
    let names = path.words(between: "/").map(String.init)
    switch (method, names.first, names.count) {
    case (.get, "ping", 1): self = .ping
    case (.get, "info", 1): self = .info
    case (.get, "access_keys", 1): self = .accessKeys
    case (.get, "access_keys", 2): self = .accessKey(names[1])
    case (.put, "access_keys", 2): self = .setAccessKey(names[1])
    case (.post, "access_keys", 1): self = .createAccessKey
    case (.delete, "access_keys", 2): self = .deleteAccessKey(names[1])
    case (.get, "self", 1): self = .ownAccessKey
    case (.post, "public_keys", 1): self = .addPublicKey
    case (_, "files", 2...3):
      guard let route = Self(method, file: names[1], names.count > 2 ? names[2] : nil) else { return nil }
      self = route
    case (.get, "permissions", 1): self = .permissions
    case (.post, "permissions", 1): self = .createPermission
    case (.get, "permissions", 2): self = .permission(names[1])
    case (.put, "permissions", 2): self = .changePermission(names[1])
    case (.delete, "permissions", 2): self = .deletePermission(names[1])
    case (_, "ops", 2...3) where names[1] == "transfers":
      guard let route = Self(method, transfer: names.count > 2 ? names[2] : nil) else { return nil }
      self = route
    case (.get, "events", 1): self = .events
    case (.get, "events", 2): self = .event(names[1])
    case (.post, "space", 1): self = .space
    case (.get, "usage", 1): self = .usage(nil)
    case (.get, "usage", 2): self = .usage(names[1])
    default: return nil
    }
  }

  private init?(_ method: HTTPRequest.Method, transfer id: String?) {
    switch (method, id) {
    case (.get, nil): self = .transfers
    case (.post, nil): self = .startTransfer
    case (.get, let id?): self = .transfer(id)
    case (.put, let id?): self = .changeTransfer(id)
    case (.delete, let id?): self = .cancelTransfer(id)
    default: return nil
    }
  }

  private init?(_ method: HTTPRequest.Method, file name: String, _ member: String?) {
    switch (method, member) {
    case (.post, nil):
      guard let action = PathAction(rawValue: name) else { return nil }
      self = .paths(action)
    case (.get, nil): self = .file(name, .show)
    case (.put, nil): self = .file(name, .change)
    case (.delete, nil): self = .file(name, .delete)
    case (.get, "files"?): self = .file(name, .list)
    case (.post, "files"?): self = .file(name, .create)
    case (.get, "content"?): self = .file(name, .content)
    case (.get, "contents"?): self = .contents(name)
    default: return nil
    }
  }

  /// Whether the call accepts a bearer token, and not only Basic authorization.
  ///
  /// IBM's description of the Node API lists the kinds of authorization (`security`) of each call.
  var acceptsBearer: Bool {
    switch self {
    case .ownAccessKey, .addPublicKey, .file, .permissions, .createPermission, .permission, .changePermission,
      .deletePermission, .transfers, .startTransfer, .transfer, .changeTransfer, .cancelTransfer, .events, .event,
      .usage:
      true
    case .ping, .info, .accessKeys, .createAccessKey, .accessKey, .setAccessKey, .deleteAccessKey, .paths, .contents,
      .space:
      false
    }
  }
}
