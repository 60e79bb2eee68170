// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto
internal import StorageKeys

/// Key pairs whose private keys are public knowledge, identified by the fingerprints of their public keys.
///
/// A name or a location does not make a key well-known: a file is recognized only by the private key in it.
package struct WellKnownKeys: Sendable, Hashable {
  /// The SHA-256 fingerprints of the public keys in OpenSSH's form, such as `ssh-keygen -l` prints them.
  package let fingerprints: Set<String>

  /// Creates a set of key pairs from their fingerprints.
  package init(fingerprints: Set<String>) {
    self.fingerprints = fingerprints
  }

  /// The two key pairs that IBM's products and aspera-cli install for transfers with tokens.
  ///
  /// The source of the fingerprints is the public data of IBM's aspera-cli 4.26.2: the files 2 (RSA, 4,096 bits) and 1
  /// (DSA) of `lib/aspera/data`, which aspera-cli writes to `aspera_bypass_rsa.pem` and `aspera_bypass_dsa.pem` as the
  /// code in `lib/aspera/ascp/installation.rb` says. IBM's `aspera_tokenauth_id_rsa` is the RSA key with a passphrase:
  /// IBM's guides authorize that file's public key on servers, and aspera-cli logs in to them with its own file.
  package static let ibm = WellKnownKeys(fingerprints: [
    "SHA256:JBWNz1H0K96a9kHlL/FkVoJwq/gRjb3tAceiW81mPyU", "SHA256:vuGW1XcqdXrKC5EcFszUwyEX0x/QhzpvVHbGXmYN5c0",
  ])

  /// Returns whether a private key belongs to one of the key pairs.
  func contains(_ key: PrivateKey) -> Bool {
    key.publicKey.sshBlob.flatMap { SSHPublicKey(blob: $0) }.map { fingerprints.contains($0.fingerprint) } ?? false
  }
}
