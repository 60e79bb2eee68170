// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A private key for logins, in a file or in memory, with its passphrase if the key is encrypted.
public struct AsperaPrivateKey: Sendable, Equatable {
  /// The location of a private key.
  public enum Source: Sendable, Equatable {
    /// The key is in a file at the given path.
    ///
    /// A path that starts with `~/` is relative to the home directory, any other relative path to the working one.
    case file(String)
    /// The key is in memory as the given text of a key file.
    case pem(Secret)
  }

  /// The location of the private key.
  public let source: Source
  /// The passphrase of the private key, or `nil` if the key is not encrypted.
  public let passphrase: Secret?
  /// The path of a public key file that must match the private key, or `nil` to skip this check.
  public let publicKeyFile: String?

  /// The key pairs that are public knowledge, whose private keys other users may read.
  let wellKnownKeys: WellKnownKeys

  private var location: KeyLocation { KeyLocation(source) }

  /// Creates a reference to a private key, without reading the key.
  ///
  /// Only the user may be able to read the file of a private key, unless the file is in the bundle of the running app,
  /// is root's on a volume that is mounted read-only, or contains IBM's public key, which its fingerprint identifies.
  ///
  /// - Parameters:
  ///   - source: The location of the private key.
  ///   - passphrase: The passphrase of the private key. A blank passphrase counts as no passphrase.
  ///   - publicKeyFile: The path of a public key file that must match the private key, or `nil` to skip this check.
  public init(_ source: Source, passphrase: Secret? = nil, publicKeyFile: String? = nil) {
    self.init(source, passphrase: passphrase, publicKeyFile: publicKeyFile, wellKnownKeys: .ibm)
  }

  // Tests replace the well-known keys.
  package init(_ source: Source, passphrase: Secret?, publicKeyFile: String? = nil, wellKnownKeys: WellKnownKeys) {
    self.source = source
    self.passphrase = passphrase?.nonblank
    self.publicKeyFile = publicKeyFile
    self.wellKnownKeys = wellKnownKeys
  }

  /// Creates a reference to a private key in a file, without reading the file.
  public static func file(_ path: String, passphrase: Secret? = nil, publicKeyFile: String? = nil) -> AsperaPrivateKey {
    AsperaPrivateKey(.file(path), passphrase: passphrase, publicKeyFile: publicKeyFile)
  }

  /// Creates a reference to an encrypted private key in a file, without reading the file.
  public static func file(_ path: String, passphrase: String, publicKeyFile: String? = nil) -> AsperaPrivateKey {
    file(path, passphrase: Secret(passphrase), publicKeyFile: publicKeyFile)
  }

  /// Creates a reference to a private key in memory from the text of a key file.
  public static func pem(_ text: Secret, passphrase: Secret? = nil) -> AsperaPrivateKey {
    AsperaPrivateKey(.pem(text), passphrase: passphrase)
  }

  /// Returns the private key in a format that a client program can read.
  ///
  /// An Ed25519 key in PKCS #8 is converted to OpenSSH's own format. For ascp, an unencrypted RSA key in OpenSSH's own
  /// format is converted to traditional PEM. A converted key is in memory and not encrypted. A text that starts with a
  /// byte order mark is returned in memory without the mark. For the SSH client, which refuses a key file that other
  /// users may read, the key in such a file is returned in memory. Other keys are unchanged.
  ///
  /// - Parameters:
  ///   - client: The program that will read the key.
  ///   - context: The context that reads the key file.
  /// - Returns: The key, converted if necessary.
  /// - Throws: An ``AsperaError`` if the key cannot be read, parsed or decrypted.
  public func converted(
    for client: PrivateKeyReport.Client, on context: ProviderContext
  ) throws(AsperaError) -> AsperaPrivateKey {
    let text = try checkedText(on: context)
    let convertedText: SecretBytes?
    switch try EncodedPrivateKey([UInt8](text.secret.bytes), at: location) {
    case .pem(let block):
      let key = block.isPKCS8 ? try pemKey(text.secret, in: block) : nil
      convertedText = key?.kind == .ed25519 ? key?.openSSHPEM() : nil
    case .openSSH(let key):
      let needsPEM = if client == .ascp, case .rsa = key.publicKey.kind { !key.isEncrypted } else { false }
      convertedText = needsPEM ? try key.privateKey().traditionalPEM : nil
    }
    if let convertedText {
      return AsperaPrivateKey(.pem(Secret(bytes: [UInt8](convertedText))), publicKeyFile: publicKeyFile)
    }
    guard text.hasByteOrderMark || (text.isAccessibleToOthers && client == .ssh) else { return self }
    return AsperaPrivateKey(
      .pem(text.secret), passphrase: passphrase, publicKeyFile: publicKeyFile, wellKnownKeys: wellKnownKeys)
  }

