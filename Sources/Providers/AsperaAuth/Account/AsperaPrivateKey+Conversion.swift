// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CloudCredentials
internal import StorageAuth
internal import StorageCrypto
internal import StorageKeys

extension AsperaPrivateKey {
  /// Returns the private key in a format that a client program can read.
  ///
  /// An Ed25519 key in PKCS #8 is converted to OpenSSH's own format, which the SSH client and newer versions of ascp
  /// can read. For ascp, an unencrypted RSA key in OpenSSH's own format is converted to traditional PEM. A converted
  /// key is stored in memory and not encrypted. A text that starts with a byte order mark is returned in memory without
  /// the mark. IBM's public key is returned in memory for the SSH client if other users can read its file, because the
  /// client refuses such files. Any other key is returned unchanged.
  ///
  /// - Parameters:
  ///   - client: The program that will read the key.
  ///   - machine: The context that reads the key file.
  /// - Returns: The key, converted if necessary.
  /// - Throws: An ``AsperaError`` if the key cannot be read, parsed or decrypted.
  public func converted(
    for client: PrivateKeyReport.Client, on machine: ProviderContext
  ) throws(AsperaError) -> AsperaPrivateKey {
    let place = KeyPlace(source)
    let text = try checkedText(on: machine)
    let result: SecretBytes?
    switch try KeyText([UInt8](text.secret), at: place) {
    case .pem(let block):
      let key = block.isPKCS8 ? try pemKey(text.secret, block) : nil
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

  /// Returns the key unchanged, or its text in memory if the client does not read the original.
  private func readable(_ text: Text, by client: PrivateKeyReport.Client) -> AsperaPrivateKey {
    guard text.hasByteOrderMark || (text.exposure != nil && client == .ssh) else { return self }
    return AsperaPrivateKey(
      .pem(text.secret), passphrase: passphrase, publicKeyFile: publicKeyFile, wellKnownKeys: wellKnownKeys)
  }
}
