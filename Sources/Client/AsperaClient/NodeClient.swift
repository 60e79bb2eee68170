// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth
internal import StorageClient
internal import SystemPackage

/// The implementation of the object store operations for an Aspera node.
struct NodeClient: OpenFileStore {
  let sender: RequestSender<AsperaProvider>

  var provider: AsperaProvider { sender.provider }

  /// The operations on files for the credential that is in use.
  ///
  /// Files are identified by IDs if the credential is a bearer token or if the provider has a root folder ID, and by
  /// paths otherwise.
  var files: any NodeFiles {
    get async throws {
      guard sender.remoteSigner == nil else { return PathFiles(node: self) }
      let access = try await sender.credential(for: nil).credential
      switch access.method {
      case .bearer: return IdentifiedFiles(node: self, access: access)
      case .accessKey, .basic:
        return provider.rootFileID == nil ? PathFiles(node: self) : IdentifiedFiles(node: self, access: access)
      }
    }
  }

  /// Calls an operation of the Node API, at a path below its base URL, and returns the head and the JSON body of the
  /// response, which is `null` if there is none.
  ///
  /// - Throws: `ServiceError` if the node reports an error, even in a response whose status reports success.
  func call(
    _ method: HTTPRequest.Method, _ path: String, as action: String, for key: String, headers: HTTPFields = [:],
    body: JSONValue? = nil, isRepeatable: Bool = true
  ) async throws -> (response: HTTPResponse, document: JSONValue) {
    var draft = try draft(method, path, as: action, for: key, headers: headers, body: body)
    draft.isRepeatable = isRepeatable
    let (response, body) = try await sender.exchange(draft)
    return (response, body.isEmpty && response.status == .noContent ? .null : try NodeResponse.document(body))
  }

  func draft(
    _ method: HTTPRequest.Method, _ path: String, as action: String, for key: String, headers: HTTPFields = [:],
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

  /// Checks that the provider's URL and root folder are valid, and that a file can have an object key.
  func requireValidKey(_ key: String) throws {
    _ = try provider.address.get()
    try NodeFilePath.requireKey(key)
  }

  func existingEntry(_ key: String, in files: some NodeFiles) async throws -> NodeEntry? {
    do {
      return try await files.entry(key)
    } catch let error as ServiceError where error.kind == .noSuchKey {
      return nil
    }
  }

  /// The queue, the account and the issuer that all transfers of the client share.
  private var context: TransferContext {
    get throws { try sender.memory.value { try TransferContext(sender) } }
  }

  /// The error code for a key that refers to a folder instead of an object.
  private static let folderErrorCode = "IsFolder"
  private static let folderMessage = "The key names a folder, which is not an object."

  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try StorageError.refuse([("headers", !headers.isEmpty)])
    try requireValidKey(key)
    let entry = try await files.entry(key)
    guard !entry.isFolder else { throw notFound(key, code: Self.folderErrorCode, Self.folderMessage) }
    return ObjectInfo(key: key, size: entry.size, lastModified: entry.modified)
  }

  /// Lists objects in the byte order of their keys, by walking through the folders of the node.
  func list(prefix: String, delimiter: String?) -> ObjectListing {
    FolderWalk.listing(prefix: prefix, delimiter: delimiter) { self }
  }

  func notFound(_ key: String, code: String, _ message: String) -> ServiceError {
    ServiceError(
      HTTPResponse(status: .notFound), code: code, message: message, kind: .noSuchKey,
      subject: "browse \(sender.location(ofKey: key))")
  }

