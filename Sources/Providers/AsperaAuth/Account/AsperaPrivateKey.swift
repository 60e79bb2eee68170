// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A private key for logins, in a file or in memory, with its passphrase if the key is encrypted.
public struct AsperaPrivateKey: Sendable, Equatable {
  /// The location of a private key.
  public enum Source: Sendable, Equatable {
    /// The key is in a file at the given path.
    ///
    /// A path that starts with `~/` is relative to the home directory. Any other relative path is relative to the
    /// working directory of the process.
    case file(String)
    /// The key is in memory as the given text of a key file.
    case pem(Secret)
  }

  /// The location of the private key.
  public let source: Source

  /// The passphrase of the private key, or `nil` if the key is not encrypted.
  public let passphrase: Secret?

  /// The path of a public key file that must match the private key, or `nil` to skip this check.
  public let publicKeyFile: String?

  /// The key pairs that are public knowledge, so that other users are allowed to read the files of their private keys.
  let wellKnownKeys: WellKnownKeys

  /// Creates a reference to a private key, without reading the key.
  ///
  /// Only the user may be able to read the file of a private key. The key that IBM's products install is public, so its
  /// file is exempt; the key is recognized by its fingerprint.
  ///
  /// - Parameters:
  ///   - source: The location of the private key.
  ///   - passphrase: The passphrase of the private key. A blank passphrase counts as no passphrase.
  ///   - publicKeyFile: The path of a public key file that must match the private key, or `nil` to skip this check.
  public init(_ source: Source, passphrase: Secret? = nil, publicKeyFile: String? = nil) {
    self.init(source, passphrase: passphrase, publicKeyFile: publicKeyFile, wellKnownKeys: .ibm)
  }

  /// Creates a reference to a private key with replaceable well-known keys, for tests.
  package init(_ source: Source, passphrase: Secret?, publicKeyFile: String? = nil, wellKnownKeys: WellKnownKeys) {
    self.source = source
    self.passphrase = passphrase.flatMap { $0.isBlank ? nil : $0 }
    self.publicKeyFile = publicKeyFile
    self.wellKnownKeys = wellKnownKeys
  }

  /// Creates a reference to a private key in a file, without reading the file.
  public static func file(_ path: String, passphrase: Secret? = nil, publicKeyFile: String? = nil) -> AsperaPrivateKey {
    AsperaPrivateKey(.file(path), passphrase: passphrase, publicKeyFile: publicKeyFile)
  }

  /// Creates a reference to a private key in memory from the text of a key file.
  public static func pem(_ text: Secret, passphrase: Secret? = nil) -> AsperaPrivateKey {
    AsperaPrivateKey(.pem(text), passphrase: passphrase)
  }
}
