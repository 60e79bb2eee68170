// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// A key pair for a few transfers, which is generated in memory and never written to a file.
///
/// Aspera servers since version 4.4 accept the public key in a request for a transfer (`public_keys` of `upload_setup`
/// and `download_setup`). They then accept the private key for the login, so IBM's key is not needed.
///
/// ```swift
/// let key = try DynamicKey()
/// let account = try AsperaAccount(host: host, user: user, privateKey: key.privateKey)
/// ```
public struct DynamicKey: Sendable, Equatable {
  /// The public key as a line of `authorized_keys`, which is the value of the specification's field `public_keys`.
  public let publicKey: String

  /// The private key, in a format that every version of ascp and every SSH client can read.
  public let privateKey: AsperaPrivateKey

  /// Generates an RSA key pair, which takes up to a second.
  ///
  /// - Parameter bits: The length of the modulus: 2048 to 16384; on Apple's systems to 8192, and a multiple of 128.
  /// - Throws: An ``AsperaError``: `unsupportedKey` if the length is not supported, or `failed` if generation fails.
  public init(bits: Int = 3_072) throws(AsperaError) {
    guard (2_048...PrivateKey.rsaModulusBitLimit).contains(bits), PrivateKey.canGenerateRSA(bits: bits) else {
      throw AsperaError(
        .unsupportedKey, "A key of \(bits) bits cannot be generated.",
        remedy: "Use 2048 to \(PrivateKey.rsaModulusBitLimit), and a multiple of 128.")
    }
    guard let key = try? PrivateKey.generateRSA(bits: bits), let text = key.traditionalPEM,
      let publicKey = key.publicKey.sshBlob.flatMap({ SSHPublicKey(blob: $0) })
    else {
      throw AsperaError(
        .failed, "A key could not be generated.", remedy: "Check whether the system's random number generator works.")
    }
    self.publicKey = publicKey.authorizedKeysLine
    privateKey = .pem(Secret(bytes: [UInt8](text)))
  }
}
