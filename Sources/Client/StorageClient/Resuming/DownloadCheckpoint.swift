// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The state of an unfinished download into a file, from which another process can continue the download.
///
/// A checkpoint contains no credential and no header. ``BucketStore/download(_:to:checkpoint:options:progress:)`` saves
/// it while it downloads, and removes it when the file is complete.
public struct DownloadCheckpoint: Sendable, Hashable, Codable {
  /// The bucket and the key, such as `oss://photos/2026/cat.jpg`.
  public let location: String
  /// The whole identity of the object, with its server, or `nil` in a checkpoint of an earlier version.
  let identity: ObjectIdentity?
  /// The size of the object in bytes.
  public let size: Int64
  /// The entity tag of the object, including the quotes, or `nil` if the service did not report it.
  public let etag: String?
  /// The version of the object in a bucket with versioning, or `nil`.
  public let versionID: String?
  /// The name of the incomplete file, which is in the directory of the destination.
  public let partialFile: String
  /// The byte ranges of the object that the incomplete file contains, in order and without overlap.
  public internal(set) var ranges: [WrittenRange] = []

  /// A range of an object's bytes in an incomplete file, with its checksum.
  public struct WrittenRange: Sendable, Hashable, Codable {
    /// The offset of the first byte.
    public let offset: Int64
    /// The number of bytes.
    public let length: Int64
    /// The checksum of the bytes.
    public let checksum: ObjectChecksum

    var end: Int64 { offset.saturatingAdding(length) }

    /// Returns the range joined with the next range, which starts at its end.
    func followed(by next: WrittenRange) -> WrittenRange {
      WrittenRange(
        offset: offset, length: length.saturatingAdding(next.length),
        checksum: checksum.followed(by: next.checksum, byteCount: next.length))
    }
  }

  /// Returns whether the object is unchanged, and the ranges are well-formed; the caller has compared ``identity``.
  func matches(_ info: ObjectInfo, _ algorithm: ObjectChecksum.Algorithm) -> Bool {
    guard size == info.size, etag == info.etag, versionID == info.versionID else { return false }
    var previousEnd: Int64 = 0
    for range in ranges {
      let isInPlace = range.offset >= previousEnd && range.length > 0 && range.end <= size
      guard isInPlace, range.checksum.algorithm == algorithm else { return false }
      previousEnd = range.end
    }
    return true
  }

  /// The byte ranges of the object that the incomplete file does not contain, in order.
  var missingRanges: [Range<Int64>] {
    let ends = [0] + ranges.map(\.end)
    let nextStarts = ranges.map(\.offset) + [size]
    return zip(ends, nextStarts).compactMap { end, nextStart in end < nextStart ? end..<nextStart : nil }
  }
}
