internal import CZlib

/// The zlib format (RFC 1950), as Aspera's bearer tokens are packed.
package enum Zlib {
  /// Packs bytes; nothing if there is no memory for it.
  ///
  /// The level is the usual one. It shows in the first bytes: tokens are known by the `eJ` that they begin with.
  package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    var length = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(length))
    guard unsafe CZlib.compress2(&result, &length, bytes, uLong(bytes.count), Z_DEFAULT_COMPRESSION) == Z_OK else {
      return nil
    }
    return Array(result.prefix(Int(length)))
  }

  /// Unpacks bytes that are one whole zlib stream.
  ///
  /// - Parameters:
  ///   - bytes: The stream, nothing before it and nothing after it.
  ///   - limit: The greatest number of bytes that it may unpack to; no more memory than that is taken for them.
  package static func decompress(_ bytes: [UInt8], limit: Int) throws(ZlibError) -> [UInt8] {
    // One byte more than allowed tells a stream that is too long from one that just fits. A byte of a stream unpacks to
    // at most 1032 (zlib's technical notes), so a short stream takes little memory whatever the limit is.
    var result = [UInt8](repeating: 0, count: min(max(limit, 0), bytes.count * 1_032) + 1)
    var length = uLong(result.count)
    var taken = uLong(bytes.count)
    switch unsafe CZlib.uncompress2(&result, &length, bytes, &taken) {
    case Z_OK where Int(length) > limit, Z_BUF_ERROR: throw .tooLarge
    case Z_OK where Int(taken) == bytes.count: return Array(result.prefix(Int(length)))
    case Z_OK: throw .trailingBytes
    default: throw .malformed
    }
  }
}

/// Why bytes could not be unpacked.
package enum ZlibError: Error, Sendable, Hashable {
  /// They are no zlib stream, or one that is damaged or cut off.
  case malformed
  /// There is something after the stream.
  case trailingBytes
  /// It would unpack to more than was allowed.
  case tooLarge
}
