// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The simulated API of Aspera on Cloud, by IBM's description of the API and the requests of aspera-cli.
struct CloudAPI: APIHandler {
  private static let (organizationID, nodeID) = ("1", "1")
  let endpoint = LocalCloud.Endpoint.asperaOnCloud
  private let organization: LocalCloud.AsperaOnCloud?
  private let assertionCheck: AssertionCheck
  private let tokens = ExpiringTable<AccessToken>(capacity: AccessToken.capacity)
  private let aspera: AsperaContext
  private let node: ServiceEndpoint
  private let rootFileID: Int

  init(_ organization: LocalCloud.AsperaOnCloud?, _ aspera: AsperaContext, node: ServiceEndpoint) {
    self.organization = organization
    assertionCheck = AssertionCheck(
      clients: organization?.clients ?? [], users: organization?.users ?? [],
      rules: organization?.rules ?? LocalCloud.GrantRules(), audience: JWTGrant.asperaOnCloudAudience,
      errorResponse: { ErrorResponse(ofCloud: $0) })
    self.aspera = aspera
    self.node = node
    let root = organization.flatMap { aspera.directory.accessKey($0.accessKey) }.flatMap { NodePath($0.path) }
    rootFileID = aspera.files.register.registerRoot(root ?? .root)
  }

  /// Registers the key for the node's bearer tokens, and permits every user to access the root of the access key.
  func prepareNode(at date: Timestamp) throws {
    guard let organization else { return }
    let accessKey = organization.accessKey
    aspera.directory.setTokenVerificationKey(organization.nodeKey.publicKeyPEM, of: accessKey)
    for user in organization.users {
      let grant = FilePermission.Grant(
        fileID: rootFileID, isForGroup: false, accessID: try Self.id(of: user, in: organization), levels: .all)
      do throws(ErrorResponse) {
        _ = try aspera.files.register.addPermission(grant, of: accessKey, by: NodeCaller.administratorID, at: date)
      } catch {
        // With a conflict, the configuration of the access key determines the rights of this user.
        guard error.status == .conflict else {
          throw LocalCloudError("The users of Aspera on Cloud cannot be permitted to use the node: \(error.message)")
        }
      }
    }
  }

  func response(to call: InboundCall) async throws -> Answer {
    let segments = Self.segments(of: call)
    guard let organization else { throw ErrorResponse.cloudNotFound }
    if Self.isForTokenEndpoint(segments) {
      guard segments.count == 3, segments[1].isIdentical(to: organization.organization), segments[2] == "token" else {
        throw ErrorResponse.cloudNotFound
      }
      return try tokenResponse(to: call, organization)
    }
    guard let token = tokens.token(in: call), token.expiration > call.date else {
      throw ErrorResponse(.unauthorized, "unauthorized", "You are not authorized to perform the requested action")
    }
    guard call.request.method == .get else { throw ErrorResponse.cloudNotFound }
    switch (segments.first, segments.count) {
    case ("self", 1): return Answer(try userDocument(token.user, organization))
    case ("workspaces", 1): return try workspacesResponse(to: call, organization)
    case ("workspaces", 2):
      if let index = organization.workspaces.indices.first(where: { Self.workspaceID(at: $0) == segments[1] }) {
        return Answer(workspaceDocument(at: index, organization))
      }
    case ("nodes", 2) where segments[1] == Self.nodeID: return Answer(nodeDocument(organization))
    default: break
    }
    throw ErrorResponse.cloudNotFound
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    let document: JSONValue =
      if Self.isForTokenEndpoint(Self.segments(of: call)) {
        ["error": .string(error.code), "error_description": .string(error.message), "state": .null]
      } else {
        ["code": .string(error.code), "message": .string(error.message), "request_id": .string(call.requestID)]
      }
    return Answer(document, error.status)
  }

