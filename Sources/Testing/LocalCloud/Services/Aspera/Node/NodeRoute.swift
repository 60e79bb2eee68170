// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth

/// A kind of call of the Node API: the authorization that it accepts, and the function that performs it.
///
/// In closures without names, `$0` is the API or the service, `$1` the call, and `$2` the caller.
struct NodeRoute: Sendable {
  /// The authorization that a call accepts, by `security` in IBM's description of the Node API.
  enum Authorization: Sendable {
    case basic, basicOrBearer
    /// Basic authorization, or a bearer token if the node's configuration allows it.
    case configured
    /// None, or Basic authorization. IBM's own client sends none to find out whether a server is a node.
    case optional
  }

  typealias Action = @Sendable (NodeAPI, InboundCall, NodeCaller) async throws -> Answer
  let authorization: Authorization
  let perform: Action

  private init(_ authorization: Authorization, _ perform: @escaping Action) {
    (self.authorization, self.perform) = (authorization, perform)
  }

  init?(_ method: HTTPRequest.Method, _ path: String) {
    let names = path.words(between: "/").map(String.init)
    let last = names.last ?? ""
    switch (method, names.first, names.count) {
    case (.get, "ping", 1): self.init(.optional) { _, _, _ in Answer() }
    case (.get, "info", 1): self.init(.configured) { api, _, _ in api.info() }
    case (.get, "access_keys", 1): self.init(.basic) { api, _, caller in api.accessKeys(for: caller) }
    case (.get, "access_keys", 2): self.init(.basic) { api, _, caller in try api.accessKey(last, for: caller) }
    case (.put, "access_keys", 2): self.init(.basic) { try $0.changeAccessKey(last, $1.jsonBody, for: $2) }
    case (.post, "access_keys", 1):
      self.init(.basic) { try await $0.createAccessKey($1.jsonBody, for: $2, at: $1.date) }
    case (.delete, "access_keys", 2): self.init(.basic) { api, _, caller in try api.deleteAccessKey(last, for: caller) }
    case (.get, "self", 1): self.init(.basicOrBearer) { api, _, caller in try api.accessKey("self", for: caller) }
    case (.post, "public_keys", 1): self.init(.basicOrBearer) { api, call, _ in try api.addPublicKey(call.jsonBody) }
    // The calls of the third generation use POST and have the name of an action where others have the ID of a file.
    case (.post, "files", 2): self.init(pathAction: last)
    case (_, "files", 2...3): self.init(method, fileID: names[1], attribute: names.count > 2 ? last : nil)
    case (.get, "permissions", 1): self.init(permissions: { try $0.list(NodeQuery($1)) })
    case (.post, "permissions", 1): self.init(permissions: { try $0.create($1.jsonBody, at: $1.date) })
    case (.get, "permissions", 2): self.init(permissions: { try $0.show(last, NodeQuery($1)) })
    case (.put, "permissions", 2): self.init(permissions: { try $0.change(last, $1.jsonBody, at: $1.date) })
    case (.delete, "permissions", 2): self.init(permissions: { try $0.delete(last, at: $1.date) })
    case (.post, "ops", 2) where last == "transfers":
      self.init(.basicOrBearer) { api, call, caller in
        let copy = NodeCopy(aspera: api.aspera, caller: caller, transferPort: api.transferPort)
        return try await copy.perform(call.jsonBody, at: call.date)
      }
    case (.get, "ops", 2) where last == "transfers": self.init(activity: { try $0.transfers(NodeQuery($1)) })
    case (.get, "ops", 3) where names[1] == "transfers":
      self.init(activity: { service, _ in try service.transfer(last) })
    case (.put, "ops", 3) where names[1] == "transfers":
      self.init(activity: { try $0.change(last, $1.jsonBody, at: $1.date) })
    case (.delete, "ops", 3) where names[1] == "transfers": self.init(activity: { try $0.cancel(last, at: $1.date) })
    case (.get, "events", 1): self.init(activity: { try $0.events(NodeQuery($1)) })
    case (.get, "events", 2): self.init(activity: { service, _ in try service.event(last) })
    case (.post, "space", 1): self.init(.basic, activity: { try await $0.space($1.jsonBody) })
    case (.get, "usage", 1): self.init(activity: { try $0.usage(nil, NodeQuery($1)) })
    case (.get, "usage", 2): self.init(activity: { try $0.usage(last, NodeQuery($1)) })
    default: return nil
    }
  }

