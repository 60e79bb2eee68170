// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient

/// The transfers of `cp`, `mv` and `cat`, with one client for all locations in a bucket or on a server.
struct CopyPlan {
  enum Client {
    case bucket(any BucketStore)
    case node(any ObjectStore)
    case account(AccountTransfers)

    var store: (any ObjectStore)? {
      switch self {
      case .bucket(let store): store
      case .node(let store): store
      case .account: nil
      }
    }
  }

  /// The bucket or server of a client, and whether it is in the service of the source only.
  private struct ClientKey: Hashable {
    let container: Location
    let isInOtherService: Bool
  }

  let options: StoreOptions
  let aspera: AsperaOptions?
  let origin: OriginOptions?
  var uploadOptions = UploadOptions()
  /// The number of simultaneous transfers, for which each client has connections.
  var parallel = 1
  /// Whether the transfers continue those of an earlier run, and can be continued.
  var resumes = false
  var moves = false
  var checkpoints: CheckpointDirectory?
  private var clients: [ClientKey: Client] = [:]

  /// Whether objects are stored with a media type or metadata of the command line or the settings.
  private var hasAttributes: Bool { uploadOptions.contentType != nil || !uploadOptions.metadata.isEmpty }
  /// Whether the command line names a media type or metadata; settings can be for other runs.
  private var namesAttributes: Bool {
    uploadOptions.contentType != nil && !Settings.contains("content-type")
      || !uploadOptions.metadata.isEmpty && !Settings.contains("metadata")
  }

  init(options: StoreOptions, aspera: AsperaOptions? = nil, origin: OriginOptions? = nil) {
    (self.options, self.aspera, self.origin) = (options, aspera, origin)
  }

  func validate(_ locations: [String]) throws {
    guard locations.count > 1, let destination = try locations.last.map({ try Location($0) }) else {
      throw ValidationError("Name a source and a destination.")
    }
    if try !locations.contains(where: { try Location($0).isAspera }) { try options.refuseAsperaOptions(aspera) }
    var names: Set<AnyHashable> = []
    for argument in locations.dropLast() {
      let source = try Location(argument)
      try requireSupport(from: source, to: destination)
      guard locations.count > 2 else { return }
      guard destination.isFolder else {
        throw ValidationError("Several sources need a directory, or a key that ends in a slash, as destination.")
      }
      // In a folder that ignores letter case or normalization, a later copy replaces the only one of a deleted source.
      let folds = moves && destination.isFile
      let name: AnyHashable = folds ? source.lastName.uppercased().lowercased() : Array(source.lastName.utf8)
      guard !source.lastName.isEmpty, names.insert(name).inserted else {
        throw ValidationError("Several sources need names that differ; copy \(source.lastName.onOneLine) by itself.")
      }
    }
  }

  private func requireSupport(from source: Location, to destination: Location) throws {
    try requireApplicableOptions(from: source, to: destination)
    try requireSingleSource(source, to: destination)
    try origin?.requireTwoServices(from: source, to: destination)
    if moves { try requireDeletableSource(source, to: destination) }
    try requireSupportedPair(source, destination)
  }

  private func requireApplicableOptions(from source: Location, to destination: Location) throws {
    let usesAccount = source.isAccount || destination.isAccount
    if aspera?.transferServer != nil, usesAccount {
      throw ValidationError("--transfer-server is for aspera://host/path; aspera://user@host/path names the server.")
    }
    let isAspera = source.isAspera || destination.isAspera
    if aspera?.tags != nil, isAspera, !usesAccount {
      throw ValidationError("--tags is for aspera://user@host/path; a node determines the tags itself.")
    }
    if aspera?.dynamicKey == true, usesAccount, !Settings.contains("dynamic-key") {
      throw ValidationError("--dynamic-key is for aspera://host/path; an account has a password or a key of its own.")
    }
    if namesAttributes, destination.isFile || destination == .standardStream {
      throw ValidationError("--content-type and --metadata are for uploads and copies; a file has neither.")
    }
    if resumes, isAspera {
      throw ValidationError("--resume is for buckets; ascp continues partial files itself.")
    }
  }