  /// Uploads an object, directly from a file or through a temporary file for other sources.
  @concurrent
  func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try options.requireAsperaOptions()
    try requireValidKey(key)
    return try await sender.transfer("upload", key, progress) { ledger in
      let file = try await UploadFile(source)
      let context = try context
      let session = try await files.upload(of: file.path, to: key, in: context)
      try await context.queue.carryOut(session, size: file.length, ledger.meter(total: file.length))
      try await file.requireUnchanged()
      return UploadedObject(key: key, size: file.length, checksum: file.checksum)
    }
  }

  @concurrent
  func download(
    _ key: String, to location: FileLocation, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try options.requireAsperaOptions()
    return try await sender.transfer("download", key, progress) { ledger in
      // Fails before anything is transferred if the destination is a folder.
      _ = try await location.permissions()
      let info = try await head(key)
      guard let range = options.range else {
        let file = try await fetch(info, into: location.folder.path.absolute, ledger.meter(total: info.size))
        try await file.move(to: location)
        return info
      }
      let file = try await fetch(info, into: nil, nil)
      let offsets = try file.offsets(of: range, subject: "download \(sender.location(ofKey: key))")
      let meter = ledger.meter(total: offsets.upperBound - offsets.lowerBound)
      try await FileReplacement.write(location) { replacement in
        _ = try await replacement.write(file.stream(offsets), at: 0, .crc64) { meter.advance(by: $1) }
      }
      return info
    }
  }

  /// Downloads an object to a temporary file, which exists as long as its bytes are being read.
  @concurrent
  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try options.requireAsperaOptions()
    return try await sender.recordDownload(of: key) {
      let file = try await fetch(try await head(key), into: nil, nil)
      let offsets = try file.offsets(of: options.range, subject: "download \(sender.location(ofKey: key))")
      return DownloadedObject(
        info: file.info, contentLength: offsets.upperBound - offsets.lowerBound, body: file.stream(offsets))
    }
  }

  /// Downloads an object into a new temporary folder in another folder, or in the system's temporary directory.
  private func fetch(_ info: ObjectInfo, into parent: FilePath?, _ meter: ProgressMeter?) async throws -> DownloadedFile
  {
    let folder = try TemporaryFolder(in: parent?.string)
    let context = try context
    let session = try await files.download(of: info.key, into: folder, in: context)
    try await context.queue.carryOut(session, size: info.size, meter)
    return try await DownloadedFile(info, in: folder)
  }

  /// Deletes an object, succeeds if the object does not exist, and throws an error if the key refers to a folder.
  func delete(_ key: String) async throws {
    try requireValidKey(key)
    let files = try await files
    guard let entry = try await existingEntry(key, in: files) else { return }
    if entry.isFolder { throw notFound(key, code: Self.folderErrorCode, Self.folderMessage) }
    try await remove(key, entry, in: files)
  }

  /// Deletes objects, and succeeds for keys that do not exist.
  ///
  /// A node deletes a folder together with its content. The client therefore checks first what each key refers to.
  func delete(_ keys: [String]) async throws -> DeletionReport {
    for key in keys { try requireValidKey(key) }
    let files = try await files
    var report = DeletionReport()
    for start in stride(from: 0, to: keys.count, by: DeletionReport.batchSize) {
      let entries = try await entries(of: keys[start..<min(start + DeletionReport.batchSize, keys.count)], in: files)
      for (key, entry) in entries where entry?.isFolder == true {
        report.failures.append(.init(key: key, code: Self.folderErrorCode, message: Self.folderMessage))
      }
      report.deleted += entries.filter { $0.entry == nil }.map(\.key)
      try await remove(entries.filter { $0.entry?.isFolder == false }, in: files, report: &report)
    }
    return report
  }

  /// Creates a folder and its parent folders, and succeeds if the folder exists.
  ///
  /// A node creates a folder only in an existing folder, and reports an error for a folder that exists.
  func createFolder(_ key: String) async throws {
    try requireValidKey(key)
    try await files.createFolder(key)
  }

  func deleteFolder(_ key: String) async throws {
    try requireValidKey(key)
    try await remove(key, nil, in: files)
  }

  func rename(_ key: String, to name: String) async throws {
    try requireValidKey(key)
    guard NodeFilePath.isName(name) else {
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
    var uniqueKeys: Set<ByteExactString> = []
    let keys = keys.filter { uniqueKeys.insert(ByteExactString($0)).inserted }
    return try await withThrowingTaskGroup(of: (index: Int, entry: NodeEntry?).self) { group in
      for (index, key) in keys.enumerated() { group.addTask { (index, try await existingEntry(key, in: files)) } }
      return try await group.reduce(into: keys.map { (key: $0, entry: NodeEntry?.none) }) {
        $0[$1.index].entry = $1.entry
      }
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
    _ entries: [(key: String, entry: NodeEntry?)], in files: some NodeFiles, report: inout DeletionReport
  ) async throws {
    guard !entries.isEmpty else { return }
    for (key, error) in zip(entries.map(\.key), try await files.remove(entries)) {
      if let error, error.kind != .noSuchKey {
        report.failures.append(.init(key, error))
      } else {
        report.deleted.append(key)
      }
    }
  }
}

extension UploadOptions {
  /// Throws an error if an upload option is set that an Aspera node cannot store with a file.
  func requireAsperaOptions() throws(StorageError) {
    try StorageError.refuse([
      ("contentType", contentType != nil), ("metadata", !metadata.isEmpty), ("cacheControl", cacheControl != nil),
      ("contentDisposition", contentDisposition != nil), ("contentEncoding", contentEncoding != nil),
      ("forbidOverwrite", forbidOverwrite), ("storageClass", storageClass != nil), ("headers", !headers.isEmpty),
    ])
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

extension DownloadOptions {
  /// Throws an error if a download option is set that an Aspera node does not support.
  func requireAsperaOptions() throws(StorageError) {
    try StorageError.refuse([
      ("versionID", versionID != nil), ("ifMatch", ifMatch != nil), ("ifNoneMatch", ifNoneMatch != nil),
      ("ifModifiedSince", ifModifiedSince != nil), ("parameters", !parameters.isEmpty), ("headers", !headers.isEmpty),
    ])
  }
}
