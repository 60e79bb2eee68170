// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import StorageKeys

/// A private key in OpenSSH's own format, `openssh-key-v1` (`PROTOCOL.key` in the OpenSSH sources).
struct OpenSSHKey {
  /// The label of a PEM block that contains a key in OpenSSH's own format.
  static let label = "OPENSSH PRIVATE KEY"

  /// The cipher name, or `none` if the key is not encrypted.
  let cipher: String

  /// The name of the key derivation function for the passphrase, or `none` if the key is not encrypted.
  let derivation: String

  /// The public key, which is in clear text even if the private key is encrypted.
  let publicKey: SSHPublicKey

  private let section: [UInt8]

  /// Whether the private key is encrypted and therefore requires a passphrase.
  var isEncrypted: Bool { cipher != "none" }

  /// A reason why a key in OpenSSH's own format cannot be read.
  enum Problem: Error, Equatable {
    /// The data is not in OpenSSH's own format, or is damaged.
    case malformed
    /// The data contains the given number of keys instead of one.
    case keyCount(UInt32)
    /// The private key does not belong to the public key.
    case mismatch
  }

  /// Parses the decoded contents of the PEM block.
  init(container: [UInt8]) throws(Problem) {
    var reader = SSHReader(container)
    guard reader.bytes(15) == Array("openssh-key-v1\0".utf8), let cipher = reader.text(),
      let derivation = reader.text(),
      let options = reader.string(), let count = reader.number()
    else { throw .malformed }
    guard count == 1 else { throw .keyCount(count) }
    guard let blob = reader.string(), let publicKey = SSHPublicKey(blob: blob), let section = reader.string(),
      (cipher == "none") == (derivation == "none"), (derivation == "none") == options.isEmpty,
      reader.remainder.count == Self.tagByteCount(of: cipher),
      section.count.isMultiple(of: cipher == "none" ? 8 : Self.blockByteCount(of: cipher)), !section.isEmpty
    else { throw .malformed }
    self.cipher = cipher
    self.derivation = derivation
    self.publicKey = publicKey
    self.section = section
  }

  /// Returns the number of bytes in the authentication tag that an AEAD cipher appends to the private section.
  private static func tagByteCount(of cipher: String) -> Int {
    cipher.hasSuffix("-gcm@openssh.com") || cipher.hasPrefix("chacha20-poly1305") ? 16 : 0
  }

  private static func blockByteCount(of cipher: String) -> Int {
    cipher.hasPrefix("aes") || cipher.hasPrefix("rijndael") ? 16 : 8
  }

  /// Parses the unencrypted private key, or throws if the key is malformed or does not belong to the public key.
  func privateKey() throws(Problem) -> PrivateKey {
    var reader = SSHReader(section)
    guard !isEncrypted, let check = reader.number(), check == reader.number(), let type = reader.text() else {
      throw .malformed
    }
    guard type == publicKey.type else { throw .mismatch }
    guard let parts = Self.parts(of: publicKey.kind, &reader), reader.string() != nil,
      reader.remainder.count < 8, reader.remainder.enumerated().allSatisfy({ $0.offset + 1 == $0.element })
    else { throw .malformed }
    guard let key = try? PrivateKey(parts), key.publicKey.sshBlob == publicKey.blob else { throw .mismatch }
    return key
  }

  private static func parts(of kind: KeyKind, _ reader: inout SSHReader) -> PrivateKeyParts? {
    switch kind {
    case .rsa:
      guard let modulus = reader.magnitude(), let publicExponent = reader.magnitude(),
        let privateExponent = reader.magnitude(), let coefficient = reader.magnitude(), let first = reader.magnitude(),
        let second = reader.magnitude()
      else { return nil }
      return .rsa(
        modulus: modulus, publicExponent: publicExponent, privateExponent: privateExponent, coefficient: coefficient,
        primes: [first, second])
    case .ecdsa(let curve):
      guard reader.text() == curve.rawValue, let point = reader.string(), let scalar = reader.magnitude() else {
        return nil
      }
      return .ecdsa(curve, point: point, scalar: scalar)
    case .ed25519:
      guard let point = reader.string(), let secret = reader.string(), secret.count == 64,
        Array(secret.suffix(32)) == point
      else { return nil }
      return .ed25519(point: point, seed: Array(secret.prefix(32)))
    case .dsa, .other: return nil
    }
  }
}

extension OpenSSHKey: Redacted {
  /// A description that contains the key type and the cipher, but not the key.
  var description: String { "OpenSSHKey(\(publicKey.type), \(cipher))" }
}