  private func requireSingleSource(_ source: Location, to destination: Location) throws {
    if case .file(let path) = source, LocalFiles.isDirectory(path) {
      let remedy = destination == .standardStream ? "name an object" : moves ? "copy it with cp -r" : "add --recursive"
      throw ValidationError("\(path.onOneLine) is a folder; \(remedy).")
    }
    if case .object(_, let bucket, let key) = source, key.isEmpty {
      let remedy =
        if destination == .standardStream {
          "Name an object"
        } else {
          moves ? "Copy its objects with cp -r, and delete them with rm -r" : "Name an object, or add --recursive"
        }
      throw ValidationError("\(bucket.onOneLine) is a bucket. \(remedy).")
    }
  }

  /// Throws an error for a source that `mv` cannot delete, or that could be the destination itself.
  private func requireDeletableSource(_ source: Location, to destination: Location) throws {
    if source.isAccount || [source, destination].contains(.standardStream) {
      throw ValidationError("mv cannot delete this source; use cp.")
    }
    // Two endpoints, or two clouds, can be one service, whose object would be lost.
    if case .object(_, let bucket, let key) = source, case .object(_, let targetBucket, _) = destination,
      bucket.isIdentical(to: targetBucket), key.isIdentical(to: destination.key(naming: key))
    {
      throw ValidationError("The source and the destination have the same bucket and key; use cp and then rm.")
    }
  }

  /// Throws an error if there is no way to copy between two kinds of locations, or if a store cannot be used.
  private func requireSupportedPair(_ source: Location, _ destination: Location) throws {
    // A case with a condition stands before the one for the same kinds, and those for any kind stand last.
    switch (source, destination) {
    case (.object, .object) where resumes:
      throw ValidationError("--resume is for files; a service copies an object by itself.")
    case (.object, .object):
      for location in [source, destination] {
        _ = try storeOptions(for: location, from: source, to: destination).store(of: location)
      }
    case (.file, .file), (.file, .standardStream), (.standardStream, .file), (.standardStream, .standardStream):
      throw ValidationError("One of the two must be oss://bucket/key (or cos://, s3://) or aspera://….")
    case (.standardStream, .object(_, _, let key)) where key.isEmpty || key.hasByteSuffix("/"):
      throw ValidationError("Name the object to which standard input is copied, as oss://bucket/key.")
    case (.standardStream, .object), (.object, .standardStream):
      guard !resumes else { throw ValidationError("--resume is for files.") }
      _ = try options.store(of: source.cloud != nil ? source : destination)
    case (.file, .account) where namesAttributes:
      throw ValidationError("Aspera stores neither a media type nor metadata with a file.")
    case (.file, .account), (.account, .file): return
    case (.node(_, let key), .file) where key.isEmpty:
      throw ValidationError("Name a file on the node, as aspera://host/path.")
    case (.file, let location), (let location, .file): _ = try options.store(of: location)
    case (.standardStream, _), (_, .standardStream):
      throw ValidationError("Standard input and output are for buckets; ascp transfers files.")
    default: throw ValidationError("Copy to a file first: Aspera transfers files only.")
    }
  }

  /// Returns whether the source is in another service than the destination, which then cannot copy its objects itself.
  private func isInOtherService(_ source: Location, _ destination: Location) -> Bool {
    if let sourceCloud = source.cloud, let targetCloud = destination.cloud, sourceCloud != targetCloud { return true }
    return origin?.isOtherService(than: options.buckets) ?? false
  }

  private func storeOptions(for location: Location, from source: Location, to destination: Location) -> StoreOptions {
    guard location == source, let origin else { return options }
    return origin.sourceOptions(options, from: source, to: destination)
  }

