// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import HTTPTypes
internal import StorageAuth
internal import StorageClient
internal import SystemPackage

/// The implementation of the object store operations for an Aspera node.
struct NodeClient: ObjectStore {
  let sender: RequestSender<AsperaProvider>

  var provider: AsperaProvider { sender.provider }

  /// The operations on files for the credential that is in use.
  ///
  /// Files are identified by IDs if the credential is a bearer token or if the provider has a root folder ID, and by
  /// paths otherwise.
  var files: any NodeFiles {
    get async throws {
      guard sender.remoteSigner == nil else { return PathFiles(node: self) }
      let access = try await sender.credential(lasting: .zero, for: nil).credential
      switch access.method {
      case .bearer: return IdentifiedFiles(node: self, access: access)
      case .accessKey, .basic:
        return provider.rootFileID == nil ? PathFiles(node: self) : IdentifiedFiles(node: self, access: access)
      }
    }
  }

  /// Calls an operation of the Node API.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - path: The path of the operation with its query, below the base URL of the Node API.
  ///   - action: The name of the operation in errors and events.
  ///   - key: The object key that the call concerns, for errors and events.
  ///   - headers: Additional header fields of the request.
  ///   - body: The JSON body of the request, or `nil` for a request without a body.
  ///   - isRepeatable: Whether the request may be sent again if the client does not know whether the node received it.
  /// - Returns: The head and the JSON body of the response. If the response has no body, `null`.
  /// - Throws: `ServiceError` if the node reports an error, even in a response whose status reports success.
  func call(
    _ method: HTTPRequest.Method, _ path: String, as action: String, _ key: String, headers: HTTPFields = [:],
    body: JSONValue? = nil, isRepeatable: Bool = true
  ) async throws -> (HTTPResponse, JSONValue) {
    var draft = try draft(method, path, as: action, key, headers: headers, body: body)
    draft.isRepeatable = isRepeatable
    let (response, document) = try await sender.exchange(draft)
    return (response, document.isEmpty && response.status == .noContent ? .null : try NodeResponse.document(document))
  }

  /// Returns the request of an operation of the Node API; see ``call(_:_:as:_:headers:body:isRepeatable:)``.
  func draft(
    _ method: HTTPRequest.Method, _ path: String, as action: String, _ key: String, headers: HTTPFields = [:],
    body: JSONValue? = nil
  ) throws -> RequestDraft {
    let address = try provider.address.get().appending(path)
    var request = HTTPRequest(
      method: method, scheme: address.scheme, authority: address.authority, path: address.path, headerFields: headers)
    if body != nil { request.headerFields[.contentType] = "application/json" }
    request.headerFields[.accept] = "application/json"
    var draft = RequestDraft(
      request, to: try provider.endpoint, at: sender.location(ofKey: key), action: action,
      body: body.map { .bytes($0.serialized) } ?? .none)
    let subject = draft.subject
    draft.errorInside = { response, body in
      NodeResponse.refusal(in: body).map { ServiceError($0, in: response, subject: subject) }
    }
    return draft
  }

  /// Checks that a file can have an object key.
  ///
  /// - Throws: A `SigningError` if the provider's URL or root folder is invalid; `StorageError` if the key is
  ///   invalid.
  func check(_ key: String) throws {
    _ = try provider.address.get()
    try NodePath.check(key)
  }

  /// Returns the file or folder with a key, or `nil` if it does not exist.
  func existing(_ key: String, in files: some NodeFiles) async throws -> NodeEntry? {
    do {
      return try await files.entry(key)
    } catch let error as ServiceError where error.kind == .noSuchKey {
      return nil
    }
  }
}

extension NodeClient {
  /// The queue, the account and the issuer that all transfers of the client share.
  ///
  /// - Throws: An `AsperaError` if ascp or the login's private key is missing; a `SigningError` if the provider's URL
  ///   or root folder is invalid.
  var context: TransferContext {
    get throws { try sender.memory.value { try TransferContext(sender) } }
  }

  /// Transfers one file with a token from the transfer's issuer.
  ///
  /// - Parameters:
  ///   - transfer: The transfer specification and the issuer.
  ///   - size: The size of the file in bytes, or `nil` if it is unknown.
  ///   - meter: The meter that receives the number of transferred bytes, or `nil`.
  ///   - context: The context of the client's transfers.
  /// - Throws: A `TransferFailure` or a `CancellationError`.
  func carryOut(
    _ transfer: PreparedTransfer, size: Int64?, _ meter: ProgressMeter?, in context: TransferContext
  ) async throws {
    var spec = transfer.specification
    provider.transfers.put(into: &spec)
    let token = provider.transfers.server.token(from: transfer.issuer)
    let session = TransferSession(spec, account: context.account, token: token)
    try await context.queue.carryOut(session, size: size) { meter?.advance(by: $0) }
  }
}