  private init?(pathAction: String) {
    switch pathAction {
    case "upload_setup": self.init(.basic) { try $0.setup(.send, $1.jsonBody, for: $2, at: $1.date) }
    case "download_setup": self.init(.configured) { try $0.setup(.receive, $1.jsonBody, for: $2, at: $1.date) }
    case "browse": self.init(paths: { try $0.browse($1.jsonBody) })
    case "page": self.init(paths: { try $0.page($1.jsonBody) })
    case "search": self.init(paths: { try $0.search($1.jsonBody) })
    case "du": self.init(paths: { try $0.usage($1.jsonBody) })
    case "info":
      self.init(eachPath: { service, element, result, _ in try service.addInfo(about: element, to: &result) })
    case "create": self.init(eachPath: { service, element, _, date in try await service.create(element, at: date) })
    case "delete": self.init(eachPath: { service, element, _, _ in try await service.delete(element) })
    case "rename":
      self.init(repeating: ["path", "source", "destination"]) { service, element, _, _ in
        try await service.rename(element)
      }
    default: return nil
    }
  }

  /// Creates the route of a call about the file with an ID, which is a percent-encoded path for `contents`.
  private init?(_ method: HTTPRequest.Method, fileID id: String, attribute: String?) {
    switch (method, attribute) {
    case (.get, nil): self.init(files: { try $0.show(id, NodeQuery($1)) })
    case (.put, nil): self.init(files: { try await $0.rename(id, $1.jsonBody) })
    case (.delete, nil): self.init(files: { try await $0.delete(id, asJob: $1.isVersion4) })
    case (.get, "files"?):
      self.init(files: { service, call in
        guard call.isVersion4 else { return try service.list(id, NodeQuery(call)) }
        return try service.listVersion4(id, NodeQuery(call), tokenInHeader: call.header("iteration_token"))
      })
    case (.post, "files"?): self.init(files: { try await $0.create($1.jsonBody, inFolder: id, at: $1.date) })
    case (.get, "content"?): self.init(files: { service, _ in try service.content(id) })
    case (.get, "contents"?): self.init(paths: { service, _ in try service.contents(id) })
    default: return nil
    }
  }

  private init(paths perform: @escaping @Sendable (PathService, InboundCall) async throws -> Answer) {
    self.init(.basic) { try await perform(PathService(aspera: $0.aspera, root: $2.root), $1) }
  }

  private init(
    repeating members: [String] = ["path"],
    eachPath perform: @escaping @Sendable (PathService, JSONValue, inout JSONObject, Timestamp) async throws -> Void
  ) {
    self.init(paths: { service, call in
      try await service.forEachPath(call.jsonBody, repeating: members) { element, result in
        try await perform(service, element, &result, call.date)
      }
    })
  }

  private init(files perform: @escaping @Sendable (FileService, InboundCall) async throws -> Answer) {
    self.init(.basicOrBearer) { try await perform(FileService($0.aspera, for: $2), $1) }
  }

  private init(permissions perform: @escaping @Sendable (PermissionService, InboundCall) throws -> Answer) {
    self.init(.basicOrBearer) { try perform(PermissionService($0.aspera, for: $2), $1) }
  }

  private init(
    _ authorization: Authorization = .basicOrBearer,
    activity perform: @escaping @Sendable (ActivityService, InboundCall) async throws -> Answer
  ) {
    self.init(authorization) { try await perform(ActivityService(aspera: $0.aspera, caller: $2), $1) }
  }
}

extension InboundCall {
  fileprivate var isVersion4: Bool { header("accept-version") == "4.0" }

  fileprivate var jsonBody: JSONValue {
    get throws(ErrorResponse) {
      guard let document = try? JSONValue(parsing: call.body), document.object != nil else {
        throw .nodeBadRequest("The body is not an object in JSON.")
      }
      return document
    }
  }
}
