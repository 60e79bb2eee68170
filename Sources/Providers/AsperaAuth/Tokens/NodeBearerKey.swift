// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// An RSA private key that signs bearer tokens for an access key.
///
/// The access key has the public key as `token_verification_key`. `print`, `dump` and `Mirror` hide the private key.
///
/// ```swift
/// let key = try NodeBearerKey(pem: Secret(text))
/// ```
public struct NodeBearerKey: Sendable, Redacted {
  private let key: PrivateKey

  /// The PEM-encoded public key to register with an access key as `token_verification_key`.
  public let publicKeyPEM: String

  /// Parses a PEM-encoded RSA private key.
  ///
  /// - Parameters:
  ///   - pem: An RSA private key in PEM, in the traditional format or in PKCS #8.
  ///   - passphrase: The passphrase of the key. `nil` or a blank passphrase if the key is not encrypted.
  /// - Throws: An ``AsperaError``: `wrongPassphrase` if the passphrase is wrong or missing, `unsupportedKey` if the key
  ///   is not an RSA key or its encryption is not supported, and `malformedKey` if the text is not a PEM private key.
  public init(pem: Secret, passphrase: Secret? = nil) throws(AsperaError) {
    let passphrase = passphrase?.nonblank
    do { key = try PrivateKey(pem: pem.bytes, passphrase: passphrase?.bytes) } catch {
      guard ![UInt8](pem.bytes).isUTF16 else { throw KeyLocation(name: "The key for bearer tokens").utf16Error }
      throw Self.error(for: error)
    }
    guard case .rsa = key.kind, let publicKey = key.publicKey.pem else { throw Self.error(for: .unsupportedKind) }
    publicKeyPEM = publicKey
  }

  /// Reads and parses an RSA private key.
  ///
  /// - Parameters:
  ///   - key: The private key, in memory or in a file.
  ///   - context: The context that reads the key file.
  /// - Throws: An ``AsperaError`` if the key file is missing, cannot be read, or can be read by other users, or if the
  ///   key is not supported; see ``init(pem:passphrase:)``.
  public init(_ key: AsperaPrivateKey, on context: ProviderContext) throws(AsperaError) {
    try self.init(pem: try key.checkedText(on: context).secret, passphrase: key.passphrase)
  }

  /// Returns the signature of a token's payload with RSASSA-PKCS1-v1_5 and SHA-512 (RFC 8017, section 8.2).
  func signature(of payload: [UInt8]) throws(AsperaError) -> [UInt8] {
    do { return try key.sign(payload, with: .rsaPKCS1(.sha512)) } catch {
      throw AsperaError(
        .unsupportedKey, "The key is too short to sign bearer tokens with.", remedy: "Use RSA of 2048 bits or more.")
    }
  }

  private static func error(for error: KeyError) -> AsperaError {
    switch error {
    case .passphraseMissing:
      AsperaError(
        .wrongPassphrase, "The key for bearer tokens is encrypted, and there is no passphrase.",
        remedy: "Give its passphrase.")
    case .wrongPassphrase:
      AsperaError(
        .wrongPassphrase, "The passphrase does not open the key for bearer tokens.",
        remedy: "Give the passphrase of this key.")
    case .unsupportedKind, .unsupportedEncryption:
      AsperaError(
        .unsupportedKey, "The key for bearer tokens is not an RSA key that can be read.",
        remedy: "Create one with openssl genrsa 4096, and register its public key with the access key.")
    case .malformed, .failed:
      AsperaError(
        .malformedKey, "The key for bearer tokens is not a private key in PEM.",
        remedy: "Pass the whole file, from the line BEGIN to the line END.")
    }
  }

  /// A masked description that does not contain the key.
  public var description: String { "NodeBearerKey(\(Secret.mask))" }
}
