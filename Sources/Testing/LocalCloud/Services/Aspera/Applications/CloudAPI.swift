// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import StorageAuth

/// The simulated API of Aspera on Cloud: its token endpoint, and what a client needs to find its files.
///
/// Paths and members are those of IBM's description of the API and of the requests of aspera-cli.
struct CloudAPI: APIHandler {
  private static let nodeID = "1"

  let endpoint = LocalCloud.Endpoint.asperaOnCloud
  private let organization: LocalCloud.AsperaOnCloud?
  private let check: AssertionCheck
  private let tokens = ExpiringTable<AccessToken>(capacity: 20_000)
  private let aspera: AsperaContext
  private let node: ServiceEndpoint
  private let rootFileID: String

  init(_ organization: LocalCloud.AsperaOnCloud?, _ aspera: AsperaContext, node: ServiceEndpoint) {
    self.organization = organization
    check = AssertionCheck(
      clients: organization?.clients ?? [], users: organization?.users ?? [],
      rules: organization?.rules ?? LocalCloud.GrantRules(), audience: JWTGrant.asperaOnCloudAudience,
      errorResponse: { ErrorResponse(ofCloud: $0) })
    self.aspera = aspera
    self.node = node
    let root = organization.flatMap { aspera.directory.accessKey($0.accessKey) }.flatMap { NodePath($0.path) }
    rootFileID = String(aspera.files.register.rootID(of: root ?? .root))
  }

  /// Registers the key for the node's bearer tokens, and permits every user to access the root of the access key.
  func prepare(at date: Timestamp) throws {
    guard let organization else { return }
    aspera.directory.setTokenVerificationKey(organization.nodeKey.publicKeyPEM, of: organization.accessKey)
    guard let fileID = FileRegister.number(rootFileID) else { return }
    for user in organization.users {
      let grant = FilePermission.Grant(
        fileID: fileID, isForGroup: false, accessID: Self.id(of: user, organization), levels: .all)
      do throws(ErrorResponse) {
        _ = try aspera.files.register.add(grant, of: organization.accessKey, by: NodeCaller.administratorID, at: date)
      } catch {
        // With a conflict, the configuration of the access key determines the rights of this user.
        guard error.status == .conflict else {
          throw LocalCloudError("The users of Aspera on Cloud cannot be permitted to use the node: \(error.message)")
        }
      }
    }
  }

  func response(to call: InboundCall) async throws -> Answer {
    var names = call.path.words(between: "/").map(String.init)
    if names.starts(with: ["api", "v1"]) { names.removeFirst(2) }
    guard let organization else { throw ErrorResponse.cloudNotFound }
    if names.first == "oauth2" {
      guard names.count == 3, names[1].isIdentical(to: organization.organization), names[2] == "token" else {
        throw ErrorResponse.cloudNotFound
      }
      return try token(call, organization)
    }
    guard let token = tokens.token(of: call), token.expiration > call.date else {
      throw ErrorResponse(.unauthorized, "unauthorized", "You are not authorized to perform the requested action")
    }
    guard call.request.method == .get else { throw ErrorResponse.cloudNotFound }
    switch (names.first, names.count) {
    case ("self", 1): return Answer(user(token.user, organization))
    case ("workspaces", 1): return try workspaces(call, organization)
    case ("workspaces", 2):
      guard let index = organization.workspaces.indices.first(where: { String($0 + 1) == names[1] }) else { break }
      return Answer(workspace(index, organization))
    case ("nodes", 2) where names[1] == Self.nodeID: return Answer(nodeDocument(organization))
    default: break
    }
    throw ErrorResponse.cloudNotFound
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    if call.path.words(between: "/").contains("oauth2") {
      return Answer(
        ["error": .string(error.code), "error_description": .string(error.message), "state": .null], error.status)
    }
    return Answer(
      ["code": .string(error.code), "message": .string(error.message), "request_id": .string(call.requestID)],
      error.status)
  }

