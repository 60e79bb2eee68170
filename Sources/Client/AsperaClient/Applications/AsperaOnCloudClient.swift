// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A client that finds a user's files in IBM Aspera on Cloud.
///
/// The user's public key is registered in the user's profile, and the API client may use JWT grants for the user.
///
/// ```swift
/// let cloud = AsperaOnCloudClient(
///   organization: "acme", user: "mia@example.com", clientID: id, clientSecret: secret, key: key)
/// let folder = try await cloud.homeFolder(inWorkspace: "Film")
/// ```
public struct AsperaOnCloudClient: Sendable {
  private static let pageSize = 1_000
  private static let pageLimit = 100

  let api: ApplicationAPI
  private let grantProvider: JWTGrantProvider

  /// Creates a client for a user of an organization.
  ///
  /// - Parameters:
  ///   - organization: The name of the organization, which is the first label of its address.
  ///   - user: The e-mail address of the user.
  ///   - clientID: The ID of the API client.
  ///   - clientSecret: The secret of the API client, or `nil` for a client without a secret.
  ///   - key: The private key of the user.
  ///   - isGlobalClient: Whether the API client belongs to no organization.
  ///   - apiURL: The base URL of the API, whose host is `api` in the domain of the service.
  ///   - transport: The transport that sends the requests to the API and to the token endpoint.
  public init(
    organization: String, user: String, clientID: String, clientSecret: Secret? = nil, key: JWTSigningKey,
    isGlobalClient: Bool = false, apiURL: String = JWTGrant.asperaOnCloudURL,
    transport: any HTTPTransport = .platformDefault
  ) {
    self.init(
      .asperaOnCloud(
        organization: organization, user: user, clientID: clientID, clientSecret: clientSecret,
        isGlobalClient: isGlobalClient, api: apiURL), key: key, apiURL: apiURL, transport: transport, time: .system)
  }

  package init(
    _ grant: JWTGrant, key: JWTSigningKey, apiURL: String, transport: any HTTPTransport, time: any SigningClock
  ) {
    grantProvider = JWTGrantProvider(grant, key: key)
    api = ApplicationAPI(
      name: "Aspera on Cloud", url: apiURL, tokens: CredentialCache(grantProvider, in: .system(transport, time)),
      transport: transport, time: time)
  }

  /// Returns the workspaces that the user can see.
  ///
  /// - Throws: `ServiceError` if the service refuses the request, `StorageError` if the response is malformed, and the
  ///   `CredentialError` or `TransportError` of the request.
  public func workspaces() async throws -> [AsperaOnCloudWorkspace] { try await workspaces(matching: nil) }

  /// Returns the workspace with a name, or the user's default workspace.
  ///
  /// - Parameter name: The name of the workspace, compared without case, or `nil` for the default workspace.
  /// - Returns: The workspace.
  /// - Throws: The errors of ``workspaces()``, and `StorageError` if there is no such workspace.
  public func workspace(_ name: String? = nil) async throws -> AsperaOnCloudWorkspace {
    guard let name else { return try await defaultWorkspace() }
    let matches = try await workspaces(matching: name).filter {
      $0.name.lowercased().utf8.elementsEqual(name.lowercased().utf8)
    }
    guard let workspace = matches.first, matches.count == 1 else {
      throw StorageError(
        .invalidOption, "There are \(matches.count) workspaces with the name \(MessageFilter().applied(to: name)).",
        remedy: "Use the name of one of the user's workspaces.")
    }
    return workspace
  }

  private func defaultWorkspace() async throws -> AsperaOnCloudWorkspace {
    let user = try await api.call(.get, "/api/v1/self")
    guard user["id"]?.code != nil else { throw StorageError.malformedResponse("the user has no id") }
    guard let id = user["default_workspace_id"]?.code, !id.isEmpty else {
      throw StorageError(.invalidOption, "The user has no default workspace.", remedy: "Name one of the workspaces.")
    }
    let workspace = try AsperaOnCloudWorkspace(try await api.call(.get, "/api/v1/workspaces/\(id.percentEncoded())"))
    guard workspace.id.isIdentical(to: id) else {
      throw StorageError.malformedResponse("it describes another workspace than the requested one")
    }
    return workspace
  }

