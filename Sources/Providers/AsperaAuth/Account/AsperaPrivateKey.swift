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
      guard needsPEM else { return readableKey(text, for: client) }
      convertedText = try key.privateKey().traditionalPEM
    }
    guard let convertedText else { return readableKey(text, for: client) }
    return AsperaPrivateKey(.pem(Secret(bytes: [UInt8](convertedText))), publicKeyFile: publicKeyFile)
  }

  /// Returns the key unchanged, or its text in memory if the client does not read the original.
  private func readableKey(_ text: Text, for client: PrivateKeyReport.Client) -> AsperaPrivateKey {
    guard text.hasByteOrderMark || (text.isReadableByOthers && client == .ssh) else { return self }
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
    let format: PrivateKeyReport.Format
    let kind: PrivateKeyReport.Kind
    let cipher: String?
    let passphraseResult: PrivateKeyReport.Passphrase
    let publicKey: SSHPublicKey
    switch try EncodedPrivateKey([UInt8](text.secret.bytes), at: location) {
    case .pem(let block):
      if block.cipher == nil { try requireNoPassphrase() }
      let key = try pemKey(text.secret, in: block)
      kind = try PrivateKeyReport.Kind(key.kind, at: location)
      guard key.isConsistent, let sshKey = key.publicKey.sshBlob.flatMap({ SSHPublicKey(blob: $0) }) else {
        throw location.error(
          .malformedKey, "is damaged: its public key does not verify its signatures",
          remedy: "Copy the key again, or create another one.")
      }
      publicKey = sshKey
      format = block.isPKCS8 ? .pkcs8 : .traditional
      cipher = block.cipher
      passphraseResult = cipher == nil ? .none : .correct
    case .openSSH(let key):
      publicKey = key.publicKey
      kind = try PrivateKeyReport.Kind(publicKey.kind, at: location)
      format = .openSSH
      cipher = key.isEncrypted ? key.cipher : nil
      passphraseResult = try await checkPassphrase(of: key, text.secret, context)
    }
    try checkPublicKeyFile(against: publicKey, context)
    return PrivateKeyReport(
      format: format, kind: kind, cipher: cipher, passphrase: passphraseResult, publicKey: publicKey,
      hasByteOrderMark: text.hasByteOrderMark)
  }

  private func requireNoPassphrase() throws(AsperaError) {
    guard passphrase != nil else { return }
    throw location.error(
      .ambiguousCredential, "is not encrypted and has a passphrase, which ascp would try as the password of the user",
      remedy: "Leave the passphrase out.")
  }

  private func checkPassphrase(
    of key: OpenSSHKey, _ text: Secret, _ context: ProviderContext
  ) async throws(AsperaError) -> PrivateKeyReport.Passphrase {
    guard key.isEncrypted else {
      try requireNoPassphrase()
      _ = try key.privateKey()
      return .none
    }
    guard let passphrase else { throw missingPassphraseError(key.cipher) }
    return try await tryPassphrase(passphrase.reveal(), of: key, text, context)
  }

  /// The time limit of `ssh-keygen`, whose duration depends on the rounds of bcrypt that the key specifies.
  private static let keygenTimeout = Duration.seconds(60)
  private static let passphraseVariable = "STORAGE_AUTH_PASSPHRASE"
  /// The askpass script, which prints the passphrase and creates a file that shows that the script was called.
  private static let askpassScript = """
    #!/bin/sh
    : > "${0%/*}/asked"
    printf '%s\\n' "$\(passphraseVariable)"

    """

  /// Runs `ssh-keygen` to find out whether a passphrase decrypts a key in OpenSSH's own format.
  ///
  /// No argument contains a secret: the key is in a temporary file that only its owner can read, and the passphrase is
  /// in the environment, from which the askpass script passes it to `ssh-keygen`.
  private func tryPassphrase(
    _ passphrase: String, of key: OpenSSHKey, _ text: Secret, _ context: ProviderContext
  ) async throws(AsperaError) -> PrivateKeyReport.Passphrase {
    guard let commands = context.commands else { return .unchecked("this program runs no commands") }
    guard passphrase.utf8.allSatisfy({ $0 != 0 && $0 != 0x0a }) else {
      return .unchecked("it has a line break or a NUL in it, which ssh-keygen does not accept")
    }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let keyPath = try folder.write([UInt8](text.bytes), to: "key")
    let scriptPath = try folder.write(Array(Self.askpassScript.utf8), to: "askpass", isExecutable: true)
    let result: CommandResult
    do {
      result = try await commands.run(
        ["ssh-keygen", "-y", "-f", keyPath],
        environment: ["SSH_ASKPASS": scriptPath, "SSH_ASKPASS_REQUIRE": "force", Self.passphraseVariable: passphrase],
        timeout: Self.keygenTimeout, outputLimit: 1 << 16)
    } catch { return .unchecked(try Self.reason(for: error)) }
    guard result.ending == .exited(0) else {
      guard folder.contains("asked") else { return .unchecked("ssh-keygen cannot read the key") }
      throw wrongPassphraseError()
    }
    let line = String(decoding: result.standardOutput, as: UTF8.self)
    guard SSHPublicKey(line: line) == key.publicKey else { throw OpenSSHKey.mismatchError(at: location) }
    return .correct
  }

  private static func reason(for error: CommandError) throws(AsperaError) -> String {
    switch error {
    case .notFound: "ssh-keygen is not installed"
    case .notStarted(let reason): "ssh-keygen could not be started: \(reason)"
    case .timeout: "ssh-keygen took too long"
    case .outputTooLarge: "ssh-keygen wrote too much"
    case .cancelled: throw AsperaError(.failed, "The check of the key was cancelled.", remedy: "Check it again.")
    }
  }

  private func checkPublicKeyFile(against key: SSHPublicKey, _ context: ProviderContext) throws(AsperaError) {
    guard let publicKeyFile else { return }
    let location = KeyLocation(name: "The public key file \(publicKeyFile)")
    let bytes = try Self.read(publicKeyFile, at: location, context).bytes
    guard !bytes.isUTF16 else { throw location.utf16Error }
    let text = String(decoding: bytes.withoutByteOrderMark, as: UTF8.self)
    let keyInFile =
      text.contains("-----BEGIN ")
      ? (try? PublicKey(pem: text))?.sshBlob.flatMap { SSHPublicKey(blob: $0) } : SSHPublicKey(line: text)
    guard let keyInFile else {
      throw location.error(
        .malformedKey, "holds no public key",
        remedy: "Name a .pub file of OpenSSH or a PEM file that begins with BEGIN PUBLIC KEY.")
    }
    guard keyInFile == key else {
      throw location.error(
        .publicKeyMismatch, "holds another key (\(keyInFile.fingerprint)) than the private one (\(key.fingerprint))",
        remedy: "Name the public key of this private key, or leave it out.")
    }
  }
}

