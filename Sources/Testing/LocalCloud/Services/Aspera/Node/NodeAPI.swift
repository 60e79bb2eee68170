// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The simulated Node API, which authenticates the caller of a request, routes the request and performs it.
struct NodeAPI: Sendable {
  static let endpoint = LocalCloud.Endpoint.node

  let aspera: AsperaContext

  /// The port of the simulated transfer server, which setup responses contain.
  let transferPort: Int

  /// Authenticates the caller of a request, performs the request and returns the response.
  ///
  /// - Throws: `RefusalAnswer` or `FileProblem` if the request is rejected.
  func answer(to call: InboundCall) async throws -> Answer {
    if call.request.headerFields[.authorization] == nil {
      aspera.cloud.counters.count(Self.endpoint) { $0.unsigned += 1 }
    }
    let route = NodeRoute(call.request.method, call.path)
    // A ping needs no authorization: IBM's own client sends none in order to find out whether a server is a node.
    if case .ping? = route, call.request.headerFields[.authorization] == nil { return Answer() }
    let caller = try NodeAuthenticator(directory: aspera.directory).caller(of: call)
    guard let route else {
      throw RefusalAnswer.node(.notFound, "There is no \(call.request.method.rawValue) \(call.path) here.")
    }
    if caller.bearerUser != nil, !accepts(bearerAt: route) {
      throw RefusalAnswer.node(.unauthorized, "This call accepts only Basic authorization, and no bearer token.")
    }
    do {
      return try await perform(route, call, for: caller)
    } catch let problem as FileProblem {
      throw RefusalAnswer.node(problem.relative(to: try caller.root))
    }
  }

  /// Returns the HTTP response for an error, with the error document of the Node API.
  func answer(for error: RefusalAnswer) -> Answer { Answer(["error": error.nodeDocument], error.status) }

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
    default: throw RefusalAnswer.node(.notFound, "There is no such call here.")
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

  private func document(of call: InboundCall) throws(RefusalAnswer) -> JSONValue {
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
