internal import StorageCrypto

/// What was found out about a private key.
///
/// Nothing in it is secret.
public struct PrivateKeyReport: Sendable, Hashable {
  /// How a key is written.
  public enum Format: String, Sendable, Hashable {
    /// The PEM of its kind, such as `BEGIN RSA PRIVATE KEY`.
    case traditional
    /// PKCS #8: `BEGIN PRIVATE KEY` or `BEGIN ENCRYPTED PRIVATE KEY`.
    case pkcs8
    /// OpenSSH's own: `BEGIN OPENSSH PRIVATE KEY`.
    case openSSH
  }

  /// What a key is.
  public enum Kind: Sendable, Hashable {
    /// RSA with a modulus of so many bits.
    case rsa(bits: Int)
    /// ECDSA on a curve: `nistp256`, `nistp384` or `nistp521`.
    case ecdsa(curve: String)
    /// Ed25519.
    case ed25519
  }

  /// What is known about the passphrase.
  public enum Passphrase: Sendable, Hashable {
    /// There is none, because the key is not encrypted.
    case none
    /// It opens the key.
    case correct
    /// It was not tried; why, in a few words.
    case unchecked(String)
  }

  /// A program that a key is given to.
  public enum Client: String, Sendable, Hashable, CaseIterable {
    /// IBM's ascp.
    case ascp
    /// The SSH client of the system.
    case ssh
  }

  /// What a client does not do with a key.
  public struct Limit: Sendable, Hashable {
    /// The client.
    public let client: Client

    /// What it does not do, in a sentence.
    public let reason: String

    /// Whether ``AsperaPrivateKey/converted(for:on:)`` gives a form of the key that it reads.
    public let isConvertible: Bool
  }

  /// How the key is written.
  public let format: Format

  /// What it is.
  public let kind: Kind

  /// The cipher that it is encrypted with, by its usual name; nothing if it is not.
  public let cipher: String?

  /// What is known about the passphrase.
  public let passphrase: Passphrase

  /// The public key in a line as `authorized_keys` has it.
  public let publicKey: String

  /// The SHA-256 of the public key as OpenSSH prints it: `SHA256:…`.
  public let fingerprint: String

  /// What some clients, or some versions of them, do not do with it.
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
