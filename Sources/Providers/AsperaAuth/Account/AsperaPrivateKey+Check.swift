// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CloudCredentials
internal import StorageAuth
internal import StorageCrypto
internal import StorageKeys

extension AsperaPrivateKey {
  /// Checks whether the private key can be used, before a transfer starts.
  ///
  /// Keys in PEM and PKCS #8 are decrypted and parsed. Keys in OpenSSH's own format are parsed. If such a key is
  /// encrypted, its passphrase is tried with `ssh-keygen`, which receives it in the environment and never as an
  /// argument. If `ssh-keygen` is not installed, the report says that the passphrase was not checked.
  ///
  /// ```swift
  /// let report = try await key.check(on: machine)
  /// print(report.kind, report.fingerprint)
  /// ```
  ///
  /// - Parameter machine: The context that reads the key's files and runs `ssh-keygen`.
  /// - Returns: A report about the key's format, its kind and the clients that cannot use the key.
  /// - Throws: An ``AsperaError`` if the key is missing, cannot be read, is damaged or is of a kind that SSH does not
  ///   support for logins; if other users can read the key file and the key is not IBM's public key; if the passphrase is wrong or missing; if a passphrase is given
  ///   for a key that is not encrypted (ascp would try the passphrase as the user's password); or if the public key
  ///   file contains another key.
  public func check(on machine: ProviderContext) async throws(AsperaError) -> PrivateKeyReport {
    let place = KeyPlace(source)
    let original = try checkedText(on: machine)
    let text = original.secret
    let report: PrivateKeyReport
    let publicKey: SSHPublicKey
    switch try KeyText([UInt8](text), at: place) {
    case .pem(let block):
      if block.cipher == nil { try refusePassphrase() }
      let key = try pemKey(text, block)
      let kind = try PrivateKeyReport.Kind(key.kind, at: place)
      publicKey = try Self.publicKey(of: key, at: place)
      report = PrivateKeyReport(
        format: block.isPKCS8 ? .pkcs8 : .traditional, kind: kind, cipher: block.cipher,
        passphrase: block.cipher == nil ? .none : .correct, publicKey: publicKey,
        hasByteOrderMark: original.hasByteOrderMark)
    case .openSSH(let key):
      publicKey = key.publicKey
      let kind = try PrivateKeyReport.Kind(publicKey.kind, at: place)
      report = PrivateKeyReport(
        format: .openSSH, kind: kind, cipher: key.isEncrypted ? key.cipher : nil,
        passphrase: try await checkPassphrase(of: key, text, machine), publicKey: publicKey,
        hasByteOrderMark: original.hasByteOrderMark)
    }
    try checkPublicKeyFile(against: publicKey, machine)
    return report
  }

  private func refusePassphrase() throws(AsperaError) {
    guard passphrase != nil else { return }
    throw KeyPlace(source).error(
      .ambiguousCredential, "is not encrypted and has a passphrase, which ascp would try as the password of the user",
      remedy: "Leave the passphrase out.")
  }

  private static func publicKey(of key: PrivateKey, at place: KeyPlace) throws(AsperaError) -> SSHPublicKey {
    guard key.isWhole, let publicKey = key.publicKey.sshBlob.flatMap({ SSHPublicKey(blob: $0) }) else {
      throw place.error(
        .malformedKey, "is damaged: its public key does not verify its signatures",
        remedy: "Copy the key again, or create another one.")
    }
    return publicKey
  }

  private func checkPassphrase(
    of key: OpenSSHKey, _ text: Secret, _ machine: ProviderContext
  ) async throws(AsperaError) -> PrivateKeyReport.Passphrase {
    guard key.isEncrypted else {
      try refusePassphrase()
      do {
        _ = try key.privateKey()
      } catch {
        throw error.error(at: KeyPlace(source))
      }
      return .none
    }
    guard let passphrase else { throw passphraseMissing(key.cipher) }
    switch try await PassphraseTrial(text: text, passphrase: passphrase, publicKey: key.publicKey).run(on: machine) {
    case .opened: return .correct
    case .refused: throw passphraseWrong()
    case .otherKey: throw OpenSSHKey.Problem.mismatch.error(at: KeyPlace(source))
    case .notTried(let reason): return .unchecked(reason)
    }
  }

  private func checkPublicKeyFile(against key: SSHPublicKey, _ machine: ProviderContext) throws(AsperaError) {
    guard let publicKeyFile else { return }
    let place = KeyPlace(publicKeyFile: publicKeyFile)
    let bytes = try Self.read(publicKeyFile, at: place, machine).bytes
    guard !bytes.isUTF16 else { throw place.utf16Error() }
    let text = String(decoding: bytes.withoutByteOrderMark, as: UTF8.self)
    let named =
      text.contains("-----BEGIN ")
      ? (try? PublicKey(pem: text))?.sshBlob.flatMap { SSHPublicKey(blob: $0) } : SSHPublicKey(line: text)
    guard let named else {
      throw place.error(
        .malformedKey, "holds no public key",
        remedy: "Name a .pub file of OpenSSH or a PEM file that begins with BEGIN PUBLIC KEY.")
    }
    guard named == key else {
      throw place.error(
        .publicKeyMismatch, "holds another key (\(named.fingerprint)) than the private one (\(key.fingerprint))",
        remedy: "Name the public key of this private key, or leave it out.")
    }
  }
}

extension [UInt8] {
  /// Copies the bytes of a secret in clear text into an array that is not wiped.
  init(_ secret: Secret) {
    self.init(writing: { writer in secret.bytes.withBytes { writer.append($0) } })
  }
}
