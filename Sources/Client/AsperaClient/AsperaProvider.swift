// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import HTTPTypes
public import StorageAuth

/// A storage provider for an IBM Aspera node, which uses the Node API for names and FASP for bytes.
///
/// A client with a node user or an access key identifies files by paths, and one with a bearer token looks up IDs.
///
/// Objects are files, and object keys are paths below a root folder, such as `2026/cat.jpg`. A folder is not an object;
/// listings contain folders as common prefixes. A client for a node has no `copy` and no `presign`, because the service
/// has neither server-side copies nor presigned URLs.
public struct AsperaProvider: StorageProvider {
  /// The type of the credentials that authorize requests to the Node API.
  public typealias SigningCredential = AsperaNodeAccess

  /// The path of the folder that object keys are relative to.
  public let root: String

  /// The ID of the folder that the root is relative to, or `nil` for the root folder of the access key or node user.
  ///
  /// With an ID, and with every bearer token, the client identifies files by IDs instead of paths.
  public let rootFileID: String?

  /// The settings for file transfers to and from the node: login, program and rates.
  public let transfers: AsperaTransferOptions

  /// The additional tags, by direction, that an application requires of transfers that identify files by IDs.
  package var tags: [TransferDirection: JSONObject] = [:]

  /// The URL of the Node API, or the error about an invalid argument of the initializer.
  let nodeURL: Result<ServiceURL, SigningError>
  private let access: AsperaNodeAccess?

  /// Creates a storage provider for an Aspera node; ``endpoint`` and all operations report invalid values.
  ///
  /// - Parameters:
  ///   - node: The URL of the Node API: `https`, or `http` on this machine. A path in it, as of Shares, is kept.
  ///   - access: The credential of a client that is created without credentials. If `nil`, the default sources.
  ///   - root: The path of the folder that object keys are relative to.
  ///   - rootFileID: The ID of the folder that the root is relative to, or `nil`; see ``rootFileID``.
  ///   - transfers: The settings for file transfers: login, program and rates.
  public init(
    node: String, access: AsperaNodeAccess? = nil, root: String = "/", rootFileID: String? = nil,
    transfers: AsperaTransferOptions = AsperaTransferOptions()
  ) {
    let folderNames = root.words(between: "/")
    self.root = "/" + folderNames.joined(separator: "/")
    self.access = access
    self.rootFileID = rootFileID
    self.transfers = transfers
    nodeURL = Result { () throws(SigningError) in
      guard let address = ServiceURL(node), !address.path.contains("?") else {
        throw SigningError(
          .invalidConfiguration, "The address of the node is not a URL of scheme, host, port and path.",
          remedy: "Write it like https://node.example.com:9092, without a user, a query or a fragment.")
      }
      guard folderNames.allSatisfy({ NodeFilePath.isName($0) }) else {
        throw SigningError(
          .invalidConfiguration, "The root of the node holds \"..\", \".\" or a control character.",
          remedy: "Name a folder by its whole path, such as /photos.")
      }
      guard rootFileID.map({ NodeEntry.isID($0) }) ?? true else {
        throw SigningError(
          .invalidConfiguration, "The ID of the root folder is empty, too long or not printable ASCII.",
          remedy: "Use the ID that the node or Aspera on Cloud shows, such as 42.")
      }
      return address
    }
  }

  /// The node's host and the root folder, which errors and events show as the container of the objects.
  public var containerName: String { "\((try? nodeURL.get().authority) ?? "node")\(root == "/" ? "" : root)" }

