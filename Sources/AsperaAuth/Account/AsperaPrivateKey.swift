// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A private key to log in with: a file or a text in memory, and its passphrase if it is encrypted.
public struct AsperaPrivateKey: Sendable, Equatable {
  /// The location of a private key.
  public enum Source: Sendable, Equatable {
    /// A file; a path that starts with `~/` is relative to the home directory, any other relative path to the working
    /// directory of the process.
    case file(String)
    /// The text of a key file, in memory.
    case pem(Secret)
  }

  /// The location of the key.
  public let source: Source

  /// The passphrase of the key; `nil` if the key is not encrypted.
  public let passphrase: Secret?

  /// The file of the public key that the private key must belong to; `nil` if that is not checked.
  public let publicKeyFile: String?

  /// Whether the key is public knowledge, as the one that IBM's products install; other users may read its file.
  let isWellKnown: Bool

  /// Creates a reference to a key, without reading it.
  ///
  /// - Parameters:
  ///   - source: The location of the key.
  ///   - passphrase: The passphrase of the key; a blank one counts as none.
  ///   - publicKeyFile: The file of the public key that the private key must belong to; `nil` if that is not checked.
  public init(_ source: Source, passphrase: Secret? = nil, publicKeyFile: String? = nil) {
    self.source = source
    self.passphrase = passphrase.flatMap { $0.isBlank ? nil : $0 }
    self.publicKeyFile = publicKeyFile
    isWellKnown = false
  }

  /// Creates a reference to a key that is public knowledge.
  init(wellKnown path: String, passphrase: Secret?) {
    source = .file(path)
    self.passphrase = passphrase.flatMap { $0.isBlank ? nil : $0 }
    publicKeyFile = nil
    isWellKnown = true
  }

  /// Creates a reference to a key in a file.
  public static func file(_ path: String, passphrase: Secret? = nil, publicKeyFile: String? = nil) -> AsperaPrivateKey {
    AsperaPrivateKey(.file(path), passphrase: passphrase, publicKeyFile: publicKeyFile)
  }

  /// Creates a key from its text.
  public static func pem(_ text: Secret, passphrase: Secret? = nil) -> AsperaPrivateKey {
    AsperaPrivateKey(.pem(text), passphrase: passphrase)
  }
}
