// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A private key in OpenSSH's own format, `openssh-key-v1` (`PROTOCOL.key` in the OpenSSH sources).
struct OpenSSHKey: Redacted {
  static let pemLabel = "OPENSSH PRIVATE KEY"
  private static let magic = Array("openssh-key-v1\0".utf8)

  /// The cipher name, or `none` if the key is not encrypted.
  let cipher: String
  /// The public key, which is in clear text even if the private key is encrypted.
  let publicKey: SSHPublicKey

  /// The private keys as they are encoded, and encrypted unless ``cipher`` is `none`.
  private let privateSection: [UInt8]
  private let location: KeyLocation

  var isEncrypted: Bool { cipher != "none" }

  init(pemContents: [UInt8], at location: KeyLocation) throws(AsperaError) {
    var reader = SSHReader(pemContents)
    guard reader.bytes(Self.magic.count) == Self.magic, let cipher = reader.text(),
      let derivation = reader.text(), let options = reader.string(), let count = reader.number()
    else { throw Self.damageError(at: location) }
    guard count == 1 else {
      throw location.error(
        .unsupportedKey, "holds \(count) keys, and OpenSSH reads only one", remedy: "Give a file with one key in it.")
    }
    guard let blob = reader.string(), let publicKey = SSHPublicKey(blob: blob), let privateSection = reader.string(),
      (cipher == "none") == (derivation == "none"), (derivation == "none") == options.isEmpty,
      reader.remainder.count == Self.tagByteCount(of: cipher),
      privateSection.count.isMultiple(of: cipher == "none" ? 8 : Self.blockByteCount(of: cipher)),
      !privateSection.isEmpty
    else { throw Self.damageError(at: location) }
    self.cipher = cipher
    self.publicKey = publicKey
    self.privateSection = privateSection
    self.location = location
  }

  private static func damageError(at location: KeyLocation) -> AsperaError {
    location.error(
      .malformedKey, "is in OpenSSH's own format and damaged", remedy: "Copy the key again, or create another one.")
  }

  static func mismatchError(at location: KeyLocation) -> AsperaError {
    location.error(
      .malformedKey, "holds a private key that does not belong to the public key in it",
      remedy: "Copy the key again, or create another one.")
  }

  /// Returns the number of bytes in the authentication tag that an AEAD cipher appends to the private section.
  private static func tagByteCount(of cipher: String) -> Int {
    cipher.hasSuffix("-gcm@openssh.com") || cipher.hasPrefix("chacha20-poly1305") ? 16 : 0
  }

  private static func blockByteCount(of cipher: String) -> Int {
    cipher.hasPrefix("aes") || cipher.hasPrefix("rijndael") ? 16 : 8
  }

  /// Parses the unencrypted private key, or throws if the key is malformed or does not belong to the public key.
  func privateKey() throws(AsperaError) -> PrivateKey {
    var reader = SSHReader(privateSection)
    // The section begins with a random number, twice, which shows whether it was decrypted correctly.
    guard !isEncrypted, let number = reader.number(), number == reader.number(), let type = reader.text() else {
      throw Self.damageError(at: location)
    }
    guard type == publicKey.type else { throw Self.mismatchError(at: location) }
    // After the key come its comment and the padding: the bytes 1, 2, 3 and so on.
    guard let parts = Self.parts(of: publicKey.kind, &reader), reader.string() != nil,
      reader.remainder.count < 8, reader.remainder.enumerated().allSatisfy({ $0.offset + 1 == $0.element })
    else { throw Self.damageError(at: location) }
    guard let key = try? PrivateKey(parts), key.publicKey.sshBlob == publicKey.blob else {
      throw Self.mismatchError(at: location)
    }
    return key
  }

  private static func parts(of kind: KeyKind, _ reader: inout SSHReader) -> PrivateKeyParts? {
    switch kind {
    case .rsa:
      guard let modulus = reader.magnitude(), let publicExponent = reader.magnitude(),
        let privateExponent = reader.magnitude(), let coefficient = reader.magnitude(), let p = reader.magnitude(),
        let q = reader.magnitude()
      else { return nil }
      return .rsa(
        modulus: modulus, publicExponent: publicExponent, privateExponent: privateExponent, coefficient: coefficient,
        primes: [p, q])
    case .ecdsa(let curve):
      guard reader.text() == curve.rawValue, let point = reader.string(), let scalar = reader.magnitude() else {
        return nil
      }
      return .ecdsa(curve, point: point, scalar: scalar)
    case .ed25519:
      guard let point = reader.string(), let seedAndPoint = reader.string(), seedAndPoint.count == 64,
        Array(seedAndPoint.suffix(32)) == point
      else { return nil }
      return .ed25519(point: point, seed: Array(seedAndPoint.prefix(32)))
    case .dsa, .other: return nil
    }
  }

  var description: String { "OpenSSHKey(\(publicKey.type), \(cipher))" }
}
