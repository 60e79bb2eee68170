// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import StorageAuth
internal import SystemPackage
internal import _NIOFileSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The record files of buckets and objects, from which the index is rebuilt when a directory is opened.
struct Journal: Sendable {
  private static let bucketFile = "bucket.json"
  /// The start of the names of Foundation's files for atomic writes on Linux.
  private static let unfinishedFilePrefix = ".dat.nosync"
  /// The maximum size of a record that is written: more than twice that of one with ``Content/extentLimit`` pieces.
  private static let writeLimit = 4 << 20
  /// The maximum size of a record that is read, which is larger because earlier versions wrote without a limit.
  private static let readLimit = ByteCount.mebibytes(256)

  let directory: FilePath

  // MARK: Writing

  func write(_ bucket: Bucket) async throws {
    try await FileSystem.shared.createDirectory(at: objects(of: bucket.name), withIntermediateDirectories: true)
    let record = try JSONEncoder().encode(BucketRecord(bucket))
    // An atomic write replaces the old file at once; the file system library would remove the old file first.
    try record.write(to: URL(filePath: directory(of: bucket.name).appending(Self.bucketFile).string), options: .atomic)
  }

  /// Removes the record of a bucket first: without it, the other files are ignored if the process ends.
  func remove(bucket: String) async throws {
    try await FileSystem.shared.removeItem(at: directory(of: bucket).appending(Self.bucketFile))
    try await FileSystem.shared.removeItem(at: directory(of: bucket))
  }

  func write(_ object: StoredObject, in bucket: String) async throws {
    let bytes = Array(try JSONEncoder().encode(ObjectRecord(object)))
    guard bytes.count <= Self.writeLimit else {
      throw ErrorResponse.internalError("The record of the object has more than \(Self.writeLimit) bytes.")
    }
    try await FileSystem.shared.withFileHandle(
      forWritingAt: file(of: object, in: bucket), options: .newFile(replaceExisting: false)
    ) { file in _ = try await file.write(contentsOf: bytes, toAbsoluteOffset: 0) }
  }

  func remove(_ object: StoredObject, in bucket: String) async throws {
    try await FileSystem.shared.removeItem(at: file(of: object, in: bucket))
  }

  // MARK: Reading

  /// Reads all records, whose files the collector deletes once they are unreferenced.
  func load(_ collector: BlobCollector) async throws -> [String: Bucket] {
    try await FileSystem.shared.createDirectory(at: directory, withIntermediateDirectories: true)
    var files: [BlobID: Blob] = [:]
    var buckets: [String: Bucket] = [:]
    for name in try await directory.entryNames() where isBucketNameWithOrWithoutDots(name) {
      let record = try await read(BucketRecord.self, directory(of: name).appending(Self.bucketFile))
      // An earlier version that ended while it deleted a bucket may have left the record without the folder of objects.
      guard var bucket = record?.bucket(named: name),
        try await FileSystem.shared.info(forFileAt: objects(of: name)) != nil
      else { continue }
      // A process that ended while it replaced the record has left an unfinished file.
      for file in try await directory(of: name).entryNames() where file.hasBytePrefix(Self.unfinishedFilePrefix) {
        try await FileSystem.shared.removeItem(at: directory(of: name).appending(file))
      }
      try await loadObjects(into: &bucket) { id, byteCount in
        let blob = files[id] ?? Blob(id: id, byteCount: byteCount, collector: collector)
        files[id] = blob
        return blob
      }
      buckets[name] = bucket
    }
    return buckets
  }

  private func loadObjects(into bucket: inout Bucket, _ blob: (BlobID, Int64) -> Blob) async throws {
    for file in try await objects(of: bucket.name).entryNames() {
      guard file.hasByteSuffix(".json"), let id = BlobID(String(file.dropLast(5))),
        let record = try await read(ObjectRecord.self, objects(of: bucket.name).appending(file))
      else { continue }
      let object = try record.object(id: id, blob: blob)
      // If a process ended between the write of a record and the removal of the old one, the newer one is kept.
      let other = bucket.versions(of: object.key).first { $0.version == object.version }
      let isNewer = other.map { ($0.order, $0.modified) <= (object.order, object.modified) } ?? true
      if let outdated = isNewer ? bucket.add(object) : object { try await remove(outdated, in: bucket.name) }
    }
  }