  /// Checks whether the private key can be used, before a transfer starts.
  ///
  /// Keys in PEM and PKCS #8 are decrypted and parsed. Keys in OpenSSH's own format are parsed, and the passphrase of
  /// an encrypted one is tried with `ssh-keygen`, which receives it in the environment and never as an argument. If
  /// `ssh-keygen` is not installed, the report says that the passphrase was not checked.
  ///
  /// - Parameter context: The context that reads the key's files and runs `ssh-keygen`.
  /// - Returns: A report about the key's format, its kind and the clients that cannot use the key.
  /// - Throws: An ``AsperaError`` if the key is missing, unreadable, damaged or of a kind that SSH does not support for
  ///   logins; if other users can read the key file, which neither its place nor IBM's public key in it allows; if the
  ///   passphrase is wrong or missing, or is given for a key that is not encrypted (ascp would try the passphrase as
  ///   the user's password); or if the public key file contains another key.
  public func check(on context: ProviderContext) async throws(AsperaError) -> PrivateKeyReport {
    let text = try checkedText(on: context)
    let report: PrivateKeyReport
    switch try EncodedPrivateKey([UInt8](text.secret.bytes), at: location) {
    case .pem(let block): report = try makeReport(onPEM: block, in: text)
    case .openSSH(let key): report = try await makeReport(onOpenSSH: key, in: text, context)
    }
    try checkPublicKeyFile(against: report, context)
    return report
  }
}

// The steps of `check(on:)`.
extension AsperaPrivateKey {
  private func makeReport(onPEM block: PEMBlock, in text: Text) throws(AsperaError) -> PrivateKeyReport {
    if block.cipher == nil { try requireNoPassphrase() }
    let key = try pemKey(text.secret, in: block)
    let kind = try PrivateKeyReport.Kind(key.kind, at: location)
    guard key.isConsistent, let publicKey = key.publicKey.sshBlob.flatMap({ SSHPublicKey(blob: $0) }) else {
      throw location.error(
        .malformedKey, "is damaged: its public key does not verify its signatures",
        remedy: "Copy the key again, or create another one.")
    }
    return PrivateKeyReport(
      format: block.isPKCS8 ? .pkcs8 : .traditional, kind: kind, cipher: block.cipher,
      passphrase: block.cipher == nil ? .none : .correct, publicKey: publicKey, hasByteOrderMark: text.hasByteOrderMark)
  }

  private func makeReport(
    onOpenSSH key: OpenSSHKey, in text: Text, _ context: ProviderContext
  ) async throws(AsperaError) -> PrivateKeyReport {
    let kind = try PrivateKeyReport.Kind(key.publicKey.kind, at: location)
    let passphraseResult: PrivateKeyReport.Passphrase
    if key.isEncrypted {
      guard let passphrase else { throw location.missingPassphraseError(cipher: key.cipher) }
      passphraseResult = try await key.tryPassphrase(passphrase, keyText: text.secret, on: context)
    } else {
      try requireNoPassphrase()
      _ = try key.privateKey()
      passphraseResult = .none
    }
    return PrivateKeyReport(
      format: .openSSH, kind: kind, cipher: key.isEncrypted ? key.cipher : nil, passphrase: passphraseResult,
      publicKey: key.publicKey, hasByteOrderMark: text.hasByteOrderMark)
  }

  private func requireNoPassphrase() throws(AsperaError) {
    guard passphrase != nil else { return }
    throw location.error(
      .ambiguousCredential, "is not encrypted and has a passphrase, which ascp would try as the password of the user",
      remedy: "Leave the passphrase out.")
  }

  private func checkPublicKeyFile(against report: PrivateKeyReport, _ context: ProviderContext) throws(AsperaError) {
    guard let publicKeyFile else { return }
    let location = KeyLocation(name: "The public key file \(publicKeyFile)")
    let bytes = try location.contents(ofFile: publicKeyFile, on: context).bytes
    guard !bytes.isUTF16 else { throw location.utf16Error }
    let text = String(decoding: bytes.withoutByteOrderMark, as: UTF8.self)
    let isPEM = text.contains("-----BEGIN ")
    let pemBlob = isPEM ? (try? PublicKey(pem: text))?.sshBlob : nil
    guard let keyInFile = isPEM ? pemBlob.flatMap({ SSHPublicKey(blob: $0) }) : SSHPublicKey(line: text) else {
      throw location.error(
        .malformedKey, "holds no public key",
        remedy: "Name a .pub file of OpenSSH or a PEM file that begins with BEGIN PUBLIC KEY.")
    }
    guard keyInFile.authorizedKeysLine == report.publicKey else {
      throw location.error(
        .publicKeyMismatch, "holds another key (\(keyInFile.fingerprint)) than the private one (\(report.fingerprint))",
        remedy: "Name the public key of this private key, or leave it out.")
    }
  }
}

