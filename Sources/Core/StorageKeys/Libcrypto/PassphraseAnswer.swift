// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto
  internal import StorageCrypto

  /// The passphrase that a callback returns to libcrypto, which would otherwise prompt for it at the terminal.
  final class PassphraseAnswer {
    private let passphrase: SecretBytes?

    /// Whether libcrypto requested the passphrase, which means that the key is encrypted.
    private(set) var wasAsked = false

    init(_ passphrase: SecretBytes?) {
      self.passphrase = passphrase
    }

    /// Calls `body` with the context that `answerPassphrase` requires.
    func use<Result>(_ body: (_ context: UnsafeMutableRawPointer) -> Result) -> Result {
      withExtendedLifetime(self) { unsafe body(Unmanaged.passUnretained(self).toOpaque()) }
    }

    fileprivate func response(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
      wasAsked = true
      return passphrase?.withBytes { passphrase in
        guard passphrase.count <= buffer.count else { return -1 }
        unsafe passphrase.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
        return Int32(passphrase.count)
      } ?? -1
    }

    /// The reason why libcrypto could not parse the key, derived from libcrypto's error queue.
    var failure: KeyError {
      guard wasAsked else { return .malformed }
      guard passphrase != nil else { return .passphraseMissing }
      var error = ERR_get_error()
      while error != 0 {
        if storage_auth_error_is_unsupported_cipher(error) != 0 { return .unsupportedEncryption }
        error = ERR_get_error()
      }
      return .wrongPassphrase
    }
  }

  /// A libcrypto callback of type `pem_password_cb`, whose context is a `PassphraseAnswer`.
  func answerPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32, _ context: UnsafeMutableRawPointer?
  ) -> Int32 {
    guard let buffer = unsafe buffer, let context = unsafe context else { return -1 }
    return unsafe Unmanaged<PassphraseAnswer>.fromOpaque(context).takeUnretainedValue()
      .response(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
  }
#endif
