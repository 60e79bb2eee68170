internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// Where the bucket of a signed resource comes from.
enum OSSResource: Equatable {
  /// The path starts with the bucket: `/bucket/key`.
  case inPath
  /// The path is the key alone; the bucket is known otherwise.
  case bucket(String)
  /// There is no bucket: the request is to the service.
  case service
}

extension ByteWriter {
  /// Appends the canonical resource: `/`, `/bucket/` or `/bucket/key`.
  ///
  /// - Parameters:
  ///   - resource: Where the bucket comes from.
  ///   - path: The path as it travels.
  ///   - encoded: Whether the path is canonically encoded (V4) or decoded (V1).
  mutating func append(_ resource: OSSResource, path: Span<UInt8>, encoded: Bool) {
    if case .bucket(let bucket) = resource {
      append(UInt8(ascii: "/"))
      append(bucket)
    }
    if encoded {
      append(recoding: path, plusIsSpace: false, .path)
    } else {
      append(decoding: path, plusIsSpace: false)
    }
    if case .inPath = resource, isBucketAlone(path) { append(UInt8(ascii: "/")) }
  }

  /// Whether a path is `/bucket`, without a slash behind it; one that is written as an escape is a slash as well, because
  /// the path is cut after it is decoded.
  private func isBucketAlone(_ path: Span<UInt8>) -> Bool {
    guard path.count > 1 else { return false }
    for index in 1..<path.count {
      if path[index] == UInt8(ascii: "/") { return false }
      let rest = path.extracting(index...)
      if rest.starts(with: "%2F") || rest.starts(with: "%2f") { return false }
    }
    return true
  }
}
