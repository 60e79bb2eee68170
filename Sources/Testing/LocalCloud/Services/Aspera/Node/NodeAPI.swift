// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The simulated Node API: the authentication of callers, and the calls about the node itself and its access keys.
struct NodeAPI: APIHandler {
  let endpoint = LocalCloud.Endpoint.node
  let aspera: AsperaContext
  let transferPort: Int

  func response(to call: InboundCall) async throws -> Answer {
    if call.request.headerFields[.authorization] == nil { aspera.cloud.counters.count(endpoint) { $0.unsigned += 1 } }
    let route = NodeRoute(call.request.method, call.path)
    // Only `/ping` needs no caller.
    if route?.authorization == .optional, call.request.headerFields[.authorization] == nil { return Answer() }
    let caller = try NodeAuthenticator(directory: aspera.directory).caller(of: call)
    guard let route else {
      throw ErrorResponse.node(.notFound, "There is no \(call.request.method.rawValue) \(call.path) here.")
    }
    let acceptsBearer =
      route.authorization == .basicOrBearer || route.authorization == .configured && aspera.infoAcceptsBearer
    guard acceptsBearer || caller.bearerUser == nil else {
      throw ErrorResponse.node(.unauthorized, "This call accepts only Basic authorization, and no bearer token.")
    }
    do {
      return try await route.perform(self, call, caller)
    } catch let problem as FileProblem {
      throw ErrorResponse.node(problem.relative(to: try caller.root))
    }
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    var response = Answer(["error": error.nodeDocument], error.status)
    if error.status == .unauthorized { response.headers[.wwwAuthenticate] = "Basic realm=\"node\"" }
    return response
  }

  func info() -> Answer {
    Answer([
      "application": "node", "version": "4.4.6", "current_time": .string(aspera.cloud.now.iso8601),
      "transfer_user": .string(aspera.directory.transferUser),
      "settings": [["name": "ssh_fingerprint", "value": .string(aspera.hostKey.description)]],
    ])
  }

  func accessKeys(for caller: NodeCaller) -> Answer {
    let keys = aspera.directory.accessKeys.filter { key in caller.accessKey.map { $0.id == key.id } ?? true }
    return Answer(.array(keys.map { .object(document(for: $0)) }))
  }

  /// Describes an access key, which the caller can name `self` if it is the caller's.
  func accessKey(_ name: String, for caller: NodeCaller) throws(ErrorResponse) -> Answer {
    Answer(.object(document(for: try key(name, for: caller))))
  }

  /// Changes the verification key of an access key, the only property of it that this node can change.
  func changeAccessKey(_ name: String, _ body: JSONValue, for caller: NodeCaller) throws(ErrorResponse) -> Answer {
    let key = try key(name, for: caller)
    if let pem = body["token_verification_key"] {
      aspera.directory.setTokenVerificationKey(try Self.verificationKey(pem), of: key.id)
    }
    return Answer(.noContent)
  }

  func createAccessKey(_ body: JSONValue, for caller: NodeCaller, at date: Timestamp) async throws -> Answer {
    guard caller.accessKey == nil else {
      throw ErrorResponse.node(.forbidden, "Only a node user can create access keys.")
    }
    let storage = body["storage"]
    guard storage?["type"]?.string == "local", let path = NodePath(storage?["path"]?.string ?? "/") else {
      throw ErrorResponse.nodeBadRequest("The storage must be local, with a path that does not lead out of the root.")
    }
    let id = body["id"]?.string ?? BlobID.random().description
    let secret = body["secret"]?.string ?? RandomText.alphanumerics(40)
    // The ID and the secret are the name and the password of Basic authorization, which a colon separates.
    try require(
      (1...255).contains(id.utf8.count) && !id.utf8.contains(UInt8(ascii: ":"))
        && (1...1_024).contains(secret.utf8.count),
      "The id or the secret is empty or too long, or the id has a colon.")
    let pem = try Self.verificationKey(body["token_verification_key"])
    let key = LocalCloud.NodeAccessKey(id: id, secret: Secret(secret), tokenVerificationKey: pem, path: path.text)
    try aspera.directory.add(key)
    do {
      try await aspera.prepare(key, at: date)
    } catch {
      aspera.directory.removeAccessKey(id)
      throw error
    }
    var document = document(for: key)
    // No other response contains the secret, which the client does not know if the node has made it.
    document["secret"] = .string(secret)
    return Answer(.object(document))
  }