extension NodeClient {
  /// The error code for a key that refers to a folder instead of an object.
  static let folderCode = "IsFolder"
  static let folderMessage = "The key names a folder, which is not an object."

  /// Requests the description of an object from the node.
  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try StorageError.refuse([("headers", !headers.isEmpty)])
    try check(key)
    let entry = try await files.entry(key)
    guard !entry.isFolder else {
      throw notFound(key, code: Self.folderCode, Self.folderMessage)
    }
    return ObjectInfo(key: key, entry)
  }

  /// Lists objects in the byte order of their keys, by walking through the folders of the node.
  func list(prefix: String, delimiter: String?) -> ObjectListing {
    ObjectListing {
      let walk = FolderWalk(
        store: self, prefix: prefix, delimiter: delimiter, limit: sender.configuration.keysPerPage)
      return { _ in try await walk.page() }
    }
  }

  /// Returns the unsorted entries of a folder, or `nil` if the folder does not exist or is a file.
  func entries(ofFolder key: String) async throws -> [NodeEntry]? { try await files.entries(ofFolder: key) }

  /// Creates the error for a key without an object.
  func notFound(_ key: String, code: String, _ message: String) -> ServiceError {
    ServiceError(
      HTTPResponse(status: .notFound), code: code, message: message, kind: .noSuchKey,
      subject: "browse \(sender.location(ofKey: key))")
  }
}

extension NodeClient {
  /// Uploads an object, directly from a file or through a temporary file for other sources.
  @concurrent
  func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try options.checkForAspera()
    try check(key)
    return try await sender.transfer("upload", key, progress) { ledger in
      let file = try await TransferFile(source)
      let context = try context
      var transfer = try await files.upload(of: file.path, to: key, in: context)
      transfer.specification.createsFolder = true
      try await carryOut(transfer, size: file.size, ledger.meter(total: file.size), in: context)
      try await file.checkIsUnchanged()
      return UploadedObject(key: key, size: file.size, checksum: file.checksum)
    }
  }
}

extension UploadOptions {
  /// Throws an error if an upload option is set that an Aspera node cannot store with a file.
  func checkForAspera() throws(StorageError) {
    let named = [
      ("contentType", contentType != nil), ("metadata", !metadata.isEmpty), ("cacheControl", cacheControl != nil),
      ("contentDisposition", contentDisposition != nil), ("contentEncoding", contentEncoding != nil),
      ("forbidOverwrite", forbidOverwrite), ("storageClass", storageClass != nil), ("headers", !headers.isEmpty),
    ]
    try StorageError.refuse(named)
  }
}

extension StorageError {
  /// Throws an error that lists the options that are set, or returns if no option is set.
  static func refuse(_ options: [(name: String, isSet: Bool)]) throws(StorageError) {
    let names = options.filter(\.isSet).map(\.name)
    guard !names.isEmpty else { return }
    throw StorageError(
      .unsupported, "Aspera does not support \(names.joined(separator: " or ")); the operation was not started.",
      remedy: "Leave the options out for this provider.")
  }
}

extension NodeClient {
  /// Downloads an object into a file that appears at its destination only when the download is complete.
  @concurrent
  func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await download(key, to: FileLocation(file), options: options, progress: progress)
  }

  /// Downloads an object into a place.
  @concurrent
  func download(
    _ key: String, to location: FileLocation, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try options.checkForAspera()
    return try await sender.transfer("download", key, progress) { ledger in
      // Before anything is transferred, so that a folder is not found at the end.
      _ = try await location.permissions()
      let info = try await head(key)
      guard let range = options.range else {
        let copy = try await fetch(info, into: location.folder.path.absolute, ledger.meter(total: info.size))
        try await copy.move(to: location)
        return info
      }
      let copy = try await fetch(info, into: nil, nil)
      let bytes = try copy.bytes(of: range, subject: "download \(sender.location(ofKey: key))")
      let meter = ledger.meter(total: bytes.upperBound - bytes.lowerBound)
      try await FileReplacement.write(location) { replacement in
        _ = try await replacement.write(copy.stream(bytes), at: 0, .crc64) { meter.advance(by: $1) }
      }
      return info
    }
  }

  /// Downloads an object to a temporary file, which exists as long as its bytes are being read.
  @concurrent
  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try options.checkForAspera()
    let ledger = sender.ledger("download", key, nil)
    do {
      let copy = try await ledger.measure { try await fetch(try await head(key), into: nil, nil) }
      let bytes = try copy.bytes(of: options.range, subject: "download \(sender.location(ofKey: key))")
      return DownloadedObject(
        info: copy.info, contentLength: bytes.upperBound - bytes.lowerBound,
        body: copy.stream(bytes).entered(into: ledger))
    } catch {
      ledger.close(failure: error)
      throw error
    }
  }

  /// Downloads an object into a new temporary folder.
  ///
  /// - Parameters:
  ///   - info: The description of the object to download.
  ///   - parent: The folder in which the temporary folder is created. If `nil`, the system's temporary directory.
  ///   - meter: The meter that receives the number of transferred bytes, or `nil`.
  private func fetch(_ info: ObjectInfo, into parent: FilePath?, _ meter: ProgressMeter?) async throws -> FetchedFile {
    let folder = try TemporaryFolder(in: parent?.string)
    let name = "content"
    let context = try context
    let transfer = try await files.download(of: info.key, to: name, in: folder.path, in: context)
    try await carryOut(transfer, size: info.size, meter, in: context)
    return try await FetchedFile(info, FilePath(folder.path).appending(name), in: folder)
  }
}