  private func token(_ call: InboundCall, _ organization: LocalCloud.AsperaOnCloud) throws -> Answer {
    let (request, user) = try check.grant(call)
    let lifetime = organization.rules.tokenLifetime
    let scope = request.scope ?? "user:all"
    let expiration = call.date.advanced(by: lifetime)
    let token: String
    if ["user:all", "admin:all", "self"].contains(scope) {
      token = RandomText.alphanumerics(64)
      tokens.add(token, AccessToken(user: user, expiration: expiration), at: call.date)
    } else {
      token = try nodeToken(for: user, scope, until: expiration, organization)
    }
    aspera.cloud.counters.count(endpoint) { $0.issued += 1 }
    return Answer([
      "access_token": .string(token), "token_type": "Bearer", "scope": .string(scope),
      "expires_in": .integer(lifetime.components.seconds),
    ])
  }

  private func nodeToken(
    for user: LocalCloud.OAuthUser, _ scope: String, until expiration: Timestamp,
    _ organization: LocalCloud.AsperaOnCloud
  ) throws -> String {
    guard let scope = NodeScope(scope), scope.accessKey.isIdentical(to: organization.accessKey),
      [NodeScope.user, NodeScope.admin].contains(scope.role)
    else { throw ErrorResponse(.badRequest, "invalid_scope", "The scope is not known.") }
    let claims = NodeBearerClaims(
      userID: Self.id(of: user, organization), scope: scope, expiration: expiration, organizationID: "1")
    let token = try NodeBearerToken(claims, signedWith: organization.nodeKey).secret.reveal()
    TransferTokenTable.watcher.withLock { $0 }?(token)
    return token
  }

  private static func id(of user: LocalCloud.OAuthUser, _ organization: LocalCloud.AsperaOnCloud) -> String {
    String((organization.users.firstIndex { $0.email == user.email } ?? 0) + 1)
  }

  private func user(_ user: LocalCloud.OAuthUser, _ organization: LocalCloud.AsperaOnCloud) -> JSONValue {
    [
      "id": .string(Self.id(of: user, organization)), "email": .string(user.email), "name": .string(user.name),
      "organization_id": "1", "default_workspace_id": "1", "deactivated": false, "organization_admin": false,
      "member_of_any_workspace": true,
    ]
  }

  private func workspace(_ index: Int, _ organization: LocalCloud.AsperaOnCloud) -> JSONValue {
    [
      "id": .string(String(index + 1)), "name": .string(organization.workspaces[index]), "organization_id": "1",
      "node_id": .string(Self.nodeID), "home_node_id": .string(Self.nodeID),
      "home_file_id": .string(rootFileID), "root_file_id": .string(rootFileID), "member": true,
    ]
  }

  /// Returns a page of the workspaces whose names contain the parameter `q` and equal the parameter `name`.
  private func workspaces(_ call: InboundCall, _ organization: LocalCloud.AsperaOnCloud) throws -> Answer {
    guard call.parameters != nil else { throw ErrorResponse.cloudNotFound }
    let found = organization.workspaces.indices.filter { index in
      let name = organization.workspaces[index].asciiLowercased
      return call["q"].map { name.containsBytes(of: $0.asciiLowercased) } ?? true
        && call["name"].map { name.isIdentical(to: $0.asciiLowercased) } ?? true
    }
    let page = (call["page"] ?? "1") == "1" ? found : []
    var response = Answer(.array(page.map { workspace($0, organization) }))
    response.headers.set("X-Total-Count", String(found.count))
    return response
  }

  private func nodeDocument(_ organization: LocalCloud.AsperaOnCloud) -> JSONValue {
    let parts = node.authority.parts(between: ":", atMost: 1).map(String.init)
    return [
      "id": .string(Self.nodeID), "name": "local node", "access_key": .string(organization.accessKey),
      "host": .string(parts[0]), "port": .integer(parts.dropFirst().first.flatMap { Int(digits: $0) } ?? 0),
      "url": .string("\(node.scheme)://\(node.authority)"), "use_ssl": false, "transfer_url": "",
      "ssh_fingerprint": .string(aspera.hostKey.description), "status": "active",
    ]
  }
}

extension ErrorResponse {
  fileprivate static let cloudNotFound = ErrorResponse(
    .notFound, "not_found", "The resource you were looking for does not exist")

  fileprivate init(ofCloud problem: GrantRequest.Problem) {
    switch problem {
    case .malformed(let message): self.init(.badRequest, "invalid_request", message)
    case .grantType: self.init(.badRequest, "unsupported_grant_type", "grant type not supported")
    case .client, .secret: self.init(.unauthorized, "invalid_client", "invalid client id or secret")
    case .assertion(let problem): self.init(.badRequest, "invalid_grant", problem.message)
    }
  }
}