// The text of the key, which each of its users reads anew.
extension AsperaPrivateKey {
  /// The text of a private key, and the properties of its origin that decide whether a client program can read it.
  struct Text {
    let secret: Secret
    /// Whether the original text starts with a byte order mark, with which no client program reads it.
    let hasByteOrderMark: Bool
    /// Whether the permissions of the key file give any access to other users.
    let isAccessibleToOthers: Bool
    /// The error about other users' access to the key file, which is thrown unless the key is well-known, or `nil`.
    let exposureError: AsperaError?

    fileprivate init(_ bytes: [UInt8], isAccessibleToOthers: Bool = false, exposureError: AsperaError? = nil) {
      self.isAccessibleToOthers = isAccessibleToOthers
      self.exposureError = exposureError
      hasByteOrderMark = bytes.hasByteOrderMark
      secret = Secret(bytes: bytes.withoutByteOrderMark)
    }
  }

  /// Returns the text of the private key, reading its file if necessary.
  ///
  /// - Throws: An ``AsperaError`` if the text is too long, or if the key file is missing, cannot be read, or can be
  ///   read or replaced by other users and contains no well-known key, or no private key at all.
  func checkedText(on context: ProviderContext) throws(AsperaError) -> Text {
    let text = try uncheckedText(on: context)
    guard let error = text.exposureError else { return text }
    switch try isWellKnown(text.secret) {
    case true?: return text
    case false?: throw error
    case nil:
      throw AsperaError(
        error.code, error.message,
        remedy: "\(error.remedy) If it is IBM's public key, give its passphrase, with which it is recognized.")
    }
  }

  /// Returns the text of the private key, also if other users have access to its file.
  func uncheckedText(on context: ProviderContext) throws(AsperaError) -> Text {
    switch source {
    case .pem(let text):
      guard text.bytes.withBytes({ $0.count }) <= KeyLocation.byteLimit else { throw location.sizeError }
      return Text([UInt8](text.bytes))
    case .file(let path):
      let file = try location.contents(ofFile: path, on: context)
      // A file system without permissions, as on Windows, does not show who has access.
      let mode = file.permissions ?? 0
      let isAccessibleToOthers = mode & 0o077 != 0
      guard isAccessibleToOthers, file.place == nil else {
        let error = file.weakness.map { weakness in
          location.error(
            .insecureKeyFile, "could have been written by other users: \(weakness.reason)", remedy: weakness.remedy)
        }
        return Text(file.bytes, isAccessibleToOthers: isAccessibleToOthers, exposureError: error)
      }
      let error = location.error(
        .insecureKeyFile, "is accessible to other users (mode 0\(String(mode, radix: 8)))",
        remedy: "Restrict it: chmod 600 \(path). Others may read only a file in the running app's bundle, or root's on "
          + "a read-only volume.")
      return Text(file.bytes, isAccessibleToOthers: true, exposureError: error)
    }
  }

  /// Returns whether a text contains a well-known private key, or `nil` if the passphrase does not decrypt it.
  ///
  /// The fingerprint is computed from the private key, not from a public key next to it. An encrypted key in OpenSSH's
  /// own format, which only `ssh-keygen` decrypts, is therefore never well-known.
  private func isWellKnown(_ text: Secret) throws(AsperaError) -> Bool? {
    switch try EncodedPrivateKey([UInt8](text.bytes), at: location) {
    case .pem(let block):
      guard let key = try? PrivateKey(pem: text.bytes, passphrase: passphrase?.bytes) else {
        return block.cipher == nil ? false : nil
      }
      return wellKnownKeys.contains(key)
    case .openSSH(let key): return (try? key.privateKey()).map(wellKnownKeys.contains) ?? false
    }
  }

  /// Decrypts and parses the private key in a PEM block of the key's text.
  func pemKey(_ text: Secret, in block: PEMBlock) throws(AsperaError) -> PrivateKey {
    do { return try PrivateKey(pem: text.bytes, passphrase: passphrase?.bytes) } catch {
      switch error {
      case .passphraseMissing: throw location.missingPassphraseError(cipher: block.cipher ?? "an unknown cipher")
      case .wrongPassphrase: throw location.wrongPassphraseError
      case .unsupportedEncryption:
        throw location.error(
          .unsupportedKey,
          "is encrypted with \(block.cipher ?? "a cipher") in a way that this system's cryptography does not offer",
          remedy: KeyLocation.reencryptionRemedy)
      case .malformed, .unsupportedKind, .failed:
        throw location.error(.malformedKey, "is damaged", remedy: "Copy the key again, or create another one.")
      }
    }
  }
}