extension AsperaPrivateKey {
  /// The maximum size of the text of a key, in bytes: several times that of an RSA key of 16,384 bits.
  static let sizeLimit = 1 << 16

  private var location: KeyLocation { KeyLocation(source) }

  /// The text of a private key, and the properties of its origin that decide whether a client program can read it.
  struct Text {
    let secret: Secret
    /// Whether the original text starts with a byte order mark, with which no client program reads it.
    let hasByteOrderMark: Bool
    /// The reason to refuse the key file unless the key is well-known, or `nil` if only the user has access to it.
    let exposure: AsperaError?
    let isReadableByOthers: Bool

    fileprivate init(_ bytes: [UInt8], isReadableByOthers: Bool = false, exposure: AsperaError? = nil) {
      self.isReadableByOthers = isReadableByOthers
      hasByteOrderMark = bytes.hasByteOrderMark
      secret = Secret(bytes: bytes.withoutByteOrderMark)
      self.exposure = exposure
    }
  }

  /// Returns the text of the private key, reading its file if necessary.
  ///
  /// - Throws: An ``AsperaError`` if the text is too long, or if the key file is missing, cannot be read, or can be
  ///   read or replaced by other users and contains no well-known key, or no private key at all.
  func checkedText(on context: ProviderContext) throws(AsperaError) -> Text {
    let text = try uncheckedText(on: context)
    guard let exposure = text.exposure else { return text }
    switch try isWellKnown(text.secret) {
    case true?: return text
    case false?: throw exposure
    case nil:
      throw AsperaError(
        exposure.code, exposure.message,
        remedy: "\(exposure.remedy) If it is IBM's public key, give its passphrase, with which it is recognized.")
    }
  }

