// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The state of an unfinished upload of a file in parts, from which another process can continue the upload.
///
/// A checkpoint contains no credential and no header. ``BucketStore/upload(_:to:checkpoint:options:progress:)`` saves
/// it while it uploads, and removes it when the object is complete.
public struct UploadCheckpoint: Sendable, Hashable, Codable {
  /// The bucket and the key, such as `oss://photos/2026/cat.jpg`.
  public let location: String
  /// The whole identity of the object, with its server, or `nil` in a checkpoint of an earlier version.
  let identity: ObjectIdentity?
  /// The ID of the multipart upload.
  public let uploadID: String
  /// The identity of the file when the upload started.
  public let file: FileIdentity
  /// The size of a part in bytes, except for the last part.
  public let partSize: Int64
  /// The digest of the headers of the upload, because headers can contain secret keys.
  let attributes: String

  /// The parts that the service has stored, in the order in which they were uploaded.
  public internal(set) var parts: [Part] = []

  /// A part that the service has stored.
  public struct Part: Sendable, Hashable, Codable {
    /// The number of the part, starting at 1.
    public let number: Int
    /// The size of the part in bytes.
    public let length: Int64
    /// The entity tag of the part, as the service sent it.
    public let etag: String
    /// The checksum of the part.
    public let checksum: ObjectChecksum
  }

  /// Returns whether the checkpoint is well-formed and belongs to an upload of a file with the given headers.
  func matches(_ file: FileIdentity, _ headers: HTTPFields) -> Bool {
    guard self.file == file, attributes == Self.digest(of: headers, uploadID), partSize > 0 else { return false }
    // Computed once, because an upload can have 10,000 parts.
    let partRanges = ranges
    let hasNoDuplicate = Set(parts.map(\.number)).count == parts.count
    return hasNoDuplicate && parts.allSatisfy { partRanges.range(ofPart: $0.number)?.byteCount == $0.length }
  }

  /// The byte ranges of the parts in the order of their numbers, or an empty array for sizes that cannot be right.
  var ranges: [Range<Int64>] { (try? PartSizes(length: file.size, preferred: partSize))?.ranges(of: file.size) ?? [] }

  /// Returns a digest of the headers of an upload, with its ID, so that the headers of two uploads cannot be compared.
  static func digest(of headers: HTTPFields, _ uploadID: String) -> String {
    let lines = headers.map { "\($0.name.canonicalName):\($0.value)" }.sorted()
    return SHA256.hash(Array(([uploadID] + lines).joined(separator: "\n").utf8)).hex
  }
}

extension [UploadCheckpoint.Part] {
  var byteCount: Int64 { reduce(0) { $0.saturatingAdding($1.length) } }
}
