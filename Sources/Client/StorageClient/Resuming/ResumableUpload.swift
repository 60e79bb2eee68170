// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An upload of a file in parts whose state is saved, so that another process can continue it.
struct ResumableUpload<Provider: BucketProvider>: Sendable {
  let bucket: BucketClient<Provider>
  let key: String
  let headers: HTTPFields
  let file: FilePayload
  let storage: any CheckpointStorage<UploadCheckpoint>
  let ledger: TransferLedger

  private typealias Upload = MultipartUpload<Provider>

  private enum SavedState {
    /// The earlier process completed the upload.
    case stored(UploadedObject)
    /// The service has the given parts of the upload.
    case unfinished(Upload, UploadCheckpoint, [Upload.Part])
  }

  /// Uploads the parts that the service does not have yet, and completes the upload.
  ///
  /// After an error the upload remains unfinished; if the file has changed, the upload is aborted.
  func complete() async throws -> UploadedObject {
    do { return try await completed() } catch let error as StorageError where error.code == .sourceChanged {
      try? await discard()
      throw error
    }
  }

  private func completed() async throws -> UploadedObject {
    switch try await savedState() {
    case .stored(let object)?:
      try await storage.remove()
      return object
    case .unfinished(let upload, let checkpoint, let parts)?:
      return try await finish(upload, checkpoint, storedParts: parts)
    case nil:
      let (upload, checkpoint) = try await begin()
      return try await finish(upload, checkpoint, storedParts: [])
    }
  }

  /// Initiates a multipart upload and saves its checkpoint, without which no process could continue or abort it.
  private func begin() async throws -> (Upload, UploadCheckpoint) {
    let upload = try await Upload.begin(bucket, key: key, headers: headers)
    let checkpoint = UploadCheckpoint(
      location: location, identity: bucket.sender.objectIdentity(of: key), uploadID: upload.id.text,
      file: file.identity, partSize: bucket.configuration.partSize,
      attributes: UploadCheckpoint.digest(of: headers, upload.id.text))
    do { try await storage.save(checkpoint) } catch {
      await upload.abort()
      throw error
    }
    return (upload, checkpoint)
  }

  /// Aborts the saved upload, if any, and removes its checkpoint.
  func discard() async throws {
    guard let checkpoint = try await storage.load() else { return }
    try bucket.sender.requireIdentity(checkpoint.identity, of: key, savedAs: checkpoint.location)
    try await discard(checkpoint)
  }

  private func discard(_ checkpoint: UploadCheckpoint) async throws {
    await upload(withID: checkpoint.uploadID)?.abort()
    try await storage.remove()
  }

  private var location: String { bucket.sender.location(ofKey: key) }

  /// Returns the upload with the ID in a checkpoint, or `nil` if the ID is too long to be sent.
  private func upload(withID id: String) -> Upload? {
    (try? ResponseValue(id, named: "UploadId")).map { Upload(bucket: bucket, key: key, id: $0, headers: headers) }
  }

  /// Returns the state of the saved upload, or `nil` if the upload must start anew.
  ///
  /// If the file has changed, the saved upload is aborted.
  private func savedState() async throws -> SavedState? {
    guard let checkpoint = try await storage.load() else { return nil }
    try bucket.sender.requireIdentity(checkpoint.identity, of: key, savedAs: checkpoint.location)
    guard let upload = upload(withID: checkpoint.uploadID), checkpoint.matches(file.identity, headers) else {
      try await discard(checkpoint)
      return nil
    }
    let ranges = checkpoint.ranges
    let savedParts = Dictionary(checkpoint.parts.map { ($0.number, $0) }) { first, _ in first }
    do {
      var parts: [Upload.Part] = []
      for part in try await upload.storedParts() {
        let (saved, range) = (savedParts[part.number], ranges.range(ofPart: part.number))
        if let part = try await verified(part, saved: saved, range: range) { parts.append(part) }
      }
      return .unfinished(upload, checkpoint, parts)
    } catch let error as ServiceError where error.kind == .noSuchUpload {
      let parts = checkpoint.parts.filter { ResponseValue.isSendable($0.etag) }
      guard parts.count == ranges.count else { return nil }
      return try await upload.objectOfEarlierProcess(parts, unless: error).map { .stored($0) }
    }
  }

  /// Returns a part that the service has stored, or `nil` if the part differs from the file.
  ///
  /// If the checkpoint does not contain the part, its MD5, which is the entity tag of most services, is compared.
  private func verified(
    _ storedPart: StoredPart, saved savedPart: UploadCheckpoint.Part?, range: Range<Int64>?
  ) async throws -> Upload.Part? {
    guard let range, storedPart.size == range.byteCount else { return nil }
    if let savedPart, savedPart.etag == storedPart.etag { return savedPart }
    let slice = SlicePayload(base: file, range: range)
    let digest = try await BodyDigest.of(slice, [.checksum, .md5], bucket.provider.conventions.algorithm)
    let storedMD5 = storedPart.etag.asciiLowercased.filter { $0 != "\"" }
    guard storedMD5 == digest.md5, let checksum = digest.checksum else { return nil }
    return Upload.Part(number: storedPart.number, length: storedPart.size, etag: storedPart.etag, checksum: checksum)
  }

  /// Uploads the missing parts and completes the upload, unless the file was changed meanwhile.
  private func finish(
    _ upload: Upload, _ checkpoint: UploadCheckpoint, storedParts: [Upload.Part]
  ) async throws -> UploadedObject {
    var checkpoint = checkpoint
    checkpoint.parts = storedParts
    let newParts = try await uploadMissingParts(of: upload, &checkpoint)
    guard try await file.isUnchanged() else {
      throw StorageError.sourceChanged("The file for \(location)", during: "upload")
    }
    try await storage.save(checkpoint)
    do {
      let object = try await upload.complete(storedParts + newParts)
      try await storage.remove()
      return object
    } catch let error as ServiceError where error.isStored {
      try await storage.remove()
      throw error
    }
  }

  /// Uploads the parts that the checkpoint does not contain, and saves the checkpoint from time to time.
  private func uploadMissingParts(
    of upload: Upload, _ checkpoint: inout UploadCheckpoint
  ) async throws -> [Upload.Part] {
    let meter = ledger.meter(total: file.length, from: checkpoint.parts.byteCount)
    let source = SlicedParts(file, ranges: checkpoint.ranges, except: Set(checkpoint.parts.map(\.number)))
    var unsavedCount = 0
    do {
      return try await bucket.uploadParts(source, of: upload, progress: meter) { part in
        checkpoint.parts.append(part)
        unsavedCount += 1
        // Each save writes all parts, so the number of saves is limited. The service lists parts that are not saved.
        guard unsavedCount > checkpoint.parts.count / 128 else { return }
        try await storage.save(checkpoint)
        unsavedCount = 0
      }
    } catch {
      if unsavedCount > 0 { try? await storage.save(checkpoint) }
      throw error
    }
  }
}
