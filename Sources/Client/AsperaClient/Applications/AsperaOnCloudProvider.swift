// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth
internal import SystemPackage

/// A storage provider for the home folder of a user in a workspace of IBM Aspera on Cloud.
///
/// The first operation finds the workspace, the node and the folder. Files are then transferred as with an
/// ``AsperaProvider`` for the node. The node's bearer tokens are renewed with JWT grants.
public struct AsperaOnCloudProvider: StorageProvider {
  /// The type of the credentials that authorize requests to the Node API.
  public typealias SigningCredential = AsperaNodeAccess

  let home: AsperaOnCloudHome

  /// Creates a storage provider for a user's home folder.
  ///
  /// - Parameters:
  ///   - cloud: The client of Aspera on Cloud, with the user's key.
  ///   - workspace: The name of the workspace, or `nil` for the user's default workspace.
  ///   - root: The path, below the home folder, of the folder that object keys are relative to.
  ///   - transfers: The settings for file transfers: login, program and rates.
  public init(
    _ cloud: AsperaOnCloudClient, workspace: String? = nil, root: String = "/",
    transfers: AsperaTransferOptions = AsperaTransferOptions()
  ) { home = AsperaOnCloudHome(cloud, workspace: workspace, root: root, transfers: transfers) }

  /// The host of the API of Aspera on Cloud, which errors and events show before the node is known.
  public var containerName: String { (try? endpoint.authority) ?? "Aspera on Cloud" }

  /// The endpoint of the API of Aspera on Cloud.
  ///
  /// - Throws: A `SigningError` if the API's URL is invalid.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) {
      guard let url = ServiceURL(home.cloud.api.url) else {
        throw SigningError(
          .invalidConfiguration, "The address of the API of Aspera on Cloud is not a URL.",
          remedy: "Write it like \(JWTGrant.asperaOnCloudURL).")
      }
      return try ServiceEndpoint("\(url.scheme)://\(url.authority)")
    }
  }

  /// The bearer tokens of the node, which Aspera on Cloud issues.
  public var defaultCredentials: CredentialChain<AsperaNodeAccess> {
    CredentialChain([AsperaOnCloudAccessProvider(home: home)], source: "Aspera on Cloud")
  }

  /// Returns the object store that performs a client's operations on the node.
  ///
  /// - Parameter sender: The sender of the client's requests.
  public func store(using sender: RequestSender<AsperaOnCloudProvider>) -> some ObjectStore {
    AsperaOnCloudStore(sender: sender)
  }
}

extension AsperaOnCloudProvider: RootedProvider {
  package var rootFolder: RootFolderLocation { RootFolderLocation(path: home.root) }
}

extension StorageProvider where Self == AsperaOnCloudProvider {
  /// Returns a storage provider for the home folder of a user of IBM Aspera on Cloud.
  ///
  /// ```swift
  /// let cloud = AsperaOnCloudClient(
  ///   organization: "acme", user: "mia@example.com", clientID: id, clientSecret: secret, key: key)
  /// let client = StorageClient(.aspera(onCloud: cloud, workspace: "Film"))
  /// ```
  ///
  /// The parameters are those of the initializer of ``AsperaOnCloudProvider``.
  public static func aspera(
    onCloud cloud: AsperaOnCloudClient, workspace: String? = nil, root: String = "/",
    transfers: AsperaTransferOptions = AsperaTransferOptions()
  ) -> AsperaOnCloudProvider { AsperaOnCloudProvider(cloud, workspace: workspace, root: root, transfers: transfers) }
}

extension StorageClient<AsperaOnCloudProvider> {
  /// Returns a client of the node that stores the home folder, for the operations that only that client has.
  ///
  /// It creates and deletes folders, renames files and folders, and shares the credentials and the transfer queue of
  /// this client.
  ///
  /// - Throws: The errors of ``AsperaOnCloudClient/homeFolder(inWorkspace:)``.
  public func node() async throws -> StorageClient<AsperaProvider> {
    StorageClient<AsperaProvider>(sender: try await provider.home.nodeSender(sharing: sender))
  }
}

/// The home folder of a user of Aspera on Cloud, which all users of a provider find together when it is first needed.
final class AsperaOnCloudHome: Sendable {
  let cloud: AsperaOnCloudClient
  let root: String
  private let workspace: String?
  private let transfers: AsperaTransferOptions
  /// The task that finds the folder for all callers, or `nil` before the first call and after a failure.
  private let sharedSearch = Lock<Task<AsperaOnCloudFolder, any Error>?>(nil)

  init(_ cloud: AsperaOnCloudClient, workspace: String?, root: String, transfers: AsperaTransferOptions) {
    self.cloud = cloud
    self.workspace = workspace
    self.root = root
    self.transfers = transfers
  }

  func folder() async throws -> AsperaOnCloudFolder {
    let task = sharedSearch.withLock { search in
      let task = search ?? Task { [cloud, workspace] in try await cloud.homeFolder(inWorkspace: workspace) }
      search = task
      return task
    }
    do {
      return try await task.value
    } catch {
      // The next caller tries again, unless another one has already started a new search.
      sharedSearch.withLock { search in if search == task { search = nil } }
      throw error
    }
  }

  /// Returns the only sender of a client's requests to the node, so that they share the transfer queue and folder IDs.
  func nodeSender(sharing sender: RequestSender<AsperaOnCloudProvider>) async throws -> RequestSender<AsperaProvider> {
    let provider = try await folder().provider(root: root, transfers: transfers)
    return sender.storeCache.value {
      RequestSender(
        provider, credentials: sender.credentials, configuration: sender.configuration, transport: sender.transport,
        events: sender.events, clockSkew: sender.clockSkew, time: sender.time)
    }
  }
}

/// The provider of the bearer tokens that Aspera on Cloud issues for the node of the home folder.
struct AsperaOnCloudAccessProvider: CredentialProvider {
  let home: AsperaOnCloudHome
  var source: String { "Aspera on Cloud" }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let folder: AsperaOnCloudFolder
    do { folder = try await home.folder() } catch { throw ApplicationAPI.credentialError(error, from: source) }
    return try await folder.credentials.issue(in: context)
  }
}

/// The object store of a home folder, which finds the folder's node before its first operation.
struct AsperaOnCloudStore: OpenFileStore {
  let sender: RequestSender<AsperaOnCloudProvider>

  private var nodeStore: NodeClient {
    get async throws { NodeClient(sender: try await sender.provider.home.nodeSender(sharing: sender)) }
  }

  func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject { try await nodeStore.upload(source, to: key, options: options, progress: progress) }

  func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo { try await nodeStore.download(key, to: file, options: options, progress: progress) }

  func download(
    _ key: String, to location: FileLocation, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo { try await nodeStore.download(key, to: location, options: options, progress: progress) }

  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try await nodeStore.open(key, options: options)
  }

  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try await nodeStore.head(key, headers: headers)
  }

  func delete(_ key: String) async throws { try await nodeStore.delete(key) }
  func delete(_ keys: [String]) async throws -> DeletionReport { try await nodeStore.delete(keys) }

  func list(prefix: String, delimiter: String?) -> ObjectListing {
    FolderWalk.listing(prefix: prefix, delimiter: delimiter) { try await nodeStore }
  }
}
