// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import StorageAuth
internal import StorageCrypto
internal import StorageKeys

extension AsperaPrivateKey {
  /// The maximum size of a private key's text, in bytes.
  private static let sizeLimit = 1 << 16

  /// The text of a private key, and what a client program has to know about the text's origin.
  struct Text {
    /// The text without a byte order mark.
    let secret: Secret
    /// Whether the original text starts with a byte order mark, with which no client program reads it.
    let hasByteOrderMark: Bool
    /// The reason to refuse the key file unless the key is well-known, or `nil` if only the user has access to the
    /// file.
    let exposure: AsperaError?
  }

  /// Returns the text of the private key without a byte order mark, reading its file if necessary.
  ///
  /// - Throws: The errors of ``checkedText(on:)``.
  func text(on machine: ProviderContext) throws(AsperaError) -> Secret {
    try checkedText(on: machine).secret
  }

  /// Returns the text of the private key and facts about its origin, reading its file if necessary.
  ///
  /// - Throws: An ``AsperaError`` if the text is longer than 65,536 bytes, or if the key file is missing, cannot be
  ///   read, or can be read or replaced by other users and contains no well-known key. If the contents of a file with
  ///   such access are not a private key, the error describes the contents.
  func checkedText(on machine: ProviderContext) throws(AsperaError) -> Text {
    let text = try uncheckedText(on: machine)
    guard let exposure = text.exposure else { return text }
    switch try isWellKnown(text.secret) {
    case true?: return text
    case false?: throw exposure
    case nil:
      throw AsperaError(
        exposure.code, exposure.message,
        remedy: "\(exposure.remedy) If it is IBM's public key, give its passphrase, with which it is recognized.")
    }
  }

  /// Returns the text of the private key without checking who has access to the key file.
  ///
  /// - Throws: An ``AsperaError`` if the text is longer than 65,536 bytes, or if the key file is missing or cannot be
  ///   read.
  func uncheckedText(on machine: ProviderContext) throws(AsperaError) -> Text {
    switch source {
    case .pem(let text):
      guard text.bytes.withBytes({ $0.count }) <= Self.sizeLimit else { throw Self.tooLong(at: KeyPlace(source)) }
      return Text([UInt8](text), exposure: nil)
    case .file(let path):
      let contents = try Self.read(path, at: KeyPlace(source), machine)
      return Text(contents.bytes, exposure: exposure(of: contents, at: path))
    }
  }

  /// Returns an error if other users can read or replace a key file.
  private func exposure(of contents: FileContents, at path: String) -> AsperaError? {
    if let permissions = contents.permissions, permissions & 0o077 != 0 {
      return KeyPlace(source).error(
        .insecureKeyFile, "is accessible to other users (mode 0\(String(permissions, radix: 8)))",
        remedy: "Restrict it: chmod 600 \(path).")
    }
    return contents.weakness.map { weakness in
      KeyPlace(source).error(
        .insecureKeyFile, "could have been written by other users: \(weakness.reason)", remedy: weakness.remedy)
    }
  }

  /// Returns whether a text contains a well-known private key, or `nil` if the passphrase does not decrypt it.
  ///
  /// The fingerprint is computed from the private key, not from a public key next to it. An encrypted key in OpenSSH's
  /// own format, which only `ssh-keygen` decrypts, is therefore never well-known.
  ///
  /// - Throws: An ``AsperaError`` if the text is not a private key of a supported format.
  private func isWellKnown(_ text: Secret) throws(AsperaError) -> Bool? {
    switch try KeyText([UInt8](text), at: KeyPlace(source)) {
    case .pem(let block):
      guard let key = try? PrivateKey(pem: text.bytes, passphrase: passphrase?.bytes) else {
        return block.cipher == nil ? false : nil
      }
      return wellKnownKeys.contains(key)
    case .openSSH(let key):
      return (try? key.privateKey()).map(wellKnownKeys.contains) ?? false
    }
  }

  /// Returns the contents of a key file, or throws if the file is missing, too large or cannot be read.
  static func read(
    _ path: String, at place: KeyPlace, _ machine: ProviderContext
  ) throws(AsperaError) -> FileContents {
    guard let absolute = machine.absolute(path) else {
      throw place.error(
        .keyNotFound, "is in the home directory, which is not known", remedy: "Give its absolute path.")
    }
    do {
      return try machine.files.read(absolute, limit: sizeLimit)
    } catch {
      switch error {
      case .notFound: throw place.error(.keyNotFound, "does not exist", remedy: "Give the path of an existing file.")
      case .tooLarge: throw tooLong(at: place)
      case .unreadable(let reason):
        throw place.error(
          .keyUnreadable, "cannot be read: \(reason)",
          remedy: "Allow the user that runs this program to read it, and no other user.")
      }
    }
  }

  private static func tooLong(at place: KeyPlace) -> AsperaError {
    place.error(
      .malformedKey, "is longer than \(sizeLimit) bytes, and so not a key", remedy: "Give a file with only the key.")
  }

  /// Parses and, if necessary, decrypts a PEM-encoded private key.
  func pemKey(_ text: Secret, _ block: PEMBlock) throws(AsperaError) -> PrivateKey {
    let place = KeyPlace(source)
    do {
      return try PrivateKey(pem: text.bytes, passphrase: passphrase?.bytes)
    } catch {
      switch error {
      case .passphraseMissing: throw passphraseMissing(block.cipher)
      case .wrongPassphrase: throw passphraseWrong()
      case .unsupportedEncryption:
        throw place.error(
          .unsupportedKey,
          "is encrypted with \(block.cipher ?? "a cipher") in a way that this system's cryptography does not offer",
          remedy: "Encrypt it anew: openssl pkcs8 -topk8 -v2 aes256.")
      case .malformed, .unsupportedKind, .failed:
        throw place.error(.malformedKey, "is damaged", remedy: "Copy the key again, or create another one.")
      }
    }
  }

  func passphraseMissing(_ cipher: String?) -> AsperaError {
    KeyPlace(source).error(
      .wrongPassphrase, "is encrypted (\(cipher ?? "an unknown cipher")) and no passphrase is given",
      remedy: "Give the passphrase with the key; a blank one counts as none.")
  }

  func passphraseWrong() -> AsperaError {
    KeyPlace(source).error(
      .wrongPassphrase, "is not opened by its passphrase", remedy: "Give the right one; if it is, the key is damaged.")
  }
}

extension AsperaPrivateKey.Text {
  fileprivate init(_ bytes: [UInt8], exposure: AsperaError?) {
    hasByteOrderMark = bytes.hasByteOrderMark
    secret = Secret(bytes: bytes.withoutByteOrderMark)
    self.exposure = exposure
  }
}