  /// Deletes an access key with its permissions, but not its files.
  func deleteAccessKey(_ name: String, for caller: NodeCaller) throws(ErrorResponse) -> Answer {
    let key = try key(name, for: caller)
    aspera.directory.removeAccessKey(key.id)
    aspera.files.register.removePermissions(of: key.id)
    if let root = NodePath(key.path), !aspera.directory.accessKeys.contains(where: { NodePath($0.path) == root }) {
      aspera.files.register.unregisterRoot(root)
    }
    aspera.activity.removeAll(of: key.id)
    return Answer(.noContent)
  }

  /// Adds a public key with which a user can log in to the transfer server.
  func addPublicKey(_ body: JSONValue) throws(ErrorResponse) -> Answer {
    let line = try (body["public_key"]?.string).required("The public_key is missing.")
    let user = body["username"]?.string ?? aspera.directory.transferUser
    try require(
      aspera.directory.add(publicKeys: [line], of: user),
      "The public_key is not a line of authorized_keys, or there is no user \(user).")
    return Answer(["username": .string(user), "public_key": .string(line)], .created)
  }

  private func key(_ name: String, for caller: NodeCaller) throws(ErrorResponse) -> LocalCloud.NodeAccessKey {
    let ownID = caller.accessKey?.id
    guard let id = name == "self" ? ownID : name, let key = aspera.directory.accessKey(id) else {
      throw .noSuch("access key", name)
    }
    guard ownID == nil || ownID == id else { throw .node(.forbidden, "The access key \(id) is not the caller's.") }
    return key
  }

  private static func verificationKey(_ value: JSONValue?) throws(ErrorResponse) -> String? {
    switch value {
    case nil, .null?, .string("")?: return nil
    case .string(let pem)?:
      try require((try? PublicKey(pem: pem)) != nil, "The token_verification_key is not a public key in PEM.")
      return pem
    default: throw .nodeBadRequest("The token_verification_key is not a string.")
    }
  }

  private func document(for key: LocalCloud.NodeAccessKey) -> JSONObject {
    let rootID = NodePath(key.path).map { String(aspera.files.register.registerRoot($0)) }
    return [
      "id": .string(key.id), "root_file_id": rootID.map { .string($0) } ?? .null,
      "storage": ["type": "local", "path": .string(key.path)],
      "token_verification_key": key.tokenVerificationKey.map { .string($0) } ?? .null,
    ]
  }
}

/// Throws a Bad Request response of the Node API, unless a condition holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(ErrorResponse) {
  if !condition { throw .nodeBadRequest(message()) }
}

extension Optional {
  /// Returns the value, or throws a Bad Request response of the Node API if it is `nil`.
  func required(_ message: @autoclosure () -> String) throws(ErrorResponse) -> Wrapped {
    guard let self else { throw .nodeBadRequest(message()) }
    return self
  }
}

extension ErrorResponse {
  static func node(_ status: HTTPResponse.Status, _ message: String) -> ErrorResponse {
    ErrorResponse(status, String(status.code), message)
  }

  static func nodeBadRequest(_ message: String) -> ErrorResponse { node(.badRequest, message) }

  /// Returns the error for an ID in the path of a call that the node does not know; a long ID is shortened.
  static func noSuch(_ kind: String, _ id: String) -> ErrorResponse {
    node(.notFound, "There is no \(kind) \(id.shortened(to: 64)).")
  }

  static func node(_ problem: FileProblem) -> ErrorResponse { node(problem.status, problem.message) }

  init(of error: any Error, failureCode: String) {
    switch error {
    case let error as ErrorResponse: self = error
    case let problem as FileProblem: self = .node(problem)
    default: self.init(.internalServerError, failureCode, "The server failed: \(Self.kind(of: error))")
    }
  }

  var nodeDocument: JSONValue {
    ["code": .integer(status.code), "reason": .string(status.reasonPhrase), "user_message": .string(message)]
  }
}

struct NodeGateway: APIGateway {
  let api: NodeAPI
  let bodyByteLimit = 8 * 1024 * 1024
  let errorCodes = (tooLong: "413", failure: "500")
  var context: CloudContext { api.aspera.cloud }
  var blobs: BlobStore? { api.aspera.files.store.blobs }
  func endpoint(of request: HTTPRequest) -> LocalCloud.Endpoint { api.endpoint }
  func handler(for call: InboundCall) -> any APIHandler { api }
}
