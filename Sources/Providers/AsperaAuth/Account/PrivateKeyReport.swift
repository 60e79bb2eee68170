// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The result of a private key check, without secrets.
public struct PrivateKeyReport: Sendable, Hashable {
  /// The format in which a private key is encoded.
  public enum Format: String, Sendable, Hashable, CustomStringConvertible {
    /// PEM in a traditional format, such as `BEGIN RSA PRIVATE KEY`.
    case traditional
    /// PKCS #8 in PEM: `BEGIN PRIVATE KEY` or `BEGIN ENCRYPTED PRIVATE KEY`.
    case pkcs8
    /// OpenSSH's own format in PEM: `BEGIN OPENSSH PRIVATE KEY`.
    case openSSH

    /// The format in words, such as `PKCS #8`.
    public var description: String {
      switch self {
      case .traditional: "traditional PEM"
      case .pkcs8: "PKCS #8"
      case .openSSH: "OpenSSH's own format"
      }
    }
  }

  /// The kind of a private key.
  public enum Kind: Sendable, Hashable, CustomStringConvertible {
    /// An RSA key with the given modulus length in bits.
    case rsa(bits: Int)
    /// An ECDSA key on the given curve: `nistp256`, `nistp384` or `nistp521`.
    case ecdsa(curve: String)
    /// An Ed25519 key.
    case ed25519

    /// The kind in words, such as `RSA, 3072 bits`.
    public var description: String {
      switch self {
      case .rsa(let bits): "RSA, \(bits) bits"
      case .ecdsa(let curve): "ECDSA, \(curve)"
      case .ed25519: "Ed25519"
      }
    }
  }

  /// The result of checking a key's passphrase.
  public enum Passphrase: Sendable, Hashable, CustomStringConvertible {
    /// The key has no passphrase, because it is not encrypted.
    case none
    /// The passphrase decrypts the key.
    case correct
    /// The passphrase was not tried for the given reason.
    case unchecked(String)

    /// The result in words, such as `not encrypted`.
    public var description: String {
      switch self {
      case .none: "not encrypted"
      case .correct: "encrypted, and decrypted by the passphrase"
      case .unchecked(let reason): "encrypted, and the passphrase was not checked: \(reason)"
      }
    }
  }

  /// A program that logs in with a private key.
  public enum Client: String, Sendable, Hashable, CaseIterable {
    /// IBM's transfer program ascp.
    case ascp
    /// The system's SSH client.
    case ssh
  }

  /// A restriction in a client program that affects the private key.
  public struct Limit: Sendable, Hashable {
    /// The client program that has the restriction.
    public let client: Client
    /// A sentence that describes the client's restriction.
    public let reason: String
    /// Whether the client can read what ``AsperaPrivateKey/converted(for:on:)`` returns.
    public let isConvertible: Bool
  }

  /// The format in which the private key is encoded.
  public let format: Format
  /// The kind of the private key.
  public let kind: Kind
  /// The usual name of the cipher that encrypts the private key, or `nil` if the key is not encrypted.
  public let cipher: String?
  /// The result of checking the key's passphrase.
  public let passphrase: Passphrase
  /// The public key as a line of `authorized_keys`.
  public let publicKey: String
  /// The SHA-256 fingerprint of the public key in OpenSSH's form: `SHA256:…`.
  public let fingerprint: String
  /// The restrictions that affect the key in client programs, or in some of their versions.
  public let limits: [Limit]

  init(
    format: Format, kind: Kind, cipher: String?, passphrase: Passphrase, publicKey: SSHPublicKey, hasByteOrderMark: Bool
  ) {
    self.format = format
    self.kind = kind
    self.cipher = cipher
    self.passphrase = passphrase
    self.publicKey = publicKey.authorizedKeysLine
    fingerprint = publicKey.fingerprint
    let keyLimits = Self.limits(of: kind, format, isEncrypted: cipher != nil)
    limits = (hasByteOrderMark ? Self.byteOrderMarkLimits : []) + keyLimits
  }

  private static let byteOrderMarkLimits = [(client: Client.ascp, name: "ascp"), (.ssh, "OpenSSH")].map { program in
    let reason = "\(program.name) does not read a key file that starts with a byte order mark."
    return Limit(client: program.client, reason: reason, isConvertible: true)
  }

  private static func limits(of kind: Kind, _ format: Format, isEncrypted: Bool) -> [Limit] {
    func ascpLimit(_ problem: String, isConvertible: Bool = false) -> Limit {
      Limit(client: .ascp, reason: "ascp 3 does not \(problem), newer ones do.", isConvertible: isConvertible)
    }
    switch kind {
    case .rsa: return format == .openSSH ? [ascpLimit("read OpenSSH's own format", isConvertible: !isEncrypted)] : []
    case .ecdsa: return [ascpLimit("log in with ECDSA keys")]
    case .ed25519:
      let sshLimit = Limit(
        client: .ssh, reason: "OpenSSH 9.2 does not read Ed25519 keys in PKCS #8, and not every newer SSH client does.",
        isConvertible: true)
      return [ascpLimit("log in with Ed25519 keys")] + (format == .pkcs8 ? [sshLimit] : [])
    }
  }
}

extension PrivateKeyReport.Kind {
  /// The lengths of an RSA modulus, in bits, that current SSH clients and this system's cryptography support.
  static let rsaModulusBitCounts = 1_024...PrivateKey.rsaModulusBitLimit

  init(_ kind: KeyKind, at location: KeyLocation) throws(AsperaError) {
    switch kind {
    case .rsa(let bits):
      let bitCounts = Self.rsaModulusBitCounts
      guard bitCounts.contains(bits) else {
        throw location.error(
          .unsupportedKey,
          "is an RSA key of \(bits) bits, and \(bitCounts.lowerBound) to \(bitCounts.upperBound) are supported",
          remedy: KeyLocation.anotherKeyRemedy)
      }
      self = .rsa(bits: bits)
    case .ecdsa(let curve): self = .ecdsa(curve: curve.rawValue)
    case .ed25519: self = .ed25519
    case .dsa: throw location.dsaError
    case .other(let name): throw location.error(forKind: name)
    }
  }
}