  func uncheckedText(on context: ProviderContext) throws(AsperaError) -> Text {
    switch source {
    case .pem(let text):
      guard text.bytes.withBytes({ $0.count }) <= Self.sizeLimit else { throw Self.sizeError(at: location) }
      return Text([UInt8](text.bytes))
    case .file(let path):
      let contents = try Self.read(path, at: location, context)
      let mode = contents.permissions ?? 0
      let isReadableByOthers = mode & 0o077 != 0
      if isReadableByOthers, contents.place == nil {
        return Text(contents.bytes, isReadableByOthers: true, exposure: accessError(mode: mode, at: path))
      }
      return Text(
        contents.bytes, isReadableByOthers: isReadableByOthers, exposure: contents.weakness.map(replacementError))
    }
  }

  private func accessError(mode: UInt16, at path: String) -> AsperaError {
    location.error(
      .insecureKeyFile, "is accessible to other users (mode 0\(String(mode, radix: 8)))",
      remedy: "Restrict it: chmod 600 \(path). Others may read only a file in the running app's bundle, or root's on a "
        + "read-only volume.")
  }

  private func replacementError(for weakness: FileWeakness) -> AsperaError {
    location.error(
      .insecureKeyFile, "could have been written by other users: \(weakness.reason)", remedy: weakness.remedy)
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

  private static func read(
    _ path: String, at location: KeyLocation, _ context: ProviderContext
  ) throws(AsperaError) -> FileContents {
    guard let absolute = context.absolute(path) else {
      throw location.error(
        .keyNotFound, "is in the home directory, which is not known", remedy: "Give its absolute path.")
    }
    do { return try context.files.read(absolute, limit: sizeLimit) } catch {
      switch error {
      case .notFound: throw location.error(.keyNotFound, "does not exist", remedy: "Give the path of an existing file.")
      case .tooLarge: throw sizeError(at: location)
      case .unreadable(let reason):
        throw location.error(
          .keyUnreadable, "cannot be read: \(reason)",
          remedy: "Allow the user that runs this program to read it, and no other user.")
      }
    }
  }

  private static func sizeError(at location: KeyLocation) -> AsperaError {
    location.error(
      .malformedKey, "is longer than \(sizeLimit) bytes, and so not a key", remedy: "Give a file with only the key.")
  }

  func pemKey(_ text: Secret, in block: PEMBlock) throws(AsperaError) -> PrivateKey {
    do { return try PrivateKey(pem: text.bytes, passphrase: passphrase?.bytes) } catch {
      switch error {
      case .passphraseMissing: throw missingPassphraseError(block.cipher)
      case .wrongPassphrase: throw wrongPassphraseError()
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

  private func missingPassphraseError(_ cipher: String?) -> AsperaError {
    location.error(
      .wrongPassphrase, "is encrypted (\(cipher ?? "an unknown cipher")) and no passphrase is given",
      remedy: "Give the passphrase with the key; a blank one counts as none.")
  }

  private func wrongPassphraseError() -> AsperaError {
    location.error(
      .wrongPassphrase, "is not opened by its passphrase", remedy: "Give the right one; if it is, the key is damaged.")
  }
}
