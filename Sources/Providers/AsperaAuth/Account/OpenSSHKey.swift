// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A private key in OpenSSH's own format, `openssh-key-v1` (`PROTOCOL.key` in the OpenSSH sources).
struct OpenSSHKey: Redacted {
  static let pemLabel = "OPENSSH PRIVATE KEY"
  private static let magic = Array("openssh-key-v1\0".utf8)

  /// The cipher name, or `none` if the key is not encrypted.
  let cipher: String
  /// The public key, which is in clear text even if the private key is encrypted.
  let publicKey: SSHPublicKey

  /// The private keys as they are encoded, and encrypted unless ``cipher`` is `none`.
  private let privateSection: [UInt8]
  private let location: KeyLocation

  var isEncrypted: Bool { cipher != "none" }

  init(pemContents: [UInt8], at location: KeyLocation) throws(AsperaError) {
    var reader = SSHReader(pemContents)
    guard reader.bytes(Self.magic.count) == Self.magic, let cipher = reader.text(),
      let derivation = reader.text(), let derivationOptions = reader.string(), let keyCount = reader.number()
    else { throw Self.damageError(at: location) }
    guard keyCount == 1 else {
      throw location.error(
        .unsupportedKey, "holds \(keyCount) keys, and OpenSSH reads only one",
        remedy: "Give a file with one key in it.")
    }
    guard let blob = reader.string(), let publicKey = SSHPublicKey(blob: blob), let privateSection = reader.string()
    else { throw Self.damageError(at: location) }
    let isDerivationValid =
      (cipher == "none") == (derivation == "none") && (derivation == "none") == derivationOptions.isEmpty
    // The private section is padded to whole blocks of the cipher, and only an authentication tag follows it.
    let isSectionComplete =
      !privateSection.isEmpty && privateSection.count.isMultiple(of: Self.blockByteCount(of: cipher))
      && reader.remainder.count == Self.tagByteCount(of: cipher)
    guard isDerivationValid, isSectionComplete else { throw Self.damageError(at: location) }
    self.cipher = cipher
    self.publicKey = publicKey
    self.privateSection = privateSection
    self.location = location
  }

  private static func damageError(at location: KeyLocation) -> AsperaError {
    location.error(
      .malformedKey, "is in OpenSSH's own format and damaged", remedy: "Copy the key again, or create another one.")
  }

  private static func mismatchError(at location: KeyLocation) -> AsperaError {
    location.error(
      .malformedKey, "holds a private key that does not belong to the public key in it",
      remedy: "Copy the key again, or create another one.")
  }

  /// Returns the number of bytes in the authentication tag that an AEAD cipher appends to the private section.
  private static func tagByteCount(of cipher: String) -> Int {
    cipher.hasSuffix("-gcm@openssh.com") || cipher.hasPrefix("chacha20-poly1305") ? 16 : 0
  }

  /// Returns the block size of a cipher: 8 bytes also for `none` (`PROTOCOL.key`), and for all others that are not AES.
  private static func blockByteCount(of cipher: String) -> Int {
    cipher.hasPrefix("aes") || cipher.hasPrefix("rijndael") ? 16 : 8
  }

  /// Parses the unencrypted private key, or throws if the key is malformed or does not belong to the public key.
  func privateKey() throws(AsperaError) -> PrivateKey {
    var reader = SSHReader(privateSection)
    // The section begins with a random number, twice, which shows whether it was decrypted correctly.
    guard !isEncrypted, let number = reader.number(), number == reader.number(), let type = reader.text() else {
      throw Self.damageError(at: location)
    }
    guard type == publicKey.type else { throw Self.mismatchError(at: location) }
    // After the key come its comment and the padding: the bytes 1, 2, 3 and so on.
    guard let parts = Self.parts(of: publicKey.kind, &reader), reader.string() != nil,
      reader.remainder.count < Self.blockByteCount(of: cipher),
      reader.remainder.enumerated().allSatisfy({ $0.offset + 1 == $0.element })
    else { throw Self.damageError(at: location) }
    guard let key = try? PrivateKey(parts), key.publicKey.sshBlob == publicKey.blob else {
      throw Self.mismatchError(at: location)
    }
    return key
  }

