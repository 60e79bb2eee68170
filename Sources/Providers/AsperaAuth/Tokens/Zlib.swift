// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CZlib
internal import StorageCrypto

/// The zlib format ([RFC 1950](https://www.rfc-editor.org/rfc/rfc1950)), which compresses Aspera bearer tokens.
package enum Zlib {
  /// Compresses bytes, or returns `nil` if memory cannot be allocated.
  ///
  /// The default compression level determines the first bytes: a token is recognized by its first characters, `eJ`.
  package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    var length = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(length))
    guard unsafe CZlib.compress2(&result, &length, bytes, uLong(bytes.count), Z_DEFAULT_COMPRESSION) == Z_OK else {
      return nil
    }
    return Array(result.prefix(Int(length)))
  }

  /// Compresses bytes into one gzip member (RFC 1952), or returns `nil` if memory cannot be allocated.
  package static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
    guard let zlibStream = compress(bytes) else { return nil }
    var checksum = CRC(.crc32)
    checksum.update(bytes)
    let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
    let trailer = [UInt32(truncatingIfNeeded: checksum.checksum), UInt32(truncatingIfNeeded: bytes.count)].flatMap {
      number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    // A zlib stream has 2 bytes before the compressed bytes, and 4 after them.
    return header + zlibStream.dropFirst(2).dropLast(4) + trailer
  }

  /// Decompresses exactly one zlib stream to at most `limit` bytes, and allocates at most one byte more.
  package static func decompress(_ bytes: [UInt8], limit: Int) throws(ZlibError) -> [UInt8] {
    // The byte above the limit shows that a stream is too long. Each byte of a stream decompresses to at most 1032
    // bytes (zlib's technical notes), so a short stream needs little memory even if the limit is large.
    var result = [UInt8](repeating: 0, count: min(max(limit, 0), bytes.count * 1_032) + 1)
    var length = uLong(result.count)
    var readByteCount = uLong(bytes.count)
    switch unsafe CZlib.uncompress2(&result, &length, bytes, &readByteCount) {
    case Z_OK where Int(length) > limit, Z_BUF_ERROR: throw .tooLarge
    case Z_OK where Int(readByteCount) == bytes.count: return Array(result.prefix(Int(length)))
    case Z_OK: throw .trailingBytes
    default: throw .malformed
    }
  }
}

package enum ZlibError: Error, Sendable, Hashable {
  case malformed
  case trailingBytes
  case tooLarge
}
