// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import CloudCredentials
package import StorageAuth
internal import StorageCrypto

extension AsperaPrivateKey {
  /// The maximum size of a private key's text, in bytes.
  private static let sizeLimit = 1 << 16

  /// Returns the text of the private key, reading its file if necessary.
  ///
  /// - Throws: An ``AsperaError`` if the text is longer than 65,536 bytes, or if the key file is missing, cannot be
  ///   read, or can be read or replaced by other users.
  package func text(on machine: ProviderContext) throws(AsperaError) -> Secret {
    switch source {
    case .pem(let text):
      guard text.bytes.withBytes({ $0.count }) <= Self.sizeLimit else { throw Self.tooLong(at: KeyPlace(source)) }
      return text
    case .file(let path):
      let contents = try Self.read(path, at: KeyPlace(source), machine)
      if !isWellKnown, let permissions = contents.permissions, permissions & 0o077 != 0 {
        throw KeyPlace(source).error(
          .insecureKeyFile, "is accessible to other users (mode 0\(String(permissions, radix: 8)))",
          remedy: "Restrict it: chmod 600 \(path).")
      }
      if !isWellKnown, let weakness = contents.weakness {
        throw KeyPlace(source).error(
          .insecureKeyFile, "could have been written by other users: \(weakness.reason)", remedy: weakness.remedy)
      }
      return Secret(bytes: contents.bytes)
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

  /// Parses and, if necessary, decrypts a PEM-encoded private key with libcrypto.
  func libcryptoKey(_ text: Secret, _ block: PEMBlock) throws(AsperaError) -> PrivateKey {
    let place = KeyPlace(source)
    do {
      return try PrivateKey(pem: text.bytes, passphrase: passphrase?.bytes)
    } catch {
      switch error {
      case .passphraseMissing: throw passphraseMissing(block.cipher)
      case .wrongPassphrase: throw passphraseWrong()
      case .unsupportedEncryption:
        throw place.error(
          .unsupportedKey, "is encrypted with \(block.cipher ?? "a cipher") in a way that libcrypto no longer offers",
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
