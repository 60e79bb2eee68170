// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// An upload of a file in parts whose state is saved, so that another process can continue it.
struct ResumableUpload<Provider: BucketProvider>: Sendable {
  let bucket: BucketClient<Provider>
  let key: String
  let fields: HTTPFields
  let file: FilePayload
  let storage: any CheckpointStorage<UploadCheckpoint>
  let ledger: TransferLedger

  private typealias Upload = MultipartUpload<Provider>

  private enum Start {
    case stored(UploadedObject)
    case unfinished(Upload, UploadCheckpoint, [Upload.Part])
  }

  /// Uploads the parts that the service does not have yet, and completes the upload.
  ///
  /// After an error the upload remains unfinished, unless the file has changed.
  func complete() async throws -> UploadedObject {
    switch try await continued() {
    case .stored(let object)?:
      try await storage.remove()
      return object
    case .unfinished(let upload, let checkpoint, let parts)?:
      return try await finish(upload, checkpoint, parts)
    case nil:
      let upload = try await Upload.begin(bucket, key: key, fields: fields)
      let checkpoint = UploadCheckpoint(
        location: location, identity: bucket.sender.objectIdentity(of: key), uploadID: upload.id.text,
        file: file.identity, partSize: bucket.configuration.partSize,
        attributes: UploadCheckpoint.digest(of: fields, upload.id.text))
      do {
        try await storage.save(checkpoint)
      } catch {
        await upload.abort()
        throw error
      }
      return try await finish(upload, checkpoint, [])
    }
  }

  /// Aborts the unfinished upload that the checkpoint describes, if there is a checkpoint.
  func discard() async throws {
    guard let checkpoint = try await storage.load() else { return }
    try bucket.sender.checkIdentity(checkpoint.identity, of: key, savedAs: checkpoint.location)
    try await discard(checkpoint)
  }

  private func discard(_ checkpoint: UploadCheckpoint) async throws {
    await upload(checkpoint.uploadID)?.abort()
    try await storage.remove()
  }

  private var location: String { bucket.sender.location(ofKey: key) }

  private func upload(_ id: String) -> Upload? {
    (try? ResponseValue(id, named: "UploadId")).map { Upload(bucket: bucket, key: key, id: $0, fields: fields) }
  }

  // MARK: Verification

  /// Returns the state in which the saved upload can be continued, or `nil` if the upload must start anew.
  ///
  /// An upload whose file has changed is aborted.
  private func continued() async throws -> Start? {
    guard let checkpoint = try await storage.load() else { return nil }
    try bucket.sender.checkIdentity(checkpoint.identity, of: key, savedAs: checkpoint.location)
    guard let upload = upload(checkpoint.uploadID), checkpoint.matches(file.identity, fields) else {
      try await discard(checkpoint)
      return nil
    }
    let ranges = checkpoint.ranges
    let saved = Dictionary(checkpoint.parts.map { ($0.number, $0) }) { first, _ in first }
    do {
      var parts: [Upload.Part] = []
      for part in try await upload.storedParts() {
        if let part = try await verified(part, saved[part.number], ranges.range(ofPart: part.number)) {
          parts.append(part)
        }
      }
      return .unfinished(upload, checkpoint, parts)
    } catch let error as ServiceError where error.kind == .noSuchUpload {
      let parts = checkpoint.parts.filter { ResponseValue.isSendable($0.etag) }
      guard parts.count == ranges.count else { return nil }
      return try await upload.objectOfEarlierProcess(parts, unless: error).map { .stored($0) }
    }
  }

  /// Returns a part that the service has stored, or `nil` if it is not the part of the file.
  ///
  /// A part that was stored after the checkpoint was saved is compared by its MD5, the entity tag of most services.
  private func verified(
    _ stored: StoredPart, _ saved: UploadCheckpoint.Part?, _ range: Range<Int64>?
  ) async throws -> Upload.Part? {
    guard let range, stored.size == range.byteCount else { return nil }
    if let saved, saved.etag == stored.etag { return saved }
    let slice = SlicePayload(base: file, range: range)
    let (md5, checksum) = try await slice.identified(bucket.provider.conventions.algorithm)
    guard stored.etag.asciiLowercased.filter({ $0 != "\"" }) == md5 else { return nil }
    return Upload.Part(number: stored.number, length: stored.size, etag: stored.etag, checksum: checksum)
  }

  // MARK: Continuation

  private func finish(
    _ upload: Upload, _ checkpoint: UploadCheckpoint, _ parts: [Upload.Part]
  ) async throws -> UploadedObject {
    var checkpoint = checkpoint
    checkpoint.parts = parts
    let meter = ledger.meter(total: file.length, from: parts.reduce(0) { $0.saturatingAdding($1.length) })
    let source = SlicedParts(file, ranges: checkpoint.ranges, except: Set(parts.map(\.number)))
    var unsaved = 0
    let added: [Upload.Part]
    do {
      added = try await bucket.uploadAll(source, of: upload, progress: meter) { part in
        checkpoint.parts.append(part)
        unsaved += 1
        // The service lists the parts that the checkpoint lacks, so that the work of saving can stay linear.
        guard unsaved > checkpoint.parts.count / 128 else { return }
        try await storage.save(checkpoint)
        unsaved = 0
      }
    } catch {
      if unsaved > 0 { try? await storage.save(checkpoint) }
      throw error
    }
    guard try file.isUnchanged() else {
      try await discard(checkpoint)
      throw StorageError(
        .sourceChanged, "The file for \(location) was changed during the upload.",
        remedy: "Upload it again when it no longer changes.")
    }
    try await storage.save(checkpoint)
    do {
      let object = try await upload.complete(parts + added)
      try await storage.remove()
      return object
    } catch let error as ServiceError where error.isStored {
      try await storage.remove()
      throw error
    }
  }
}

extension RequestSender {
  /// Throws an error if a checkpoint belongs to another object, or to the same bucket and key of another server.
  func checkIdentity(_ saved: ObjectIdentity?, of key: String, savedAs location: String) throws(StorageError) {
    guard let saved, saved == objectIdentity(of: key) else {
      let other = saved.map { "\(location) (\($0))" } ?? "\(location) on an unknown server"
      let wanted = objectIdentity(of: key).map { " (\($0))" } ?? ""
      throw StorageError(
        .invalidOption, "The checkpoint belongs to \(other) and not to \(self.location(ofKey: key))\(wanted).",
        remedy: "Keep the checkpoint of each transfer in a place of its own.")
    }
  }
}

extension [Range<Int64>] {
  /// Returns the byte range of the part with a number, or `nil` if there is no such part.
  func range(ofPart number: Int) -> Range<Int64>? { number > 0 && number <= count ? self[number - 1] : nil }
}

extension Range<Int64> {
  var byteCount: Int64 { upperBound - lowerBound }
}
