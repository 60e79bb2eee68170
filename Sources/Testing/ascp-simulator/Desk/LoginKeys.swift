// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth
internal import StorageCrypto
internal import StorageKeys

/// The private keys for the login: first the keys on the command line, then the key in the environment.
enum LoginKeys {
  /// Returns the public keys of all private keys, in SSH's binary encoding and in Base64.
  ///
  /// A private key that cannot be parsed or that the passphrase does not decrypt is left out.
  static func read(_ files: [String], _ secrets: Secrets) throws(Failure) -> [String] {
    var texts: [SecretBytes] = []
    for file in files {
      guard FileManager.default.fileExists(atPath: file) else {
        throw Failure(4, "Private key file not found at path \(file)")
      }
      guard let data = FileManager.default.contents(atPath: file) else { continue }
      texts.append(Self.secret(Array(data)))
    }
    if let key = secrets.key { texts.append(Self.secret(Array(key.reveal().utf8))) }
    let passphrase = secrets.password.map { Self.secret(Array($0.reveal().utf8)) }
    return texts.compactMap { text in
      guard let key = try? PrivateKey(pem: text, passphrase: passphrase), let blob = key.publicKey.sshBlob else {
        return nil
      }
      return String(writing: { $0.append(base64: blob) })
    }
  }

  private static func secret(_ bytes: [UInt8]) -> SecretBytes { SecretBytes(bytes) }
}
