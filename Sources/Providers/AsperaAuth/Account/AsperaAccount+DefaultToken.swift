// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CloudCredentials
public import StorageAuth
internal import StorageKeys

extension AsperaAccount {
  /// The user name for transfers with tokens, unless a node's response to a setup request specifies another user.
  public static let defaultTokenUser = "xfer"

  /// The environment variable that contains the passphrase of the key if the caller specifies none.
  ///
  /// ascp reads the same variable.
  package static let passphraseVariable = "ASPERA_SCP_PASS"

  /// Creates the account with which transfers that are authorized by tokens log in.
  ///
  /// The account's key shows only that the client is an Aspera client. The token authorizes the transfer. The key is
  /// installed with IBM's products, and its passphrase is published in IBM's samples. This package contains neither the
  /// key nor the passphrase. With servers that support it, a ``DynamicKey`` makes both unnecessary.
  ///
  /// - Parameters:
  ///   - host: The name or the address of the server.
  ///   - user: The user that a node's response to a setup request specifies. If `nil`, ``defaultTokenUser``.
  ///   - keyPath: The path of the key file. If `nil`, the key is searched for at the locations where IBM's products
  ///     install it. Because IBM's key is public, other users are allowed to read its file; it is recognized by its
  ///     fingerprint.
  ///   - passphrase: The passphrase of the key. If `nil` and the key is encrypted, the value of `ASPERA_SCP_PASS`.
  ///   - sshPort: The TCP port for SSH.
  ///   - udpPort: The UDP port for data.
  ///   - hostKey: The fingerprint that the server's host key must have, or `nil` to accept every host key.
  ///   - machine: The context that reads files and environment variables.
  /// - Throws: An ``AsperaError``: `keyNotFound`, with the searched locations, if there is no key; `wrongPassphrase` if
  ///   the key is encrypted and no passphrase is given; `insecureKeyFile` if other users can read or replace the file of
  ///   a key that is not IBM's; `invalidAccount` if the host, the user or a port is invalid.
  public static func defaultTokenAccount(
    host: String, user: String? = nil, keyPath: String? = nil, passphrase: Secret? = nil, sshPort: Int = defaultPort,
    udpPort: Int = defaultPort, hostKey: HostKeyFingerprint? = nil, on machine: ProviderContext
  ) throws(AsperaError) -> AsperaAccount {
    let key = try tokenKey(at: keyPath, passphrase: passphrase, .ibm, on: machine)
    return try AsperaAccount(
      host: host, user: user ?? defaultTokenUser, privateKey: key, sshPort: sshPort, udpPort: udpPort,
      hostKey: hostKey, requiresToken: true)
  }

  /// Returns the key for transfers with tokens, with its passphrase, after a check of who has access to its file.
  ///
  /// Tests replace the well-known keys.
  package static func tokenKey(
    at keyPath: String?, passphrase: Secret?, _ wellKnownKeys: WellKnownKeys, on machine: ProviderContext
  ) throws(AsperaError) -> AsperaPrivateKey {
    let path = if let keyPath { keyPath } else { try installedTokenKey(on: machine) }
    let file = AsperaPrivateKey.Source.file(path)
    var key = AsperaPrivateKey(file, passphrase: passphrase, wellKnownKeys: wellKnownKeys)
    if key.passphrase == nil, let cipher = try key.cipher(on: machine) {
      key = AsperaPrivateKey(
        file, passphrase: machine.environment(passphraseVariable).map { Secret($0) }, wellKnownKeys: wellKnownKeys)
      guard key.passphrase != nil else {
        throw KeyPlace(file).error(
          .wrongPassphrase, "is encrypted (\(cipher)) and no passphrase is given",
          remedy: "Give the passphrase, or set \(passphraseVariable); IBM's samples contain it.")
      }
    }
    _ = try key.text(on: machine)
    return key
  }

  /// Returns the path of the first private key found at the locations where IBM's products install the key.
  private static func installedTokenKey(on machine: ProviderContext) throws(AsperaError) -> String {
    let places = TokenKeyPlaces.all(on: machine).compactMap { machine.absolute($0) }
    for place in places {
      do {
        _ = try machine.files.read(place, limit: 1 << 16)
        return place
      } catch FileReadError.notFound {
        continue
      } catch {
        // The file exists. The function that reads the key reports why the file cannot be read.
        return place
      }
    }
    throw AsperaError(
      .keyNotFound,
      "No key for transfers with tokens is on this machine; these locations were searched: "
        + "\(places.joined(separator: ", ")).",
      remedy: "Install IBM Aspera Connect, name the key with keyPath, or use a DynamicKey if the server supports it.")
  }
}

extension AsperaPrivateKey {
  /// Returns the name of the cipher that encrypts the private key, or `nil` if the key is not encrypted.
  ///
  /// Other users are allowed to read the file, because IBM's key is recognized only with its passphrase.
  func cipher(on machine: ProviderContext) throws(AsperaError) -> String? {
    switch try KeyText([UInt8](uncheckedText(on: machine).secret), at: KeyPlace(source)) {
    case .pem(let block): block.cipher
    case .openSSH(let key): key.isEncrypted ? key.cipher : nil
    }
  }
}