  private static func segments(of call: InboundCall) -> [String] {
    let segments = call.path.words(between: "/").map(String.init)
    return segments.starts(with: ["api", "v1"]) ? Array(segments.dropFirst(2)) : segments
  }

  private static func isForTokenEndpoint(_ segments: [String]) -> Bool { segments.first == "oauth2" }

  private func tokenResponse(to call: InboundCall, _ organization: LocalCloud.AsperaOnCloud) throws -> Answer {
    let (request, user) = try assertionCheck.verifyGrant(in: call)
    let scope = request.scope ?? "user:all"
    let lifetime = organization.rules.tokenLifetime
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
      userID: try Self.id(of: user, in: organization), scope: scope, expiration: expiration,
      organizationID: Self.organizationID)
    let token = try NodeBearerToken(claims, signedWith: organization.nodeKey).secret.reveal()
    // The node verifies the signature of this token, so no table contains it; here is the only place to report it.
    TransferTokenTable.watcher.withLock { $0 }?(token)
    return token
  }

  /// Returns the ID of a user in documents and tokens: the user's number in the organization, from 1.
  private static func id(
    of user: LocalCloud.OAuthUser, in organization: LocalCloud.AsperaOnCloud
  ) throws(ErrorResponse) -> String {
    guard let index = organization.users.firstIndex(where: { $0.email == user.email }) else { throw .cloudNotFound }
    return String(index + 1)
  }

  private static func workspaceID(at index: Int) -> String { String(index + 1) }

  private func userDocument(
    _ user: LocalCloud.OAuthUser, _ organization: LocalCloud.AsperaOnCloud
  ) throws(ErrorResponse) -> JSONValue {
    [
      "id": .string(try Self.id(of: user, in: organization)), "email": .string(user.email), "name": .string(user.name),
      "organization_id": .string(Self.organizationID), "default_workspace_id": .string(Self.workspaceID(at: 0)),
      "deactivated": false, "organization_admin": false, "member_of_any_workspace": true,
    ]
  }

  private func workspaceDocument(at index: Int, _ organization: LocalCloud.AsperaOnCloud) -> JSONValue {
    let rootFileID = JSONValue.string(String(rootFileID))
    return [
      "id": .string(Self.workspaceID(at: index)), "name": .string(organization.workspaces[index]),
      "organization_id": .string(Self.organizationID), "node_id": .string(Self.nodeID),
      "home_node_id": .string(Self.nodeID), "home_file_id": rootFileID, "root_file_id": rootFileID, "member": true,
    ]
  }

  /// Returns the workspaces whose names contain the parameter `q` and equal the parameter `name`, in any letter case.
  private func workspacesResponse(to call: InboundCall, _ organization: LocalCloud.AsperaOnCloud) throws -> Answer {
    guard call.parameters != nil else { throw ErrorResponse.cloudNotFound }
    let foundIndices = organization.workspaces.indices.filter { index in
      let name = organization.workspaces[index].asciiLowercased
      return call["q"].map { name.containsBytes(of: $0.asciiLowercased) } ?? true
        && call["name"].map { name.isIdentical(to: $0.asciiLowercased) } ?? true
    }
    // The first page contains all workspaces; the empty second page ends a client's listing.
    let pageIndices = (call["page"] ?? "1") == "1" ? foundIndices : []
    var response = Answer(.array(pageIndices.map { workspaceDocument(at: $0, organization) }))
    response.headers.set("X-Total-Count", String(foundIndices.count))
    return response
  }

  private func nodeDocument(_ organization: LocalCloud.AsperaOnCloud) -> JSONValue {
    let parts = node.authority.parts(between: ":", maxSplits: 1).map(String.init)
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
    case .unsupportedGrantType: self.init(.badRequest, "unsupported_grant_type", "grant type not supported")
    case .unknownClient, .wrongSecret: self.init(.unauthorized, "invalid_client", "invalid client id or secret")
    case .assertion(let problem): self.init(.badRequest, "invalid_grant", problem.message)
    }
  }
}
