// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto
  internal import StorageCrypto

  /// The memory streams (`BIO`) of libcrypto, each of which exists for the duration of one call.
  enum MemoryBIO {
    /// Calls `body` with a stream from which libcrypto reads the given text.
    ///
    /// A byte order mark of UTF-8 is skipped, because libcrypto requires the first line of a PEM block to start its line.
    static func reading<Result>(_ bytes: Span<UInt8>, _ body: (OpaquePointer) -> Result?) -> Result? {
      unsafe bytes.withUnsafeBytes { bytes in
        let isMarked = unsafe bytes.starts(with: [0xef, 0xbb, 0xbf])
        let buffer = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst(isMarked ? 3 : 0))
        guard buffer.count <= Int(Int32.max), let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count))
        else { return nil }
        defer { unsafe BIO_free_all(bio) }
        return unsafe body(bio)
      }
    }

    /// Returns the bytes that `body` writes to a stream, or `nil` if `body` fails.
    ///
    /// The bytes in the stream are wiped by libcrypto.
    static func writing(_ body: (OpaquePointer) -> Int32) -> SecretBytes? {
      guard let bio = unsafe BIO_new(BIO_s_mem()) else { return nil }
      defer { unsafe BIO_free_all(bio) }
      guard unsafe body(bio) == 1 else { return nil }
      var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(bio))
      defer { wipe(&bytes) }
      let count = unsafe BIO_read(bio, &bytes, Int32(clamping: bytes.count))
      return Int(count) == bytes.count ? SecretBytes(bytes) : nil
    }
  }

  /// Calls `body`, and clears libcrypto's error queue before and after the call.
  func clearingErrors<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    ERR_clear_error()
    defer { ERR_clear_error() }
    return try body()
  }
#endif
