// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto

  extension KeyHandle {
    static func parse(privatePEM pem: SecretBytes, passphrase: SecretBytes?) throws(KeyError) -> KeyHandle {
      let request = PassphraseRequest(passphrase)
      // The reason for a failure is read before libcrypto's error queue is cleared.
      return try clearingErrors { () throws(KeyError) -> KeyHandle in
        let handle = pem.withBytes { pem in
          unsafe parse(pem, request) { unsafe PEM_read_bio_PrivateKey($0, nil, provideRequestedPassphrase, $1) }
        }
        guard let handle else { throw request.failure }
        return handle
      }
    }

    static func parse(publicPEM pem: String) -> KeyHandle? {
      clearingErrors {
        withBytes(of: pem) { pem in
          unsafe parse(pem, PassphraseRequest(nil)) {
            unsafe PEM_read_bio_PUBKEY($0, nil, provideRequestedPassphrase, $1)
          }
        }
      }
    }

    private static func parse(
      _ pem: Span<UInt8>, _ request: PassphraseRequest,
      reading read: (_ bio: OpaquePointer, _ context: UnsafeMutableRawPointer) -> OpaquePointer?
    ) -> KeyHandle? {
      unsafe MemoryBIO.reading(pem) { bio in unsafe request.withContext { unsafe KeyHandle(read(bio, $0)) } }
    }

    var traditionalPEM: SecretBytes? {
      clearingErrors {
        unsafe MemoryBIO.writing { bio in
          unsafe withKey { unsafe PEM_write_bio_PrivateKey_traditional(bio, $0, nil, nil, 0, nil, nil) }
        }
      }
    }

    var pkcs8PEM: SecretBytes? {
      clearingErrors {
        unsafe MemoryBIO.writing { bio in
          unsafe withKey { unsafe PEM_write_bio_PKCS8PrivateKey(bio, $0, nil, nil, 0, nil, nil) }
        }
      }
    }

    var publicPEM: String? {
      clearingErrors {
        unsafe MemoryBIO.writing { bio in unsafe withKey { unsafe PEM_write_bio_PUBKEY(bio, $0) } }
          .map { bytes in String(writing: { writer in bytes.withBytes { writer.append($0) } }) }
      }
    }
  }

  /// The memory streams (`BIO`) of libcrypto, each of which exists for the duration of one call.
  enum MemoryBIO {
    /// Calls `body` with a stream that reads the bytes, or returns `nil` if there are too many or `body` fails.
    ///
    /// A byte order mark of UTF-8 is skipped, because libcrypto accepts no bytes before a PEM block in its line.
    static func reading<Value>(_ bytes: Span<UInt8>, _ body: (OpaquePointer) -> Value?) -> Value? {
      unsafe bytes.withUnsafeBytes { bytes in
        let isMarked = unsafe bytes.starts(with: [UInt8].byteOrderMark)
        let buffer = unsafe UnsafeRawBufferPointer(
          rebasing: bytes.dropFirst(isMarked ? [UInt8].byteOrderMark.count : 0))
        guard buffer.count <= Int(Int32.max), let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count))
        else { return nil }
        defer { unsafe BIO_free_all(bio) }
        return unsafe body(bio)
      }
    }

    /// Returns the bytes that `body` writes to a stream, which libcrypto wipes, or `nil` if `body` fails.
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
  func clearingErrors<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    ERR_clear_error()
    defer { ERR_clear_error() }
    return try body()
  }

  /// A passphrase that a callback gives to libcrypto, which would otherwise prompt for it at the terminal.
  final class PassphraseRequest {
    private let passphrase: SecretBytes?
    /// Whether libcrypto requested the passphrase, which means that the key is encrypted.
    private(set) var wasRequested = false
    init(_ passphrase: SecretBytes?) { self.passphrase = passphrase }

    /// Calls `body` with the context to pass to libcrypto along with ``provideRequestedPassphrase(_:_:_:_:)``.
    func withContext<Value>(_ body: (_ context: UnsafeMutableRawPointer) -> Value) -> Value {
      withExtendedLifetime(self) { unsafe body(Unmanaged.passUnretained(self).toOpaque()) }
    }

    /// Copies the passphrase into libcrypto's buffer and returns its length, or -1 if there is none or it does not fit.
    fileprivate func copyPassphrase(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
      wasRequested = true
      return passphrase?.withBytes { passphrase in
        guard passphrase.count <= buffer.count else { return -1 }
        unsafe passphrase.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
        return Int32(passphrase.count)
      } ?? -1
    }

    /// The reason why libcrypto could not parse the key, derived from libcrypto's error queue.
    var failure: KeyError {
      guard wasRequested else { return .malformed }
      guard passphrase != nil else { return .passphraseMissing }
      var error = ERR_get_error()
      while error != 0 {
        if storage_auth_error_is_unsupported_cipher(error) != 0 { return .unsupportedEncryption }
        error = ERR_get_error()
      }
      return .wrongPassphrase
    }
  }

  /// A libcrypto callback of type `pem_password_cb`, whose context is a `PassphraseRequest`.
  func provideRequestedPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32, _ context: UnsafeMutableRawPointer?
  ) -> Int32 {
    guard let buffer = unsafe buffer, let context = unsafe context else { return -1 }
    return unsafe Unmanaged<PassphraseRequest>.fromOpaque(context).takeUnretainedValue()
      .copyPassphrase(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
  }
#endif