  mutating func transfer(_ source: Location, to destination: Location) async throws -> ObjectTransfer {
    let isInOtherService = isInOtherService(source, destination)
    let sourceOptions = storeOptions(for: source, from: source, to: destination)
    let sourceClient = try await client(of: source, sourceOptions, isInOtherService: isInOtherService)
    let targetClient = try await client(of: destination, options)
    let copy = try copy(source, sourceClient, to: destination, targetClient, isInOtherService: isInOtherService)
    guard moves else { return copy }
    let file = destination.isFile ? file(for: source, at: destination) : nil
    return copy.deletingSource(source, of: sourceClient?.store, after: file)
  }

  /// Returns the copy between two locations with their clients, which files and standard streams do not have.
  private func copy(
    _ source: Location, _ sourceClient: Client?, to destination: Location, _ targetClient: Client?,
    isInOtherService: Bool
  ) throws -> ObjectTransfer {
    switch (source, destination) {
    case (.object(_, let bucket, let key), .object):
      guard case .bucket(let store) = targetClient, let origin = sourceClient?.store else { break }
      let target = destination.key(naming: key)
      guard !isInOtherService else { return relay(of: key, from: origin, to: target, in: store) }
      return ObjectTransfer(target) { [self] _ in
        // A service takes the attributes of a copy either all from the source, or all from the request.
        let options = CopyOptions(attributes: hasAttributes ? attributes(ofCopyOf: try await origin.head(key)) : nil)
        _ = try await store.copy(CopySource(bucket: bucket, key: key), to: target, options: options)
      }
    case (.standardStream, .object(_, _, let key)):
      guard let store = targetClient?.store else { break }
      return ObjectTransfer(key) { [uploadOptions] progress in
        try await store.upload(.stream(InputFile.standardInput), to: key, options: uploadOptions, progress: progress)
      }
    case (.object(_, _, let key), .standardStream):
      guard let store = sourceClient?.store else { break }
      return ObjectTransfer(key) { _ in
        for try await bytes in try await store.open(key).body { Terminal.writeBytes(bytes) }
      }
    case (.file(let path), _):
      if let targetClient { return upload(of: FilePath(path), to: destination, with: targetClient) }
    case (_, .file):
      if let sourceClient { return download(of: source, to: destination, with: sourceClient) }
    default: break
    }
    throw ValidationError("Name an object, as oss://bucket/key.")
  }

  /// Returns the copy of an object of another service, whose bytes pass through this machine.
  private func relay(
    of key: String, from origin: any ObjectStore, to target: String, in store: any BucketStore
  ) -> ObjectTransfer {
    ObjectTransfer(target) { [self] progress in
      let object = try await origin.open(key)
      try await store.upload(
        .stream(object.body, length: object.contentLength), to: target, options: attributes(ofCopyOf: object.info),
        progress: progress)
    }
  }

  /// Returns the attributes of an object, with those that the command line replaces.
  private func attributes(ofCopyOf info: ObjectInfo) -> UploadOptions {
    var options = UploadOptions(of: info)
    options.contentType = uploadOptions.contentType ?? options.contentType
    if !uploadOptions.metadata.isEmpty { options.metadata = uploadOptions.metadata }
    return options
  }

  private func upload(of file: FilePath, to destination: Location, with client: Client) -> ObjectTransfer {
    let target = destination.key(naming: file.string)
    let byteCount = LocalFiles.byteCount(of: file.string)
    switch client {
    case .bucket(let store):
      if let checkpoint: CheckpointFile<UploadCheckpoint> = checkpoints?.checkpoint(
        for: "upload", of: file, and: store.identity(of: target))
      {
        return ObjectTransfer(target, byteCount: byteCount) { [uploadOptions] progress in
          try await store.upload(file, to: target, checkpoint: checkpoint, options: uploadOptions, progress: progress)
        }
      }
      return .upload(.file(file), to: target, in: store, byteCount: byteCount, options: uploadOptions)
    case .node(let store):
      return .upload(.file(file), to: target, in: store, byteCount: byteCount, options: uploadOptions)
    case .account(let transfers):
      return ObjectTransfer(target, byteCount: byteCount) { try await transfers.upload(file, to: target, progress: $0) }
    }
  }

