// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if !canImport(CLibcrypto)
  internal import Crypto
  internal import StorageCrypto

  /// An Ed25519 key.
  struct Ed25519Key: Sendable {
    /// The 32 bytes of the public point.
    let point: [UInt8]

    /// The 32 bytes of the private seed, or `nil` for a public key.
    let seed: SecretBytes?

    /// Creates a public key, or returns `nil` if the point does not have 32 bytes.
    init?(point: [UInt8]) {
      guard point.count == 32 else { return nil }
      self.point = point
      seed = nil
    }

    /// Creates a private key, or returns `nil` if the seed does not have 32 bytes.
    init?(seed: [UInt8]) {
      guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { return nil }
      point = Array(key.publicKey.rawRepresentation)
      self.seed = SecretBytes(seed)
    }

    /// Generates a key pair.
    init() {
      let key = Curve25519.Signing.PrivateKey()
      point = Array(key.publicKey.rawRepresentation)
      var seed = Array(key.rawRepresentation)
      defer { wipe(&seed) }
      self.seed = SecretBytes(seed)
    }

    /// Whether the public key verifies a signature made with the private key.
    var isWhole: Bool {
      guard var seed = seed.map({ [UInt8]($0) }) else { return false }
      defer { wipe(&seed) }
      let message = Array("whole".utf8)
      guard let signature = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed).signature(for: message),
        let key = try? Curve25519.Signing.PublicKey(rawRepresentation: point)
      else { return false }
      return key.isValidSignature(signature, for: message)
    }
  }
#endif