extension DownloadOptions {
  /// Throws an error if a download option is set that an Aspera node does not support.
  func checkForAspera() throws(StorageError) {
    try StorageError.refuse([
      ("versionID", versionID != nil), ("ifMatch", ifMatch != nil), ("ifNoneMatch", ifNoneMatch != nil),
      ("ifModifiedSince", ifModifiedSince != nil), ("parameters", !parameters.isEmpty), ("headers", !headers.isEmpty),
    ])
  }
}

/// The maximum number of paths in one deletion request.
private let batchSize = 1000

extension NodeClient {
  /// Deletes an object, succeeds if the object does not exist, and throws an error if the key refers to a folder.
  func delete(_ key: String) async throws {
    try check(key)
    let files = try await files
    guard let entry = try await existing(key, in: files) else { return }
    if entry.isFolder { throw notFound(key, code: Self.folderCode, Self.folderMessage) }
    try await remove(key, entry, in: files)
  }

  /// Deletes objects, and succeeds for keys that do not exist.
  ///
  /// A node deletes a folder together with its content. The client therefore checks first whether each key refers to a
  /// file or a folder.
  func delete(_ keys: [String]) async throws -> DeletionReport {
    for key in keys { try check(key) }
    let files = try await files
    var report = DeletionReport()
    for start in stride(from: 0, to: keys.count, by: batchSize) {
      let found = try await entries(of: keys[start..<min(start + batchSize, keys.count)], in: files)
      for (key, entry) in found where entry?.isFolder == true {
        report.failures.append(.init(key: key, code: Self.folderCode, message: Self.folderMessage))
      }
      report.deleted += found.filter { $0.entry == nil }.map(\.key)
      try await remove(found.filter { $0.entry?.isFolder == false }, in: files, report: &report)
    }
    return report
  }

  /// Creates a folder and its parent folders, and succeeds if the folder exists.
  ///
  /// A node creates a folder only in an existing folder, and reports an error for a folder that exists.
  func createFolder(_ key: String) async throws {
    try check(key)
    try await files.createFolder(key)
  }

  /// Deletes a folder and its content, and succeeds if the folder does not exist.
  func deleteFolder(_ key: String) async throws {
    try check(key)
    try await remove(key, nil, in: files)
  }

  /// Changes the name of a file or folder, which stays in its folder.
  func rename(_ key: String, to name: String) async throws {
    try check(key)
    guard NodePath.isName(name) else {
      throw StorageError(
        .invalidKey, "\"\(name)\" is not the name of a file on a node.",
        remedy: "Give the new name alone, without the folder, and without control characters.")
    }
    try await files.rename(key, to: name)
  }

  /// Returns the keys in their order, each once as bytes, with the file or folder that has the key, if there is one.
  private func entries(
    of keys: ArraySlice<String>, in files: some NodeFiles
  ) async throws -> [(key: String, entry: NodeEntry?)] {
    var known: Set<ByteExactString> = []
    let keys = keys.filter { known.insert(ByteExactString($0)).inserted }
    return try await withThrowingTaskGroup(of: (Int, NodeEntry?).self) { group in
      for (index, key) in keys.enumerated() { group.addTask { (index, try await existing(key, in: files)) } }
      return try await group.reduce(into: keys.map { (key: $0, entry: NodeEntry?.none) }) { $0[$1.0].entry = $1.1 }
    }
  }

  private func remove(_ key: String, _ entry: NodeEntry?, in files: some NodeFiles) async throws {
    do {
      if let error = try await files.remove([(key, entry)])[0] { throw error }
    } catch let error as ServiceError where error.kind == .noSuchKey {
      return
    }
  }

  private func remove(
    _ found: [(key: String, entry: NodeEntry?)], in files: some NodeFiles, report: inout DeletionReport
  ) async throws {
    guard !found.isEmpty else { return }
    for (key, error) in zip(found.map(\.key), try await files.remove(found)) {
      if let error, error.kind != .noSuchKey {
        report.failures.append(.init(key: key, code: error.code, message: error.message))
      } else {
        report.deleted.append(key)
      }
    }
  }
}

extension NodeClient: OpenFileStore {}