  /// Returns the path of the copy at a destination, which can be a directory.
  private func file(for source: Location, at destination: Location) -> FilePath {
    let path = FilePath(destination.key)
    return destination.isFolder ? path.appending(source.lastName) : path
  }

  /// Returns the download to a file, or to a directory, which is created if its name ends in a slash.
  private func download(of source: Location, to destination: Location, with client: Client) -> ObjectTransfer {
    let key = source.key
    let folder = destination.isFolder ? destination.key : nil
    let target = file(for: source, at: destination)
    return ObjectTransfer(target.string) { [checkpoints] progress in
      if let folder { try LocalFiles.makeDirectory(folder) }
      switch client {
      case .bucket(let store):
        if let checkpoint: CheckpointFile<DownloadCheckpoint> = checkpoints?.checkpoint(
          for: "download", of: target, and: store.identity(of: key))
        {
          try await store.download(key, to: target, checkpoint: checkpoint, progress: progress)
        } else {
          try await store.download(key, to: target, progress: progress)
        }
      case .node(let store): try await store.download(key, to: target, progress: progress)
      case .account(let transfers): try await transfers.download(key, to: target, progress: progress)
      }
    }
  }

  /// Returns the client of a location, which is created for the first location of its container.
  private mutating func client(
    of location: Location, _ storeOptions: StoreOptions, isInOtherService: Bool = false
  ) async throws -> Client? {
    let key = ClientKey(container: location.container, isInOtherService: isInOtherService)
    if let existing = clients[key] { return existing }
    let client: Client
    switch location {
    case .file, .standardStream: return nil
    case .object(let name, let bucket, _):
      let configuration = Settings.clientConfiguration(forAtLeast: parallel)
      client = .bucket(try name.cloud.store(bucket, storeOptions.buckets, configuration: configuration))
    case .account(let server, _):
      guard let transfers = try await aspera?.accountTransfers(on: server, atATime: parallel) else { return nil }
      client = .account(transfers)
    case .node:
      let transfers = try aspera?.transferOptions(atATime: parallel) ?? AsperaTransferOptions()
      guard let (store, _) = try storeOptions.store(of: location, transfers: transfers) else { return nil }
      client = .node(store)
    }
    clients[key] = client
    return client
  }
}

extension ObjectTransfer {
  /// Returns the transfer, which then deletes its source, a file or an object of a store, if that has not changed.
  func deletingSource(_ source: Location, of store: (any ObjectStore)?, after copy: FilePath?) -> ObjectTransfer {
    ObjectTransfer(name, byteCount: byteCount) { progress in
      var state: FileState?
      if case .file(let path) = source { state = await FileState(FilePath(path)) }
      let info = try await store?.head(source.key)
      try await run(progress: progress)
      if case .file(let path) = source { return try await LocalFiles.remove(path, unlessChangedFrom: state) }
      // After a power failure, the object or the file must exist.
      if let copy { try await LocalFiles.synchronize(copy) }
      guard let store, let info, try await store.hasUnchanged(info) else { return }
      try await store.delete(source.key)
    }
  }
}

extension ObjectStore {
  /// Returns whether an object exists, or throws an error if it has changed since its description.
  fileprivate func hasUnchanged(_ info: ObjectInfo) async throws -> Bool {
    let current: ObjectInfo
    do {
      current = try await head(info.key)
    } catch let error as ServiceError where error.kind == .noSuchKey { return false }
    guard
      (current.etag, current.versionID, current.size, current.lastModified)
        == (info.etag, info.versionID, info.size, info.lastModified)
    else {
      throw StorageError(
        .sourceChanged, "\(info.key) was changed while it was copied, and is kept.", remedy: "Move it again.")
    }
    return true
  }
}
