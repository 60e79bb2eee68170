// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth
internal import StorageKeys

/// A private key that signs the assertions of JWT grants.
///
/// The public key is registered with the authorization server: in the user's profile in Aspera on Cloud or Faspex 5, or
/// with the API client. `print`, `dump` and `Mirror` do not show the private key.
///
/// ```swift
/// let key = try JWTSigningKey(.file("~/.ssh/aspera.pem"), on: ProviderContext(transport: transport))
/// ```
public struct JWTSigningKey: Sendable {
  private let key: PrivateKey

  /// The PEM-encoded public key to register with the authorization server.
  public let publicKeyPEM: String

  /// The algorithm for a key of this kind, unless a grant names another: ``JWTAlgorithm/rs256`` for an RSA key.
  public let standardAlgorithm: JWTAlgorithm

  /// Parses a private key in memory.
  ///
  /// - Parameters:
  ///   - pem: An RSA or ECDSA private key in PEM, in a traditional format, in PKCS #8, or unencrypted in OpenSSH's own
  ///     format.
  ///   - passphrase: The passphrase of the key. `nil` or a blank passphrase if the key is not encrypted.
  /// - Throws: An ``AsperaError``: `wrongPassphrase` if the passphrase is wrong or missing, `unsupportedKey` if the key
  ///   is of another kind, is an RSA key of less than 2048 bits, or has an unsupported encryption, and `malformedKey` if
  ///   the text is not a private key.
  public init(pem: Secret, passphrase: Secret? = nil) throws(AsperaError) {
    try self.init(parsing: .pem(pem, passphrase: passphrase), text: pem)
  }

  /// Reads and parses a private key.
  ///
  /// - Parameters:
  ///   - key: The location of the key, with its passphrase if the key is encrypted.
  ///   - machine: The context that reads the key file.
  /// - Throws: An ``AsperaError`` if the key file is missing, cannot be read, or can be read by other users, or if the
  ///   key is not supported; see ``init(pem:passphrase:)``.
  public init(_ key: AsperaPrivateKey, on machine: ProviderContext) throws(AsperaError) {
    try self.init(parsing: key, text: try key.text(on: machine))
  }

  private init(parsing key: AsperaPrivateKey, text: Secret) throws(AsperaError) {
    let location = KeyLocation(key.source)
    let parsed = try key.signingKey(text)
    guard let algorithm = JWTAlgorithm.standard(for: parsed.kind), let publicKey = parsed.publicKey.pem else {
      throw location.error(
        .unsupportedKey, "is neither an RSA key nor an ECDSA key on a curve of NIST",
        remedy: "Create one with openssl genrsa 4096, and register its public key.")
    }
    if case .rsa(let bits) = parsed.kind, bits < JWTAlgorithm.shortestRSA {
      throw location.error(
        .unsupportedKey, "has \(bits) bits, and signatures of JSON Web Tokens need \(JWTAlgorithm.shortestRSA)",
        remedy: "Create one with openssl genrsa 4096, and register its public key.")
    }
    self.key = parsed
    publicKeyPEM = publicKey
    standardAlgorithm = algorithm
  }

  /// Returns the signature of a token's header and payload.
  func signature(of message: [UInt8], with algorithm: JWTAlgorithm) throws(AsperaError) -> [UInt8] {
    do {
      return try key.sign(message, with: algorithm.signature)
    } catch {
      throw AsperaError(
        .unsupportedKey, "The key cannot sign with \(algorithm).",
        remedy: "Use the algorithm of the key, \(standardAlgorithm), or another key.")
    }
  }
}

extension AsperaPrivateKey {
  /// Parses the text of the key and, if necessary, decrypts it.
  fileprivate func signingKey(_ text: Secret) throws(AsperaError) -> PrivateKey {
    let location = KeyLocation(source)
    switch try KeyText([UInt8](text), at: location) {
    case .pem(let block): return try pemKey(text, block)
    case .openSSH(let key):
      guard !key.isEncrypted else {
        throw location.error(
          .unsupportedKey, "is encrypted in OpenSSH's own format, which only OpenSSH decrypts",
          remedy: "Convert it: ssh-keygen -p -m PEM -f KEY.")
      }
      do {
        return try key.privateKey()
      } catch {
        throw error.error(at: location)
      }
    }
  }
}

extension JWTSigningKey: Redacted {
  /// A description that contains the algorithm, but not the key.
  public var description: String { "JWTSigningKey(\(standardAlgorithm), \(Secret.mask))" }
}
