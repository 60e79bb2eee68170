internal import StorageAuth
internal import StorageCrypto

/// A key pair for one transfer or a few, made here and never written to a file.
///
/// Servers since 4.4 take the public key with the request for a transfer (`public_keys` of upload_setup and
/// download_setup) and then let its private key in, so that no key of IBM's is needed.
///
/// ```swift
/// let key = try DynamicKey()
/// let account = try AsperaAccount(host: host, user: user, privateKey: key.privateKey)
/// ```
public struct DynamicKey: Sendable, Equatable {
  /// The public key in a line as `authorized_keys` has it: what `public_keys` is to hold.
  public let publicKey: String

  /// The private key, in a form that all versions of ascp and SSH clients read.
  public let privateKey: AsperaPrivateKey

  /// Makes an RSA key pair, which takes up to a second.
  ///
  /// - Parameter bits: The length of the modulus, 2048 to 16384.
  /// - Throws: An ``AsperaError`` for another length.
  public init(bits: Int = 3_072) throws(AsperaError) {
    guard (2_048...KeyRefusal.mostBits).contains(bits) else {
      throw AsperaError(
        .unsupportedKey, "A key of \(bits) bits is not made.", remedy: "Ask for 2048 to \(KeyRefusal.mostBits).")
    }
    guard let key = try? PrivateKey.generateRSA(bits: bits), let text = key.traditionalPEM,
      let publicKey = key.publicKey.sshBlob.flatMap({ SSHPublicKey(blob: $0) })
    else {
      throw AsperaError(
        .failed, "libcrypto could not make a key.", remedy: "See whether the machine has random numbers.")
    }
    self.publicKey = publicKey.line
    privateKey = .pem(Secret(bytes: [UInt8](writing: { writer in text.withBytes { writer.append($0) } })))
  }
}