  /// Reads the fields of a private key in the order that its kind has in OpenSSH's own format.
  private static func parts(of kind: KeyKind, _ reader: inout SSHReader) -> PrivateKeyParts? {
    switch kind {
    case .rsa:
      guard let modulus = reader.magnitude(), let publicExponent = reader.magnitude(),
        let privateExponent = reader.magnitude(), let coefficient = reader.magnitude(), let p = reader.magnitude(),
        let q = reader.magnitude()
      else { return nil }
      return .rsa(
        modulus: modulus, publicExponent: publicExponent, privateExponent: privateExponent, coefficient: coefficient,
        primes: [p, q])
    case .ecdsa(let curve):
      guard reader.text() == curve.rawValue, let point = reader.string(), let scalar = reader.magnitude() else {
        return nil
      }
      return .ecdsa(curve, point: point, scalar: scalar)
    case .ed25519:
      guard let point = reader.string(), let seedAndPoint = reader.string(), seedAndPoint.count == 64,
        Array(seedAndPoint.suffix(32)) == point
      else { return nil }
      return .ed25519(point: point, seed: Array(seedAndPoint.prefix(32)))
    case .dsa, .other: return nil
    }
  }

  var description: String { "OpenSSHKey(\(publicKey.type), \(cipher))" }
}

extension OpenSSHKey {
  /// The time limit of `ssh-keygen`, whose duration depends on the rounds of bcrypt that the key specifies.
  private static let keygenTimeout = Duration.seconds(60)
  private static let passphraseVariable = "STORAGE_AUTH_PASSPHRASE"
  /// The file that shows that `ssh-keygen` has asked for the passphrase, and so that it can read the key.
  private static let markerName = "asked"
  /// The program that `ssh-keygen` asks for the passphrase: it creates the marker file, and prints the passphrase.
  private static let askpassScript = """
    #!/bin/sh
    : > "${0%/*}/\(markerName)"
    printf '%s\\n' "$\(passphraseVariable)"

    """

  /// Runs `ssh-keygen` to find out whether a passphrase decrypts the key, whose cipher only OpenSSH implements.
  ///
  /// No argument contains a secret: the key is in a temporary file that only its owner can read, and the passphrase is
  /// in the environment, from which the askpass script passes it to `ssh-keygen`.
  func tryPassphrase(
    _ passphrase: Secret, keyText: Secret, on context: ProviderContext
  ) async throws(AsperaError) -> PrivateKeyReport.Passphrase {
    guard let commands = context.commands else { return .unchecked("this program runs no commands") }
    let phrase = passphrase.reveal()
    guard phrase.utf8.allSatisfy({ $0 != 0 && $0 != 0x0a }) else {
      return .unchecked("it has a line break or a NUL in it, which ssh-keygen does not accept")
    }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let keyPath = try folder.write([UInt8](keyText.bytes), to: "key")
    let scriptPath = try folder.write(Array(Self.askpassScript.utf8), to: "askpass", isExecutable: true)
    let result: CommandResult
    do {
      result = try await commands.run(
        ["ssh-keygen", "-y", "-f", keyPath],
        environment: ["SSH_ASKPASS": scriptPath, "SSH_ASKPASS_REQUIRE": "force", Self.passphraseVariable: phrase],
        timeout: Self.keygenTimeout, outputLimit: 1 << 16)
    } catch { return .unchecked(try Self.uncheckedReason(for: error)) }
    guard result.ending == .exited(0) else {
      guard folder.contains(Self.markerName) else { return .unchecked("ssh-keygen cannot read the key") }
      throw location.wrongPassphraseError
    }
    let line = String(decoding: result.standardOutput, as: UTF8.self)
    guard SSHPublicKey(line: line) == publicKey else { throw Self.mismatchError(at: location) }
    return .correct
  }

  /// Returns the reason why the passphrase was not checked, or throws if the check was cancelled.
  private static func uncheckedReason(for error: CommandError) throws(AsperaError) -> String {
    switch error {
    case .notFound: "ssh-keygen is not installed"
    case .notStarted(let reason): "ssh-keygen could not be started: \(reason)"
    case .timeout: "ssh-keygen took too long"
    case .outputTooLarge: "ssh-keygen wrote too much"
    case .cancelled: throw AsperaError(.failed, "The check of the key was cancelled.", remedy: "Check it again.")
    }
  }
}
