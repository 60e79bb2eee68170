public import CloudCredentials
internal import StorageAuth
internal import StorageCrypto

extension AsperaPrivateKey {
  /// The key in a form that a client reads.
  ///
  /// An Ed25519 key in PKCS #8 comes in OpenSSH's own format, which the SSH client and newer versions of ascp read. For
  /// ascp an RSA key in OpenSSH's own format that is not encrypted comes in the traditional PEM. Both are in memory and
  /// not encrypted. Any other key comes as it is.
  ///
  /// - Parameters:
  ///   - client: Who is to read it.
  ///   - machine: Reads the file.
  /// - Throws: An ``AsperaError`` if the key cannot be read or opened.
  public func converted(
    for client: PrivateKeyReport.Client, on machine: ProviderContext
  ) throws(AsperaError) -> AsperaPrivateKey {
    let place = KeyPlace(source)
    let text = try text(on: machine)
    let result: SecretBytes?
    switch try KeyText([UInt8](text), at: place) {
    case .pem(let block):
      let key = block.isPKCS8 ? try libcryptoKey(text, block) : nil
      result = key?.kind == .ed25519 ? key?.openSSHPEM() : nil
    case .openSSH(let key):
      guard client == .ascp, case .rsa = key.publicKey.kind, !key.isEncrypted else { return readable(text, by: client) }
      do {
        result = try key.privateKey().traditionalPEM
      } catch {
        throw error.error(at: place)
      }
    }
    guard let result else { return readable(text, by: client) }
    let bytes = [UInt8](writing: { writer in result.withBytes { writer.append($0) } })
    return AsperaPrivateKey(.pem(Secret(bytes: bytes)), publicKeyFile: publicKeyFile)
  }

  /// The key as it is; in memory where the SSH client would refuse the file because others can read it.
  private func readable(_ text: Secret, by client: PrivateKeyReport.Client) -> AsperaPrivateKey {
    guard isWellKnown, client == .ssh else { return self }
    return AsperaPrivateKey(.pem(text), passphrase: passphrase, publicKeyFile: publicKeyFile)
  }
}