  /// Finds the user's home folder in a workspace.
  ///
  /// - Parameter name: The name of the workspace, or `nil` for the user's default workspace.
  /// - Returns: The folder, with the provider of its node's bearer tokens.
  /// - Throws: The errors of ``workspace(_:)``, and `StorageError` if the user has no home folder in the workspace.
  public func homeFolder(inWorkspace name: String? = nil) async throws -> AsperaOnCloudFolder {
    let workspace = try await workspace(name)
    guard let nodeID = workspace.homeNodeID, let fileID = workspace.homeFileID else {
      throw StorageError(
        .unsupported, "The user has no home folder in the workspace \(MessageFilter().applied(to: workspace.name)).",
        remedy: "Name a workspace in which the user has one.")
    }
    let node = try await api.call(.get, "/api/v1/nodes/\(nodeID.percentEncoded())")
    guard let url = node["url"]?.string, let accessKeyID = node["access_key"]?.nonemptyString else {
      throw StorageError.malformedResponse("the node has no url or no access_key")
    }
    guard node["id"]?.code?.isIdentical(to: nodeID) ?? true else {
      throw StorageError.malformedResponse("it describes another node than the requested one")
    }
    return AsperaOnCloudFolder(
      workspace: workspace, nodeURL: url, accessKeyID: accessKeyID, fileID: fileID,
      transferHost: node["transfer_url"]?.nonemptyString,
      credentials: NodeGrantProvider(grantProvider, accessKey: accessKeyID),
      tags: Self.tags(workspace, nodeID: nodeID, fileID: fileID))
  }

  private func workspaces(matching name: String?) async throws -> [AsperaOnCloudWorkspace] {
    let filter = name.map { "&q=\($0.percentEncoded())" } ?? ""
    var workspaces: [AsperaOnCloudWorkspace] = []
    var ids: Set<ByteExactString> = []
    for page in 1...Self.pageLimit {
      let response = try await api.call(.get, "/api/v1/workspaces?per_page=\(Self.pageSize)&page=\(page)\(filter)")
      guard let list = response.array else { throw StorageError.malformedResponse("it is not a list of workspaces") }
      for element in list {
        let workspace = try AsperaOnCloudWorkspace(element)
        guard ids.insert(ByteExactString(workspace.id)).inserted else {
          throw StorageError.malformedResponse("the workspace \(workspace.id) occurs twice: the pages do not go on")
        }
        workspaces.append(workspace)
      }
      if list.count < Self.pageSize { return workspaces }
    }
    throw StorageError.malformedResponse("its pages do not end")
  }

  /// Returns the tags with which Aspera on Cloud attributes transfers to a workspace, as aspera-cli sends them.
  private static func tags(_ workspace: AsperaOnCloudWorkspace, nodeID: String, fileID: String) -> JSONObject {
    [
      "aspera": [
        "app": "files", "usage_id": .string("aspera.files.workspace.\(workspace.id)"),
        "files": [
          "node_id": .string(nodeID), "workspace_id": .string(workspace.id), "workspace_name": .string(workspace.name),
          "parentCwd": .string("\(nodeID):\(fileID)"),
        ],
      ]
    ]
  }
}

/// A workspace of Aspera on Cloud.
public struct AsperaOnCloudWorkspace: Sendable, Hashable, Identifiable {
  /// The ID of the workspace.
  public let id: String
  /// The name of the workspace.
  public let name: String
  /// The ID of the node that stores the user's home folder, or `nil` if the user has none in the workspace.
  public let homeNodeID: String?
  /// The file ID of the user's home folder on the node, or `nil` if the user has none in the workspace.
  public let homeFileID: String?

  init(_ document: JSONValue) throws(StorageError) {
    guard let id = document["id"]?.code, !id.isEmpty else { throw .malformedResponse("a workspace has no id") }
    self.id = id
    name = document["name"]?.string ?? ""
    homeNodeID = document["home_node_id"]?.code
    homeFileID = document["home_file_id"]?.code
  }
}

/// The home folder of a user in a workspace of Aspera on Cloud, with all that a client of its node needs.
public struct AsperaOnCloudFolder: Sendable {
  /// The workspace of the folder.
  public let workspace: AsperaOnCloudWorkspace
  /// The URL of the Node API.
  public let nodeURL: String
  /// The identifier of the access key on the node.
  public let accessKeyID: String
  /// The file ID of the folder on the node.
  public let fileID: String
  /// The host of the transfer server, or `nil` if it is that of the Node API.
  public let transferHost: String?
  /// The provider of the node's bearer tokens for the user.
  public let credentials: NodeGrantProvider

  package let tags: JSONObject

  package func provider(root: String, transfers: AsperaTransferOptions) -> AsperaProvider {
    var transfers = transfers
    switch transfers.login {
    case .account: break
    case .tokenAccount, .dynamicKey, .webSocket: transfers.server.host = transfers.server.host ?? transferHost
    }
    var provider = AsperaProvider(node: nodeURL, root: root, rootFileID: fileID, transfers: transfers)
    provider.tags = [.send: tags(for: "upload_files"), .receive: tags(for: "download_files")]
    return provider
  }

  private func tags(for action: String) -> JSONObject {
    let actionTags: JSONObject = ["aspera": ["files": ["files_transfer_action": .string(action)]]]
    return TransferSpec.merged(tags, actionTags)
  }
}
