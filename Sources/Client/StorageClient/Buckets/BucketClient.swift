// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto
internal import SystemPackage

/// The store that performs the operations of a client on a bucket.
struct BucketClient<Provider: BucketProvider>: BucketStore, ResumingFileStore {
  let sender: RequestSender<Provider>

  var provider: Provider { sender.provider }
  var configuration: StorageClientConfiguration { sender.configuration }

  // MARK: Requests

  /// Makes a request for an object or the bucket, with a body in memory.
  ///
  /// The kind selects the provider's headers, and is empty if the request does not concern a single object. A given
  /// checksum replaces that of the body in the headers.
  func draft(
    _ method: HTTPRequest.Method, _ key: String? = nil, _ parameters: [RequestTarget.Parameter] = [],
    for kind: HeaderScope = [], headers: HTTPFields = [:], body: [UInt8] = [], checksum: ObjectChecksum? = nil
  ) throws(SigningError) -> RequestDraft {
    let digests = provider.digests
    var digest = digests.isEmpty ? BodyDigest() : BodyDigest.of(body, digests, provider.conventions.algorithm)
    if let checksum { digest.checksum = checksum }
    return try makeDraft(method, key, parameters, for: kind, headers, digest, body: body.isEmpty ? .none : .bytes(body))
  }

  /// Makes a request without a body that uploads a payload, which is read once if the headers need digests of it.
  func draft(
    putting payload: any UploadPayload, _ key: String, _ parameters: [RequestTarget.Parameter] = [],
    for kind: HeaderScope, headers: HTTPFields
  ) async throws -> RequestDraft {
    let digests = provider.digests
    let digest =
      digests.isEmpty ? BodyDigest() : try await BodyDigest.of(payload, digests, provider.conventions.algorithm)
    return try makeDraft(.put, key, parameters, for: kind, headers, digest, body: .none)
  }

  private func makeDraft(
    _ method: HTTPRequest.Method, _ key: String?, _ parameters: [RequestTarget.Parameter], for kind: HeaderScope,
    _ operationHeaders: HTTPFields, _ digest: BodyDigest, body: HTTPBody
  ) throws(SigningError) -> RequestDraft {
    // Read once, because each access copies a value with many strings.
    let provider = provider
    let conventions = provider.conventions
    var headers = operationHeaders
    headers.replaceFields(with: provider.headers(of: kind, body: digest, alongside: operationHeaders))
    let endpoint = try provider.endpoint
    let request = try endpoint.request(
      method, bucket: provider.bucket, key: key, parameters: parameters, headers: headers)
    var draft = RequestDraft(request, to: endpoint, at: sender.location(ofKey: key), body: body)
    if sender.scopedCredentials != nil {
      draft.scope = CredentialScope(of: method, key: key, parameters: parameters, in: provider.bucket)
    }
    let isCopy = headers.contains(conventions.copySource)
    draft.successProof = SuccessProof(of: method, key: key, parameters: parameters, isCopy: isCopy)
    draft.requestIDHeader = conventions.requestID
    draft.forbidsOverwriting = conventions.forbidOverwrite.map { headers.value(of: $0.name) == $0.value } ?? false
    // Sent again after a lost response, a conditional upload or copy would fail at the object that it stored itself.
    let isConditional = draft.forbidsOverwriting || headers.contains(.ifMatch)
    draft.isRepeatable = !isConditional || !(kind == .put || kind == .copy)
    return draft
  }

  /// Sends a request, and reads the document in the response with the service's format.
  func document<Value>(
    from draft: RequestDraft, _ read: (any DocumentFormat, [UInt8]) throws -> Value
  ) async throws -> Value {
    try await sender.exchange(draft) { response, body in
      try provider.conventions.read(body, of: response, subject: draft.subject, read)
    }
  }

  // MARK: Uploads

