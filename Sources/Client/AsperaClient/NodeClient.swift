// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth
internal import SystemPackage

/// The object store of a client for an Aspera node, which calls the Node API and transfers bytes in a queue.
struct NodeClient: OpenFileStore {
  private static let folderErrorCode = "IsFolder"
  private static let folderMessage = "The key names a folder, which is not an object."

  let sender: RequestSender<AsperaProvider>
  var provider: AsperaProvider { sender.provider }
  private var context: TransferContext { get throws { try sender.storeCache.value { try TransferContext(sender) } } }

  /// The operations on files: by IDs for a bearer token or a root folder ID, otherwise by paths.
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

  /// Calls an operation of the Node API, and returns its JSON response, in which an empty body is `null`.
  ///
  /// - Throws: `ServiceError` if the node reports an error, even in a response whose status reports success.
  func call(
    _ method: HTTPRequest.Method, _ path: String, as action: String, for key: String, headers: HTTPFields = [:],
    body: JSONValue? = nil, isRepeatable: Bool = true
  ) async throws -> (response: HTTPResponse, document: JSONValue) {
    var draft = try draft(method, path, as: action, for: key, headers: headers, body: body)
    draft.isRepeatable = isRepeatable
    let (response, responseBody) = try await sender.exchange(draft)
    let isEmpty = responseBody.isEmpty && response.status == .noContent
    return (response, isEmpty ? .null : try NodeResponse.document(responseBody))
  }

  /// Returns the draft of a request, for which an error in a successful response counts as a failure.
  func draft(
    _ method: HTTPRequest.Method, _ path: String, as action: String, for key: String, headers: HTTPFields = [:],
    body: JSONValue? = nil
  ) throws -> RequestDraft {
    let address = try provider.nodeURL.get().appending(path)
    var request = HTTPRequest(
      method: method, scheme: address.scheme, authority: address.authority, path: address.path, headerFields: headers)
    if body != nil { request.headerFields[.contentType] = "application/json" }
    request.headerFields[.accept] = "application/json"
    var draft = RequestDraft(
      request, to: try provider.endpoint, at: sender.location(ofKey: key), action: action,
      body: body.map { .bytes($0.serialized) } ?? .none)
    let subject = draft.subject
    draft.errorInside = { response, body in
      NodeRefusal(inBody: body).map { ServiceError($0, in: response, subject: subject) }
    }
    return draft
  }

  /// Checks the key, and the provider's parameters, which were not checked when it was created.
  func requireValidKey(_ key: String) throws {
    _ = try provider.nodeURL.get()
    try NodeFilePath.requireKey(key)
  }

