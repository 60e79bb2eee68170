public import CloudCredentials
public import StorageAuth

extension AsperaAccount {
  /// The user that servers have for transfers with tokens, unless the answer to a setup call names another.
  public static let defaultTokenUser = "xfer"

  /// The variable that the passphrase of the key is taken from if the caller gives none; it is the one that ascp reads.
  package static let passphraseVariable = "ASPERA_SCP_PASS"

  /// The account that transfers with tokens log in with: the key proves nothing but that it is a client of Aspera, the
  /// token decides.
  ///
  /// The key is one that IBM's products bring with them, with a passphrase that IBM's samples name. Neither comes with
  /// this package. ``DynamicKey`` does without them where the server is new enough.
  ///
  /// - Parameters:
  ///   - host: The server.
  ///   - user: The user, as the answer to a setup call names it.
  ///   - keyPath: The file of the key; the places where IBM's products put it are searched, if not given. It may be open
  ///     to others, because everybody has it.
  ///   - passphrase: The passphrase; that of `ASPERA_SCP_PASS`, if not given and if the key is encrypted.
  ///   - sshPort: The TCP port for SSH.
  ///   - udpPort: The UDP port for the data.
  ///   - hostKey: The fingerprint that the host key of the server must have.
  ///   - machine: Reads the files and the environment.
  /// - Throws: An ``AsperaError``: `keyNotFound` lists the places that were searched, `wrongPassphrase` says that the key
  ///   is encrypted and there is no passphrase.
  public static func defaultTokenAccount(
    host: String, user: String? = nil, keyPath: String? = nil, passphrase: Secret? = nil, sshPort: Int = defaultPort,
    udpPort: Int = defaultPort, hostKey: HostKeyFingerprint? = nil, on machine: ProviderContext
  ) throws(AsperaError) -> AsperaAccount {
    let path = if let keyPath { keyPath } else { try tokenKey(on: machine) }
    var key = AsperaPrivateKey(wellKnown: path, passphrase: passphrase)
    if key.passphrase == nil, let cipher = try key.cipher(on: machine) {
      key = AsperaPrivateKey(wellKnown: path, passphrase: machine.environment(passphraseVariable).map { Secret($0) })
      guard key.passphrase != nil else {
        throw KeyPlace(key.source).error(
          .wrongPassphrase, "is encrypted (\(cipher)) and no passphrase is given",
          remedy: "Give the passphrase, or set \(passphraseVariable); IBM's samples name it.")
      }
    }
    return try AsperaAccount(
      host: host, user: user ?? defaultTokenUser, privateKey: key, sshPort: sshPort, udpPort: udpPort,
      hostKey: hostKey, requiresToken: true)
  }

  /// The first key that IBM's products put on this machine.
  private static func tokenKey(on machine: ProviderContext) throws(AsperaError) -> String {
    let places = TokenKeyPlaces.all(on: machine).compactMap { machine.absolute($0) }
    for place in places {
      do {
        _ = try machine.files.read(place, limit: 1 << 16)
        return place
      } catch FileReadError.notFound {
        continue
      } catch {
        // It is there, and whoever reads it says why it cannot be read.
        return place
      }
    }
    throw AsperaError(
      .keyNotFound,
      "No key for transfers with tokens is on this machine; these places were searched: "
        + "\(places.joined(separator: ", ")).",
      remedy: "Install IBM Aspera Connect, name the key with keyPath, or use a DynamicKey if the server takes one.")
  }
}

extension AsperaPrivateKey {
  /// The cipher that the key is encrypted with; nothing if it is not.
  func cipher(on machine: ProviderContext) throws(AsperaError) -> String? {
    switch try KeyText([UInt8](text(on: machine)), at: KeyPlace(source)) {
    case .pem(let block): block.cipher
    case .openSSH(let key): key.isEncrypted ? key.cipher : nil
    }
  }
}
