// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The result of checking a private key.
///
/// The report contains no secrets.
public struct PrivateKeyReport: Sendable, Hashable {
  /// The format of a key's text.
  public enum Format: String, Sendable, Hashable {
    /// PEM in the traditional format of the key's kind, such as `BEGIN RSA PRIVATE KEY`.
    case traditional
    /// PKCS #8: `BEGIN PRIVATE KEY` or `BEGIN ENCRYPTED PRIVATE KEY`.
    case pkcs8
    /// OpenSSH's own format: `BEGIN OPENSSH PRIVATE KEY`.
    case openSSH
  }

  /// The kind of a key.
  public enum Kind: Sendable, Hashable {
    /// RSA with the length of its modulus in bits.
    case rsa(bits: Int)
    /// ECDSA on a curve: `nistp256`, `nistp384` or `nistp521`.
    case ecdsa(curve: String)
    /// Ed25519.
    case ed25519
  }

  /// The result of checking the passphrase.
  public enum Passphrase: Sendable, Hashable {
    /// No passphrase, because the key is not encrypted.
    case none
    /// A passphrase that decrypts the key.
    case correct
    /// A passphrase that was not tried, for the given reason.
    case unchecked(String)
  }

  /// A program that uses a key.
  public enum Client: String, Sendable, Hashable, CaseIterable {
    /// IBM's ascp.
    case ascp
    /// The SSH client of the system.
    case ssh
  }

  /// A restriction of a client that affects a key.
  public struct Limit: Sendable, Hashable {
    /// The client with the restriction.
    public let client: Client

    /// A sentence that describes the restriction.
    public let reason: String

    /// A Boolean value that indicates whether ``AsperaPrivateKey/converted(for:on:)`` returns the key in a format that
    /// the client reads.
    public let isConvertible: Bool
  }

  /// The format of the key's text.
  public let format: Format

  /// The kind of the key.
  public let kind: Kind

  /// The usual name of the cipher that encrypts the key; `nil` if the key is not encrypted.
  public let cipher: String?

  /// The result of checking the passphrase.
  public let passphrase: Passphrase

  /// The public key in the format of a line of `authorized_keys`.
  public let publicKey: String

  /// The SHA-256 of the public key as OpenSSH prints it: `SHA256:…`.
  public let fingerprint: String

  /// The restrictions of clients, or of some of their versions, that affect the key.
  public let limits: [Limit]

  init(format: Format, kind: Kind, cipher: String?, passphrase: Passphrase, publicKey: SSHPublicKey) {
    self.format = format
    self.kind = kind
    self.cipher = cipher
    self.passphrase = passphrase
    self.publicKey = publicKey.line
    fingerprint = publicKey.fingerprint
    limits = Self.limits(of: kind, format, isEncrypted: cipher != nil)
  }

  private static func limits(of kind: Kind, _ format: Format, isEncrypted: Bool) -> [Limit] {
    var limits: [Limit] = []
    switch (kind, format) {
    case (.rsa, .openSSH):
      limits.append(
        Limit(
          client: .ascp, reason: "ascp 3 does not read OpenSSH's own format, newer ones do.",
          isConvertible: !isEncrypted))
    case (.rsa, _): break
    case (.ecdsa, _):
      limits.append(
        Limit(client: .ascp, reason: "ascp 3 does not log in with ECDSA keys, newer ones do.", isConvertible: false))
    case (.ed25519, _):
      limits.append(
        Limit(client: .ascp, reason: "ascp 3 does not log in with Ed25519 keys, newer ones do.", isConvertible: false))
    }
    if kind == .ed25519, format == .pkcs8 {
      limits.append(
        Limit(
          client: .ssh,
          reason: "OpenSSH 9.2 does not read Ed25519 keys in PKCS #8, and not every newer SSH client does.",
          isConvertible: true))
    }
    return limits
  }
}
