// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A private key that signs the assertions of JWT grants.
///
/// The public key is registered with the authorization server: in the user's profile in Aspera on Cloud or Faspex 5, or
/// with the API client. `print`, `dump` and `Mirror` do not show the private key.
///
/// ```swift
/// let key = try JWTSigningKey(.file("~/.ssh/aspera.pem"), on: ProviderContext(transport: transport))
/// ```
public struct JWTSigningKey: Sendable, Redacted {
  private static let replacementRemedy = "Create one with openssl genrsa 4096, and register its public key."

  private let key: PrivateKey

  /// The PEM-encoded public key to register with the authorization server.
  public let publicKeyPEM: String
  /// The algorithm for a key of this kind, unless a grant names another: ``JWTAlgorithm/rs256`` for an RSA key.
  public let standardAlgorithm: JWTAlgorithm

  /// Parses a private key in memory.
  ///
  /// - Parameters:
  ///   - pem: An RSA or ECDSA private key in PEM: traditional, PKCS #8, or unencrypted in OpenSSH's own format.
  ///   - passphrase: The passphrase of the key. For a key that is not encrypted, `nil` or a blank passphrase.
  /// - Throws: An ``AsperaError``: `wrongPassphrase` if the passphrase is wrong or missing, `unsupportedKey` if the key
  ///   is of another kind, is an RSA key of less than 2048 bits, or has an unsupported encryption, or `malformedKey`.
  public init(pem: Secret, passphrase: Secret? = nil) throws(AsperaError) {
    try self.init(parsing: .pem(pem, passphrase: passphrase), text: pem)
  }

  /// Reads and parses a private key.
  ///
  /// - Parameters:
  ///   - key: The location of the key, with its passphrase if the key is encrypted.
  ///   - context: The context that reads the key file.
  /// - Throws: An ``AsperaError`` if the key file is missing, cannot be read, or can be read by other users, or if the
  ///   key is not supported; see ``init(pem:passphrase:)``.
  public init(_ key: AsperaPrivateKey, on context: ProviderContext) throws(AsperaError) {
    try self.init(parsing: key, text: try key.checkedText(on: context).secret)
  }

  private init(parsing key: AsperaPrivateKey, text: Secret) throws(AsperaError) {
    let location = KeyLocation(key.source)
    let parsed: PrivateKey
    switch try EncodedPrivateKey([UInt8](text.bytes), at: location) {
    case .pem(let block): parsed = try key.pemKey(text, in: block)
    case .openSSH(let openSSH):
      guard !openSSH.isEncrypted else {
        throw location.error(
          .unsupportedKey, "is encrypted in OpenSSH's own format, which only OpenSSH decrypts",
          remedy: "Convert it: ssh-keygen -p -m PEM -f KEY.")
      }
      parsed = try openSSH.privateKey()
    }
    guard let algorithm = JWTAlgorithm.standard(for: parsed.kind), let publicKey = parsed.publicKey.pem else {
      throw location.error(
        .unsupportedKey, "is neither an RSA key nor an ECDSA key on a curve of NIST", remedy: Self.replacementRemedy)
    }
    if case .rsa(let bits) = parsed.kind, bits < JWTAlgorithm.minimumRSABitCount {
      throw location.error(
        .unsupportedKey, "has \(bits) bits, and signatures of JSON Web Tokens need \(JWTAlgorithm.minimumRSABitCount)",
        remedy: Self.replacementRemedy)
    }
    self.key = parsed
    publicKeyPEM = publicKey
    standardAlgorithm = algorithm
  }

  func signature(of message: [UInt8], with algorithm: JWTAlgorithm) throws(AsperaError) -> [UInt8] {
    do { return try key.sign(message, with: algorithm.signatureAlgorithm) } catch {
      throw AsperaError(
        .unsupportedKey, "The key cannot sign with \(algorithm).",
        remedy: "Use the algorithm of the key, \(standardAlgorithm), or another key.")
    }
  }

  /// A description that contains the algorithm, but not the key.
  public var description: String { "JWTSigningKey(\(standardAlgorithm), \(Secret.mask))" }
}
