// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageKeys

/// The simulated Node API, which authenticates the caller of a request, routes the request and performs it.
struct NodeAPI: Sendable {
  static let endpoint = LocalCloud.Endpoint.node

  let aspera: AsperaContext

  /// The port of the simulated transfer server, which setup responses contain.
  let transferPort: Int

  /// Authenticates the caller of a request, performs the request and returns the response.
  ///
  /// - Throws: `ErrorResponse` or `FileProblem` if the request is rejected.
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
    switch route {
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
    case .file(let id, let action):
      try await perform(action, id, FileService(aspera, for: caller), call)
    case .permissions: try PermissionService(aspera, for: caller).list(NodeQuery(call))
    case .createPermission: try PermissionService(aspera, for: caller).create(document(of: call), at: call.date)
    case .permission(let id): try PermissionService(aspera, for: caller).show(id, NodeQuery(call))
    case .changePermission(let id):
      try PermissionService(aspera, for: caller).change(id, document(of: call), at: call.date)
    case .deletePermission(let id): try PermissionService(aspera, for: caller).delete(id, at: call.date)
    case .transfers, .startTransfer, .transfer, .changeTransfer, .cancelTransfer, .events, .event, .space, .usage:
      try await perform(route, ActivityService(aspera: aspera, caller: caller), call)
    }
  }

  private func perform(_ route: NodeRoute, _ service: ActivityService, _ call: InboundCall) async throws -> Answer {
    switch route {
    case .transfers: try service.transfers(NodeQuery(call))
    case .startTransfer:
      try await NodeCopy(aspera: aspera, caller: service.caller, transferPort: transferPort).start(
        document(of: call), at: call.date)
    case .transfer(let id): try service.transfer(id)
    case .changeTransfer(let id): try service.change(id, document(of: call), at: call.date)
    case .cancelTransfer(let id): try service.cancel(id, at: call.date)
    case .events: try service.events(NodeQuery(call))
    case .event(let id): try service.event(id)
    case .space: try await service.space(document(of: call))
    case .usage(let id): try service.usage(id, NodeQuery(call))
    default: throw ErrorResponse.node(.notFound, "There is no such call here.")
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
}

extension NodeAPI {
  /// The maximum number of transfer requests in a setup call.
  private static let transferRequestLimit = 1_000

  /// Handles a setup call, which prepares transfers.
  ///
  /// For each transfer request, the response contains a transfer specification with a token, or an error.
  func setup(
    _ direction: TransferDirection, _ document: JSONValue, for caller: NodeCaller, at date: Timestamp
  ) throws -> Answer {
    let root = try caller.root
    guard let elements = document["transfer_requests"]?.array, (1...Self.transferRequestLimit).contains(elements.count)
    else {
      throw ErrorResponse.nodeBadRequest(
        "There are no transfer_requests, or more than \(Self.transferRequestLimit).")
    }
    aspera.count { $0.setups += 1 }
    let specifications = try elements.map { element -> JSONValue in
      do {
        return ["transfer_spec": try specification(for: SetupRequest(direction, element, root), caller, at: date)]
      } catch let error as ErrorResponse {
        return ["error": error.nodeDocument]
      } catch let problem as FileProblem {
        return ["error": ErrorResponse.node(problem.relative(to: root)).nodeDocument]
      }
    }
    return Answer(["transfer_specs": .array(specifications)])
  }

  /// Returns the transfer specification for a transfer request, with a new token.
  ///
  /// A caller with a bearer token receives no other token: the permissions of folders determine what the bearer token
  /// grants access to.
  func specification(for order: SetupRequest, _ caller: NodeCaller, at date: Timestamp) throws -> JSONValue {
    let locations = try order.locations
    let isBearer = caller.bearerUser != nil
    if order.direction == .receive, !isBearer {
      for location in locations where try aspera.files.entry(at: location) == nil {
        throw FileProblem.notFound(location)
      }
    }
    let user = aspera.directory.transferUser
    for line in order.publicKeys where !aspera.directory.add(publicKey: line, of: user) {
      throw ErrorResponse.nodeBadRequest("One of the public_keys is not a line of authorized_keys.")
    }
    let lifetime = try order.lifetime
    var token: String?
    if !isBearer {
      token = aspera.tokens.issue(
        TransferClaim(
          direction: order.direction, user: user, accessKey: caller.accessKey?.id, creator: caller.userID,
          base: order.root, locations: locations, issued: date,
          end: date.advanced(by: aspera.tokenLifetime ?? lifetime)))
      aspera.cloud.counters.count(Self.endpoint) { $0.issued += 1 }
    }
    let port = JSONValue.number(JSONNumber(transferPort))
    var specification = JSONObject()
    specification["paths"] = order.answeredPaths
    specification["source_root"] = .string(order.request["source_root"]?.string ?? "")
    specification["destination_root"] = .string(order.answeredRoot)
    specification["token"] = token.map { .string($0) }
    specification["direction"] = .string(order.direction.rawValue)
    specification["cipher"] = "aes-128"
    specification["tags"] = order.request["tags"] ?? .null
    specification["cookie"] = order.request["cookie"]
    specification["rate_policy_allowed"] = "fixed"
    specification["rate_policy"] = "fair"
    specification["target_rate_kbps"] = 10_000
    specification["min_rate_kbps"] = 0
    specification["remote_host"] = "127.0.0.1"
    specification["remote_user"] = .string(user)
    specification["sshfp"] = .string(aspera.hostKey.description)
    specification["ssh_port"] = port
    specification["fasp_port"] = port
    specification["http_fallback"] = false
    return .object(specification)
  }
}

extension NodeAPI {
  /// Returns the response that lists the access keys that the caller can read.
  ///
  /// A node user can read all access keys; an access key can read only itself.
  func accessKeys(for caller: NodeCaller) -> Answer {
    let keys = aspera.directory.accessKeys.filter { key in caller.accessKey.map { $0.id == key.id } ?? true }
    return Answer(.array(keys.map { document(for: $0) }))
  }

  /// Returns the response that describes an access key.
  ///
  /// - Parameters:
  ///   - name: The ID of the access key, or `self` for the caller's access key.
  ///   - caller: The authenticated caller.
  func accessKey(_ name: String, for caller: NodeCaller) throws(ErrorResponse) -> Answer {
    Answer(document(for: try key(name, for: caller)))
  }

  /// Sets or removes the public key for verifying bearer tokens of an access key.
  ///
  /// - Parameters:
  ///   - name: The ID of the access key, or `self` for the caller's access key.
  ///   - document: The document in the request body.
  ///   - caller: The authenticated caller.
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

  /// Creates the error response of the Node API for an invalid request.
  static func nodeBadRequest(_ message: String) -> ErrorResponse { node(.badRequest, message) }

  /// Creates the error response of the Node API for a failed operation on a file or folder.
  static func node(_ problem: FileProblem) -> ErrorResponse {
    switch problem {
    case .notFound: node(.notFound, problem.message)
    case .isFolder, .isNoFolder, .isRoot, .tooLong: node(.badRequest, problem.message)
    case .exists, .notEmpty: node(.conflict, problem.message)
    }
  }

  /// The error document of the Node API for this error.
  var nodeDocument: JSONValue {
    [
      "code": .number(JSONNumber(status.code)), "reason": .string(status.reasonPhrase),
      "user_message": .string(message),
    ]
  }
}
