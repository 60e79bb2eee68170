// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageClient
internal import SystemPackage

/// The home folder of a user of Aspera on Cloud, which is found once, when it is first needed.
final class CloudHome: Sendable {
  let cloud: AsperaOnCloudClient
  private let workspace: String?
  private let root: String
  private let transfers: AsperaTransferOptions
  /// The search for the folder, which all callers share, or `nil` if no search was started or the last one failed.
  private let search = Lock<Task<CloudFolder, any Error>?>(nil)

  init(_ cloud: AsperaOnCloudClient, workspace: String?, root: String, transfers: AsperaTransferOptions) {
    self.cloud = cloud
    self.workspace = workspace
    self.root = root
    self.transfers = transfers
  }

  /// Returns the home folder.
  func folder() async throws -> CloudFolder {
    let current = search.withLock { search in
      if let search { return search }
      let started = Task { [cloud, workspace] in try await cloud.homeFolder(inWorkspace: workspace) }
      search = started
      return started
    }
    do {
      return try await current.value
    } catch {
      search.withLock { search in
        if search == current { search = nil }
      }
      throw error
    }
  }

  /// Returns the sender of requests to the node that stores the home folder.
  ///
  /// It shares credentials, events and clocks with the sender of the client of Aspera on Cloud.
  func nodeSender(of outer: RequestSender<AsperaOnCloudProvider>) async throws -> RequestSender<AsperaProvider> {
    let provider = try await folder().provider(root: root, transfers: transfers)
    return outer.memory.value {
      RequestSender(
        provider, credentials: outer.credentials, configuration: outer.configuration, transport: outer.transport,
        events: outer.events, clockSkew: outer.clockSkew, time: outer.time)
    }
  }
}

/// A credential provider for the bearer tokens of the node that stores a home folder.
struct CloudHomeAccess: CredentialProvider {
  let home: CloudHome

  var source: String { "Aspera on Cloud" }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let folder: CloudFolder
    do {
      folder = try await home.folder()
    } catch {
      throw credentialError(error, from: source)
    }
    return try await folder.credentials.issue(in: context)
  }
}

/// The object store of a home folder, which finds the folder before its first operation.
struct CloudStore: ObjectStore {
  let sender: RequestSender<AsperaOnCloudProvider>

  var node: NodeClient {
    get async throws { NodeClient(sender: try await sender.provider.home.nodeSender(of: sender)) }
  }

  func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await node.upload(source, to: key, options: options, progress: progress)
  }

  func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await node.download(key, to: file, options: options, progress: progress)
  }

  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try await node.open(key, options: options)
  }

  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try await node.head(key, headers: headers)
  }

  func delete(_ key: String) async throws { try await node.delete(key) }

  func delete(_ keys: [String]) async throws -> DeletionReport { try await node.delete(keys) }

  func list(prefix: String, delimiter: String?) -> ObjectListing {
    ObjectListing {
      let walk = CloudWalk(store: self, prefix: prefix, delimiter: delimiter)
      return { _ in try await walk.page() }
    }
  }

  /// A walk over the files below a home folder, which starts when the first page is requested.
  private actor CloudWalk {
    private let store: CloudStore
    private let prefix: String
    private let delimiter: String?
    private var walk: FolderWalk?

    init(store: CloudStore, prefix: String, delimiter: String?) {
      self.store = store
      self.prefix = prefix
      self.delimiter = delimiter
    }

    func page() async throws -> ListPage {
      if let walk { return try await walk.page() }
      let started = FolderWalk(
        store: try await store.node, prefix: prefix, delimiter: delimiter,
        limit: store.sender.configuration.keysPerPage)
      walk = started
      return try await started.page()
    }
  }
}