  private func read<Record: Decodable>(_ type: Record.Type, _ path: FilePath) async throws -> Record? {
    guard try await FileSystem.shared.info(forFileAt: path) != nil else { return nil }
    let buffer = try await ByteBuffer(contentsOf: path, maximumSizeAllowed: Self.readLimit)
    do { return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView)) } catch {
      throw LocalCloudError("\(path) is not a record of this server; delete it, or choose another directory.")
    }
  }

  // MARK: Paths

  private func directory(of bucket: String) -> FilePath { directory.appending(bucket) }
  private func objects(of bucket: String) -> FilePath { directory(of: bucket).appending("objects") }

  private func file(of object: StoredObject, in bucket: String) -> FilePath {
    objects(of: bucket).appending("\(object.id).json")
  }
}

extension FilePath {
  func entryNames() async throws -> [String] {
    try await FileSystem.shared.withDirectoryHandle(atPath: self) { directory in
      try await directory.listContents().reduce(into: []) { $0.append($1.name.string) }
    }
  }
}

struct BucketRecord: Codable {
  private let created: InstantRecord
  private let access: AccessControl
  /// The settings of the bucket, or `nil` in records that were written before buckets had other settings than access.
  private let settings: BucketSettings?

  init(_ bucket: Bucket) {
    created = InstantRecord(bucket.created)
    access = bucket.access
    settings = bucket.settings
  }

  func bucket(named name: String) -> Bucket {
    var bucket = Bucket(name: name, created: created.timestamp, access: access)
    if let settings { bucket.settings = settings }
    return bucket
  }
}

struct ObjectRecord: Codable {
  private struct Part: Codable {
    let file: String
    let fileByteCount, offset, byteCount: Int64
  }

  private let key: String
  private let parts: [Part]
  private let byteCount: Int64
  private let entityTag: String
  private let crc64: UInt64
  private let headers, metadata: [ObjectDescription.Header]
  private let modified: InstantRecord
  private let isMultipart: Bool
  private let kind: StoredObject.Kind?
  private let version: String?
  private let order: UInt64?
  private let access: AccessControl?
  private let checksum: StoredChecksum?
  private let partSizes: [Int64]?
  private let partChecksums: [StoredChecksum]?
  /// The storage attributes of the object, or `nil` in records that were written before objects had attributes.
  private let attributes: ObjectAttributes?
}

extension ObjectRecord {
  init(_ object: StoredObject) {
    let (content, description) = (object.content, object.description)
    let parts = content.extents.map { extent in
      Part(
        file: extent.blob.id.description, fileByteCount: extent.blob.byteCount, offset: extent.offset,
        byteCount: extent.byteCount)
    }
    self.init(
      key: object.key.string, parts: parts, byteCount: content.byteCount, entityTag: content.entityTag,
      crc64: content.crc64, headers: description.headers, metadata: description.metadata,
      modified: InstantRecord(object.modified), isMultipart: object.isMultipart, kind: object.kind,
      version: object.version, order: object.order, access: object.access, checksum: content.checksum,
      partSizes: content.partSizes, partChecksums: content.partChecksums, attributes: object.attributes)
  }

  /// Returns the object; `blob` returns the value that all objects with the same file share.
  func object(id: BlobID, blob: (BlobID, Int64) -> Blob) throws -> StoredObject {
    var total: Int64? = 0
    let extents = try parts.map { part in
      guard let file = BlobID(part.file), part.offset >= 0, part.byteCount >= 0,
        let end = part.offset.checkedAdding(part.byteCount), end <= part.fileByteCount
      else { throw LocalCloudError("The record of \"\(key)\" names an invalid file; choose another directory.") }
      total = total?.checkedAdding(part.byteCount)
      return Extent(blob: blob(file, part.fileByteCount), offset: part.offset, byteCount: part.byteCount)
    }
    guard total == byteCount else {
      throw LocalCloudError("The record of \"\(key)\" has another size than its parts; choose another directory.")
    }
    var content = Content(extents: extents, entityTag: entityTag, crc64: crc64, checksum: checksum)
    content.partSizes = partSizes
    content.partChecksums = partChecksums
    return StoredObject(
      id: id, key: ObjectKey(key), content: content,
      description: ObjectDescription(headers: headers, metadata: metadata), modified: modified.timestamp,
      isMultipart: isMultipart, kind: kind, access: access, attributes: attributes ?? ObjectAttributes(),
      version: version ?? StoredObject.nullVersion, order: order ?? 0)
  }
}

/// A time in a record: Unix time in seconds and nanoseconds.
private struct InstantRecord: Codable {
  let seconds: Int64
  let nanoseconds: Int32

  init(_ timestamp: Timestamp) {
    seconds = timestamp.unixSeconds
    nanoseconds = timestamp.nanoseconds
  }

  var timestamp: Timestamp { Timestamp(unixSeconds: seconds).advanced(by: .nanoseconds(Int64(nanoseconds))) }
}