  /// The endpoint of the Node API, without a path.
  ///
  /// - Throws: A `SigningError` if the node's URL, the root folder or its ID is invalid.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) {
      let address = try nodeURL.get()
      return try ServiceEndpoint("\(address.scheme)://\(address.authority)")
    }
  }

  /// The credential that was passed to the initializer, or this machine's default sources: the environment and a file.
  public var defaultCredentials: CredentialChain<AsperaNodeAccess> {
    guard let access else { return .asperaDefault }
    return CredentialChain([StaticCredentialProvider(access)], source: "access of the provider")
  }

  /// Returns the object store that performs a client's operations on the node.
  ///
  /// - Parameter sender: The sender of the client's requests.
  public func store(using sender: RequestSender<AsperaProvider>) -> some ObjectStore { NodeClient(sender: sender) }
}

extension AsperaProvider: RootedProvider {
  package var rootFolder: RootFolderLocation { RootFolderLocation(baseID: rootFileID, path: root) }
}

// For `AsperaProvider` and `AsperaOnCloudProvider`.
extension StorageProvider where SigningCredential == AsperaNodeAccess {
  /// The short name of the service, `aspera`.
  public var name: String { "aspera" }
  /// The signer of requests to the Node API.
  public var signer: AsperaNodeSigner { AsperaNodeSigner() }

  /// Returns `true`, because requests carry a password, secret or token itself rather than a signature.
  ///
  /// - Parameter credential: The credential that authorizes the requests.
  public func carriesToken(_ credential: AsperaNodeAccess) -> Bool { true }

  /// Returns the user name or the access key ID of a credential, for events and logs.
  ///
  /// - Parameter credential: The credential that authorizes the requests.
  public func identity(of credential: AsperaNodeAccess) -> String? { credential.identity }

  /// Creates a service error from an unsuccessful response of the Node API.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body of the response, or its beginning. Empty if the connection was lost.
  ///   - subject: The action and the location of the request, for the error message.
  public func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError {
    ServiceError(NodeRefusal(inBody: body), in: response, subject: subject)
  }
}

extension StorageProvider where Self == AsperaProvider {
  /// Returns a storage provider for an IBM Aspera node.
  ///
  /// ```swift
  /// let access = AsperaNodeAccess.accessKey(id: id, secret: secret)
  /// let client = StorageClient(.aspera(node: "https://node.example.com:9092", access: access))
  /// ```
  ///
  /// The parameters are those of the initializer of ``AsperaProvider``.
  public static func aspera(
    node: String, access: AsperaNodeAccess? = nil, root: String = "/", rootFileID: String? = nil,
    transfers: AsperaTransferOptions = AsperaTransferOptions()
  ) -> AsperaProvider {
    AsperaProvider(node: node, access: access, root: root, rootFileID: rootFileID, transfers: transfers)
  }
}

extension StorageClient<AsperaProvider> {
  /// Creates a folder and its parent folders on the node, and succeeds if the folder exists.
  ///
  /// An upload creates the folders that it needs.
  ///
  /// - Parameter key: The path of the folder below the root of the provider, without a trailing slash.
  /// - Throws: `ServiceError` if the node refuses it, `StorageError` if the key is invalid; see also `ObjectStore`.
  public func createFolder(_ key: String) async throws { try await NodeClient(sender: sender).createFolder(key) }

  /// Changes the name of a file or folder, which stays in its folder.
  ///
  /// - Parameters:
  ///   - key: The path of the file or folder below the root of the provider, without a trailing slash.
  ///   - name: The new name, without a slash.
  /// - Throws: `ServiceError` if the node refuses the request, for example because a file with the new name exists,
  ///   `StorageError` if the key or the name is invalid, and the other errors that `ObjectStore` lists.
  public func rename(_ key: String, to name: String) async throws {
    try await NodeClient(sender: sender).rename(key, to: name)
  }

  /// Deletes a folder and its content from the node, and succeeds if the folder does not exist.
  ///
  /// - Parameter key: The path of the folder below the root of the provider, without a trailing slash.
  /// - Throws: `ServiceError` if the node refuses it or the key is that of a file, `StorageError` if the key is invalid;
  ///   see also `ObjectStore`.
  public func deleteFolder(_ key: String) async throws { try await NodeClient(sender: sender).deleteFolder(key) }
}