  func existingEntry(_ key: String, in files: some NodeFiles) async throws -> NodeEntry? {
    do {
      return try await files.entry(key)
    } catch let error as ServiceError where error.kind == .noSuchKey { return nil }
  }

  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try StorageError.requireUnset([("headers", !headers.isEmpty)])
    try requireValidKey(key)
    let entry = try await files.entry(key)
    guard !entry.isFolder else { throw notFound(key, code: Self.folderErrorCode, Self.folderMessage) }
    return ObjectInfo(key: key, size: entry.size, lastModified: entry.modified)
  }

  func list(prefix: String, delimiter: String?) -> ObjectListing {
    FolderWalk.listing(prefix: prefix, delimiter: delimiter) { self }
  }

  func notFound(_ key: String, code: String, _ message: String) -> ServiceError {
    ServiceError(
      HTTPResponse(status: .notFound), code: code, message: message, kind: .noSuchKey,
      subject: "browse \(sender.location(ofKey: key))")
  }

  @concurrent func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try options.requireOptionsForAspera()
    try requireValidKey(key)
    return try await sender.withTransferLedger(for: "upload", of: key, progress: progress) { ledger in
      let file = try await UploadFile(source)
      let context = try context
      let session = try await files.uploadSession(of: file.path, to: key, in: context)
      try await context.queue.runToEnd(session, size: file.length, meter: ledger.meter(total: file.length))
      try await file.requireUnchanged()
      return UploadedObject(key: key, size: file.length, checksum: file.checksum)
    }
  }

  @concurrent func download(
    _ key: String, to location: FileLocation, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try options.requireOptionsForAspera()
    return try await sender.withTransferLedger(for: "download", of: key, progress: progress) { ledger in
      // Fails before anything is transferred if the destination is a folder.
      _ = try await location.permissions()
      let info = try await head(key)
      guard let range = options.range else {
        let file = try await fetch(info, in: location.folder.path.absolute, ledger.meter(total: info.size))
        try await file.move(to: location)
        return info
      }
      let file = try await fetch(info)
      let offsets = try file.offsets(of: range, subject: "download \(sender.location(ofKey: key))")
      let meter = ledger.meter(total: offsets.upperBound - offsets.lowerBound)
      try await FileReplacement.write(location) { replacement in
        _ = try await replacement.write(file.stream(offsets), at: 0, .crc64) { meter.advance(by: $1) }
      }
      return info
    }
  }

  @concurrent func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try options.requireOptionsForAspera()
    return try await sender.recordDownload(of: key) {
      let file = try await fetch(try await head(key))
      let offsets = try file.offsets(of: options.range, subject: "download \(sender.location(ofKey: key))")
      return DownloadedObject(
        info: file.info, contentLength: offsets.upperBound - offsets.lowerBound, body: file.stream(offsets))
    }
  }

  /// Downloads an object into a new temporary folder, in `parent` or in the system's temporary directory.
  private func fetch(
    _ info: ObjectInfo, in parent: FilePath? = nil, _ meter: ProgressMeter? = nil
  ) async throws -> DownloadedFile {
    let folder = try TemporaryFolder(in: parent?.string)
    let context = try context
    let session = try await files.downloadSession(of: info.key, into: folder, in: context)
    try await context.queue.runToEnd(session, size: info.size, meter: meter)
    return try await DownloadedFile(info, in: folder)
  }

  func delete(_ key: String) async throws {
    try requireValidKey(key)
    let files = try await files
    guard let entry = try await existingEntry(key, in: files) else { return }
    if entry.isFolder { throw notFound(key, code: Self.folderErrorCode, Self.folderMessage) }
    try await remove(key, entry, in: files)
  }

  /// Deletes the keys that are not folders: a node would delete a folder together with its content.
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
      try await removeFiles(entries.filter { $0.entry?.isFolder == false }, in: files, report: &report)
    }
    return report
  }

  func createFolder(_ key: String) async throws {
    try requireValidKey(key)
    try await files.createFolder(key)
  }

  func deleteFolder(_ key: String) async throws {
    try requireValidKey(key)
    let files = try await files
    guard let entry = try await existingEntry(key, in: files) else { return }
    // A node would delete a file of that name.
    guard entry.isFolder else {
      throw ServiceError(
        HTTPResponse(status: .conflict), code: "NotFolder", message: "The key names a file, which is not a folder.",
        kind: .conflict, subject: "delete \(sender.location(ofKey: key))")
    }
    try await remove(key, entry, in: files)
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

  /// Returns the distinct keys (compared as bytes) in their order, each with its file or folder, if there is one.
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

  /// Deletes one file or folder, and succeeds if there is none.
  private func remove(_ key: String, _ entry: NodeEntry?, in files: some NodeFiles) async throws {
    do {
      if let error = try await files.remove([(key, entry)]).first ?? nil { throw error }
    } catch let error as ServiceError where error.kind == .noSuchKey { return }
  }

  private func removeFiles(
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
  func requireOptionsForAspera() throws(StorageError) {
    try StorageError.requireUnset([
      ("contentType", contentType != nil), ("metadata", !metadata.isEmpty), ("cacheControl", cacheControl != nil),
      ("contentDisposition", contentDisposition != nil), ("contentEncoding", contentEncoding != nil),
      ("forbidOverwrite", forbidOverwrite), ("storageClass", storageClass != nil), ("headers", !headers.isEmpty),
    ])
  }
}

extension StorageError {
  static func requireUnset(_ options: [(name: String, isSet: Bool)]) throws(StorageError) {
    let names = options.filter(\.isSet).map(\.name)
    guard !names.isEmpty else { return }
    throw StorageError(
      .unsupported, "Aspera does not support \(names.joined(separator: " or ")); the operation was not started.",
      remedy: "Leave the options out for this provider.")
  }
}

extension DownloadOptions {
  func requireOptionsForAspera() throws(StorageError) {
    try StorageError.requireUnset([
      ("versionID", versionID != nil), ("ifMatch", ifMatch != nil), ("ifNoneMatch", ifNoneMatch != nil),
      ("ifModifiedSince", ifModifiedSince != nil), ("parameters", !parameters.isEmpty), ("headers", !headers.isEmpty),
    ])
  }
}
