// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The content of an object: the location of its bytes, and their checksums.
struct Content: Sendable {
  /// The maximum number of pieces of an object: one for each part of a multipart upload.
  static let extentLimit = 10_000

  private(set) var extents: [Extent] = []
  /// The offset in the object after each of the ranges, in ascending order.
  private var ends: [Int64] = []
  var byteCount: Int64 { ends.last ?? 0 }

  /// The entity tag of the object: the MD5 digest of its bytes in lowercase hexadecimal.
  ///
  /// For a multipart object, it is a digest of the parts' MD5 digests, followed by `-` and the number of parts.
  let entityTag: String
  let crc64: UInt64
  var checksum: StoredChecksum?
  /// The sizes of the parts from which the object was uploaded, or `nil` if it was uploaded at once.
  var partSizes: [Int64]?
  /// The checksums of those parts, or `nil` if the upload named no algorithm.
  var partChecksums: [StoredChecksum]?

  static let empty = Content(extents: [], entityTag: "", crc64: 0)

  init(extents: [Extent], entityTag: String, crc64: UInt64, checksum: StoredChecksum? = nil) {
    (self.entityTag, self.crc64, self.checksum) = (entityTag, crc64, checksum)
    setExtents(extents)
  }

  /// Sets the ranges of files, and joins adjacent ranges of the same file.
  mutating func setExtents(_ newExtents: [Extent]) {
    (extents, ends) = ([], [])
    for extent in newExtents {
      if let last = extents.last, last.blob === extent.blob, last.offset + last.byteCount == extent.offset {
        extents[extents.count - 1] = Extent(
          blob: last.blob, offset: last.offset, byteCount: last.byteCount + extent.byteCount)
        ends[ends.count - 1] += extent.byteCount
      } else {
        extents.append(extent)
        ends.append((ends.last ?? 0) + extent.byteCount)
      }
    }
  }

  /// Returns the ranges of files of a byte range, without visiting the pieces before it.
  func extents(in range: Range<Int64>) -> [Extent] {
    let first = ends.firstSortedIndex { $0 > range.lowerBound }
    var result: [Extent] = []
    for index in extents.indices[first...] {
      let extent = extents[index]
      let start = ends[index] - extent.byteCount
      guard start < range.upperBound else { break }
      let part = range.clamped(to: start..<ends[index])
      if !part.isEmpty {
        let offset = extent.offset + part.lowerBound - start
        result.append(Extent(blob: extent.blob, offset: offset, byteCount: part.upperBound - part.lowerBound))
      }
    }
    return result
  }
}