  @concurrent func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await sender.withTransferLedger(for: "upload", of: key, progress: progress) { ledger in
      if options.forbidOverwrite, options.checksVersioning { try await requireOverwriteProtection(of: key) }
      switch source.storage {
      case .bytes(let bytes): return try await uploadPayload(BytesPayload(bytes: bytes), to: key, options, ledger)
      case .file(let path): return try await uploadPayload(FilePayload(path), from: path, to: key, options, ledger)
      case .opened(let file): return try await uploadPayload(file, from: file.path, to: key, options, ledger)
      case .stream(let stream, let length):
        return try await uploadStream(stream, length: length, to: key, options, ledger)
      }
    }
  }

  /// Uploads a payload of known length, in parts if the configuration asks for it.
  private func uploadPayload(
    _ payload: some UploadPayload, from file: FilePath? = nil, to key: String, _ options: UploadOptions,
    _ ledger: TransferLedger
  ) async throws -> UploadedObject {
    let headers = try options.requestHeaders(in: provider.conventions, key: key, file: file)
    let meter = ledger.meter(total: payload.length)
    guard configuration.uploadsInParts(payload.length) else {
      return try await putObject(payload, to: key, headers: headers, progress: meter)
    }
    let sizes = try PartSizes(length: payload.length, preferred: configuration.partSize)
    let parts = SlicedParts(payload, ranges: sizes.ranges(of: payload.length))
    return try await uploadInParts(parts, to: key, headers: headers, length: payload.length, progress: meter)
  }

  /// Uploads a stream, whose parts are collected in memory, with one request if it has only one part.
  private func uploadStream(
    _ stream: ByteStream, length: Int64?, to key: String, _ options: UploadOptions, _ ledger: TransferLedger
  ) async throws -> UploadedObject {
    let headers = try options.requestHeaders(in: provider.conventions, key: key)
    let meter = ledger.meter(total: length)
    var parts = CollectedParts(stream, sizes: try PartSizes(length: length, preferred: configuration.partSize))
    guard let bytes = try await parts.onlyPart() else {
      return try await uploadInParts(parts, to: key, headers: headers, length: length, progress: meter)
    }
    if let length, length != bytes.count { throw StorageError.sourceChanged(from: length, to: Int64(bytes.count)) }
    return try await putObject(BytesPayload(bytes: bytes), to: key, headers: headers, progress: meter)
  }

  /// Uploads an object with one request.
  private func putObject(
    _ payload: some UploadPayload, to key: String, headers: HTTPFields, progress: ProgressMeter
  ) async throws -> UploadedObject {
    let conventions = provider.conventions
    let draft = try await draft(
      putting: payload, key, for: .put, headers: headers.applying(to: .put, conventions.scopes))
    let (response, body, checksum) = try await send(payload, with: draft, progress: progress)
    return UploadedObject(
      key: key, size: payload.length, etag: response.headerFields.value(of: .eTag), checksum: checksum, response,
      conventions, callbackReply: draft.callbackReply(in: body, conventions))
  }

  /// Sends a payload as the body of a request, and compares its checksum with the checksum in the response.
  func send(
    _ payload: any UploadPayload, with draft: RequestDraft, progress: ProgressMeter
  ) async throws -> (response: HTTPResponse, body: [UInt8], checksum: ObjectChecksum) {
    var draft = draft
    if payload.length <= payloadChunkSize {
      let bytes = try await payload.collected()
      let conventions = provider.conventions
      let checksum = ObjectChecksum(conventions.algorithm, of: bytes)
      draft.body = .bytes(bytes)
      let (response, body) = try await sender.exchange(draft)
      progress.advance(by: payload.length)
      try checksum.verifyUpload(of: draft.subject, against: response, conventions)
      return (response, body, checksum)
    }
    let meter = BodyMeter(length: payload.length, provider.conventions.algorithm, progress: progress)
    draft.body = meter.body(of: payload.stream)
    draft.meter = meter
    let (response, body) = try await sender.exchange(draft)
    try meter.checksum.verifyUpload(of: draft.subject, against: response, provider.conventions)
    return (response, body, meter.checksum)
  }

  // MARK: Downloads

  @concurrent func download(
    _ key: String, to location: FileLocation, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await sender.withTransferLedger(for: "download", of: key, progress: progress) { ledger in
      try await FileReplacement.write(location) { replacement in
        try await FileDownload(bucket: self, key: key, options: options, file: replacement, ledger: ledger).download()
      }
    }
  }

  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    try await sender.recordDownload(of: key) { try await fetch(key, options: options, requiresRange: true) }
  }

  /// Starts to download an object, or a range of its bytes, and resumes the download if the connection is lost.
  ///
  /// Without `requiresRange`, the comparison of the response with the range is lenient.
  func fetch(_ key: String, options: DownloadOptions, requiresRange: Bool = false) async throws -> DownloadedObject {
    let draft = try draft(options, for: key)
    let received = try await sender.send(draft)
    let info = ObjectInfo(key: key, response: received.response, conventions: provider.conventions)
    let length = received.response.contentLength
    let isUnprocessed = options.parameters.allSatisfy { PresignedURLRules.leavesObjectUnprocessed($0.name.string[...]) }
    if isUnprocessed, let range = options.range,
      !received.response.hasBytes(of: range, info.size, isLenient: !requiresRange)
    {
      throw StorageError.wrongRange
    }
    let isWhole = received.response.status != .partialContent || length == info.size
    let body = resumed(received, info, options, length: length).verified(
      as: draft.subject, length: length, checksum: isWhole && isUnprocessed ? info.checksum : nil,
      endsWithConnection: received.endsWithConnection)
    return DownloadedObject(info: info, contentLength: length, body: body)
  }

  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try await head(key, versionID: nil, headers: headers)
  }

  func head(_ key: String, versionID: String?, headers: HTTPFields) async throws -> ObjectInfo {
    try headers.requireApplicable(
      to: .head, named: "a request for the description of an object", in: provider.conventions.scopes)
    return try await requestInfo(key, versionID, headers)
  }

  /// Requests the description of an object, or returns `nil` if the service rejects the request without a reason.
  func infoIfPermitted(_ key: String, options: DownloadOptions) async throws -> ObjectInfo? {
    let headers = try options.requestHeaders(in: provider.conventions).applying(to: .head, provider.conventions.scopes)
    do {
      return try await requestInfo(key, options.versionID, headers)
    } catch let error as ServiceError where !error.isExplained && error.status.kind == .clientError { return nil }
  }

  private func requestInfo(_ key: String, _ versionID: String?, _ headers: HTTPFields) async throws -> ObjectInfo {
    let draft = try draft(.head, key, Self.parameters(ofVersion: versionID), for: .head, headers: headers)
    let (response, _) = try await sender.exchange(draft)
    return ObjectInfo(key: key, response: response, conventions: provider.conventions)
  }

  private static func parameters(ofVersion versionID: String?) -> [RequestTarget.Parameter] {
    versionID.map { [.init("versionId", $0)] } ?? []
  }

  func draft(_ options: DownloadOptions, for key: String) throws -> RequestDraft {
    try draft(
      .get, key, options.parameters + Self.parameters(ofVersion: options.versionID), for: .get,
      headers: options.requestHeaders(in: provider.conventions))
  }

  // MARK: The bucket and its objects

  func list(prefix: String, delimiter: String?) -> ObjectListing {
    ObjectListing { [self] continuation in
      try await requestPage(
        prefix: prefix, delimiter: delimiter, continuation: continuation, limit: configuration.keysPerPage)
    }
  }

  func bucketExists() async throws -> Bool {
    do {
      _ = try await requestPage(prefix: "", limit: 1)
      return true
    } catch let error as ServiceError where error.kind == .noSuchBucket { return false }
  }

  func createBucket() async throws {
    let body = provider.bucketConfiguration
    var headers = HTTPFields()
    if !body.isEmpty { headers[.contentType] = provider.conventions.format.mediaType }
    do { _ = try await sender.exchange(draft(.put, headers: headers, body: body)) } catch let error as ServiceError
      where error.attempts > 1 && error.code == "BucketAlreadyOwnedByYou"
    {
      // An attempt whose response was lost created the bucket.
    }
  }

  func deleteBucket() async throws {
    do { _ = try await sender.exchange(draft(.delete)) } catch let error as ServiceError
      where error.attempts > 1 && error.kind == .noSuchBucket
    {
      // An attempt whose response was lost deleted the bucket.
    }
  }

  func buckets() async throws -> [ListedBucket] {
    var buckets: [ListedBucket] = []
    var parameters: [RequestTarget.Parameter] = []
    var seenMarkers: Set<ByteExactString> = []
    while true {
      let endpoint = try provider.endpoint
      let draft = RequestDraft(
        try endpoint.request(.get, bucket: nil, parameters: parameters), to: endpoint, at: "\(provider.name)://")
      let page = try await document(from: draft) { _, body in
        try ListedBucket.page(ServiceDocument(body, named: "ListAllMyBucketsResult", provider.conventions))
      }
      buckets += page.buckets
      guard let next = page.next else { return buckets }
      guard !page.buckets.isEmpty, seenMarkers.insert(next.value ?? "").inserted else {
        throw StorageError.contradiction("its pages do not end")
      }
      parameters = [next]
    }
  }

  private func requestPage(
    prefix: String, delimiter: String? = nil, continuation: String? = nil, limit: Int
  ) async throws -> ListPage {
    let conventions = provider.conventions
    var parameters = listingParameters(limitedBy: "max-keys", to: limit, prefix: prefix)
    if let delimiter { parameters.append(.init("delimiter", delimiter)) }
    switch conventions.paging {
    case .continuationToken:
      parameters.append(.init("list-type", "2"))
      if let continuation { parameters.append(.init("continuation-token", continuation)) }
    case .marker:
      if let continuation { parameters.append(.init("marker", continuation)) }
    }
    let request = DocumentRequest(bucket: provider.bucket, prefix: prefix, delimiter: delimiter)
    let page = try await document(from: draft(.get, nil, parameters)) { try $0.listing(in: $1, of: request) }
    if case .marker = conventions.paging, let continuation { try page.require(follows: continuation) }
    return page
  }

  private func listingParameters(
    _ subresource: String? = nil, limitedBy limitName: String, to limit: Int, prefix: String
  ) -> [RequestTarget.Parameter] {
    var parameters: [RequestTarget.Parameter] = subresource.map { [.init($0)] } ?? []
    parameters += provider.conventions.format.listingParameters
    parameters.append(.init(limitName, "\(limit)"))
    if !prefix.isEmpty { parameters.append(.init("prefix", prefix)) }
    return parameters
  }

  func copy(_ source: CopySource, to key: String, options: CopyOptions) async throws -> CopiedObject {
    try await sender.withTransferLedger(for: "copy", of: key, progress: nil) { _ in
      let conventions = provider.conventions
      // A source key that the service cannot store is an error of its own, before the copy is requested.
      _ = try draft(.get, source.key)
      var headers = try options.requestHeaders(in: conventions, key: key)
      if options.forbidsOverwriting, options.requiresVersioningCheck { try await requireOverwriteProtection(of: key) }
      headers[conventions.copySource] = provider.copySource(source)
      var draft = try draft(.put, key, for: .copy, headers: headers)
      draft.scope = draft.scope?.addingRead(of: source, in: provider.bucket)
      let request = DocumentRequest(bucket: provider.bucket, key: key)
      return try await sender.exchange(draft) { response, body in
        let document = try conventions.read(body, of: response, subject: draft.subject) {
          try $0.copy(in: $1, of: request)
        }
        return CopiedObject(key: key, document, response, conventions)
      }
    }
  }

  func bucketVersioning() async throws -> BucketVersioning {
    try await document(from: draft(.get, nil, [.init("versioning")])) { try $0.versioning(in: $1) }
  }

  func versions(prefix: String, key: String?) -> ObjectVersions {
    ObjectVersions(prefix: prefix, key: key) { [self] marker in
      var parameters = listingParameters(
        "versions", limitedBy: "max-keys", to: configuration.keysPerPage, prefix: prefix)
      if let marker {
        parameters.append(.init("key-marker", marker.key))
        if !marker.versionID.isEmpty { parameters.append(.init("version-id-marker", marker.versionID)) }
      }
      let request = DocumentRequest(bucket: provider.bucket, prefix: prefix)
      return try await document(from: draft(.get, nil, parameters)) { try $0.versions(in: $1, of: request) }
    }
  }

  /// Throws an error if the service ignores an instruction not to overwrite, because of the bucket's versioning state.
  private func requireOverwriteProtection(of key: String) async throws {
    guard provider.conventions.overwritesWithVersioning else { return }
    let state = try await bucketVersioning()
    guard state != .disabled else { return }
    throw StorageError(
      .invalidOption,
      "Versioning of the bucket \(provider.bucket) is \(state.rawValue), so the service ignores forbidOverwrite and "
        + "could replace \(key).",
      remedy: "Use a bucket that never had versioning, or a key that is used only once.")
  }

  func delete(_ key: String) async throws { try await delete(key, versionID: nil) }

  func delete(_ key: String, versionID: String?) async throws {
    _ = try await sender.exchange(draft(.delete, key, Self.parameters(ofVersion: versionID)))
  }

  /// Deletes objects in batches; keys that the documents of the service cannot represent are deleted one by one.
  func delete(_ keys: [String]) async throws -> DeletionReport {
    // An invalid key must cause an error before any object is deleted.
    for key in keys { _ = try draft(.delete, key) }
    let format = provider.conventions.format
    var report = DeletionReport()
    let representableKeys = keys.filter(format.represents)
    for start in stride(from: 0, to: representableKeys.count, by: DeletionReport.batchSize) {
      try await delete(batch: representableKeys[start...].prefix(DeletionReport.batchSize), report: &report)
    }
    for key in keys where !format.represents(key) {
      do {
        try await delete(key)
        report.deleted.append(key)
      } catch let error as ServiceError { report.failures.append(.init(key, error)) }
    }
    return report
  }

  private func delete(batch: ArraySlice<String>, report: inout DeletionReport) async throws {
    let conventions = provider.conventions
    let body = conventions.format.deletion(of: Array(batch))
    var headers = HTTPFields()
    headers[.contentType] = conventions.format.mediaType
    headers[.contentMD5] = MD5.hash(body).base64
    var draft = try draft(.post, nil, [.init("delete")], headers: headers, body: body)
    draft.scope = CredentialScope(deleting: batch, in: provider.bucket)
    let batchReport = try await sender.exchange(draft) { response, body in
      // OSS responds to a quiet deletion without failures with an empty body.
      if body.isEmpty {
        try SuccessProof.noContent.require(in: response, to: draft.subject, requestIDHeader: conventions.requestID)
        return DeletionReport()
      }
      return try conventions.read(body, of: response, subject: draft.subject) { try $0.deletionReport(in: $1) }
    }
    try report.add(batchReport, requested: batch)
  }

  // MARK: Resumable transfers and unfinished uploads

  @concurrent func upload(
    _ file: FilePath, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>, options: UploadOptions,
    progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await upload(FilePayload(file), to: key, checkpoint: checkpoint, options: options, progress: progress)
  }

  @concurrent func upload(
    _ payload: FilePayload, to key: String, checkpoint: some CheckpointStorage<UploadCheckpoint>,
    options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await sender.withTransferLedger(for: "upload", of: key, progress: progress) { ledger in
      if options.forbidOverwrite, options.checksVersioning { try await requireOverwriteProtection(of: key) }
      let headers = try options.requestHeaders(in: provider.conventions, key: key, file: payload.path)
      let upload = ResumableUpload(
        bucket: self, key: key, headers: headers, file: payload, storage: checkpoint, ledger: ledger)
      // A small file is uploaded as a whole each time.
      if configuration.uploadsInParts(payload.length) { return try await upload.complete() }
      try await upload.discard()
      let meter = ledger.meter(total: payload.length)
      return try await putObject(payload, to: key, headers: headers, progress: meter)
    }
  }

  @concurrent func download(
    _ key: String, to file: FilePath, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await download(key, to: FileLocation(file), checkpoint: checkpoint, options: options, progress: progress)
  }

  @concurrent func download(
    _ key: String, to location: FileLocation, checkpoint: some CheckpointStorage<DownloadCheckpoint>,
    options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await sender.withTransferLedger(for: "download", of: key, progress: progress) { ledger in
      try await ResumableDownload(
        bucket: self, key: key, destination: location, options: options, storage: checkpoint, ledger: ledger
      ).complete()
    }
  }

  func unfinishedUploads(prefix: String) -> UnfinishedUploads {
    UnfinishedUploads(prefix: prefix) { [self] marker in
      var parameters = listingParameters(
        "uploads", limitedBy: "max-uploads", to: configuration.keysPerPage, prefix: prefix)
      if let marker {
        parameters.append(.init("key-marker", marker.key))
        parameters.append(.init("upload-id-marker", marker.uploadID))
      }
      let request = DocumentRequest(bucket: provider.bucket, prefix: prefix)
      return try await document(from: draft(.get, nil, parameters)) { try $0.unfinishedUploads(in: $1, of: request) }
    }
  }

  func abort(_ upload: UnfinishedUpload) async throws {
    let id = try ResponseValue(upload.uploadID, named: "UploadId")
    try await MultipartUpload(bucket: self, key: upload.key, id: id, headers: [:]).requestAbort()
  }
}

extension HeaderConventions {
  /// Reads the document in a response, or throws the error in it, which a service can report after a success status.
  func read<Value>(
    _ body: [UInt8], of response: HTTPResponse, subject: String, _ read: (any DocumentFormat, [UInt8]) throws -> Value
  ) throws -> Value {
    let format = format
    if let error = format.error(in: body, of: response, subject: subject) { throw error }
    do { return try read(format, body) } catch {
      throw error as? StorageError ?? StorageError.malformedResponse("\(error)")
    }
  }
}

extension RequestTarget.Parameter {
  init(_ name: String, _ value: String? = nil) { self.init(name: name, value: value) }
}
