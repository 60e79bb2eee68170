// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

extension AsperaAccount {
  /// The user name for transfers with tokens, unless a node's response to a setup request specifies another user.
  public static let defaultTokenUser = "xfer"

  /// The environment variable, also of ascp, with the passphrase of the key if the caller specifies none.
  package static let passphraseVariable = "ASPERA_SCP_PASS"

  /// Creates the account with which transfers that are authorized by tokens log in.
  ///
  /// The key shows only that the client is an Aspera client; the token authorizes the transfer. IBM's products install
  /// the key, and IBM's samples publish its passphrase. This package contains neither of them. With servers that
  /// support it, a ``DynamicKey`` makes both unnecessary.
  ///
  /// - Parameters:
  ///   - host: The name or the address of the server.
  ///   - user: The user that a node's response to a setup request specifies. If `nil`, ``defaultTokenUser``.
  ///   - keyPath: The path of the key file. If `nil`, the locations where IBM's products install the key are searched.
  ///     Other users may read the file of IBM's key, which its fingerprint identifies.
  ///   - passphrase: The passphrase of the key. If `nil` and the key is encrypted, the value of `ASPERA_SCP_PASS`.
  ///   - sshPort: The TCP port for SSH.
  ///   - udpPort: The UDP port for data.
  ///   - hostKey: The fingerprint that the server's host key must have, or `nil` to accept every host key.
  ///   - context: The context that reads files and environment variables.
  /// - Throws: An ``AsperaError``: `keyNotFound`, with the searched locations, if there is no key; `wrongPassphrase` if
  ///   the key is encrypted and no passphrase is given; `insecureKeyFile` if other users can read or replace the file
  ///   of a key that is not IBM's; `invalidAccount` if the host, the user or a port is invalid.
  public static func defaultTokenAccount(
    host: String, user: String? = nil, keyPath: String? = nil, passphrase: Secret? = nil, sshPort: Int = defaultPort,
    udpPort: Int = defaultPort, hostKey: HostKeyFingerprint? = nil, on context: ProviderContext
  ) throws(AsperaError) -> AsperaAccount {
    let key = try tokenKey(at: keyPath, passphrase: passphrase, .ibm, on: context)
    return try AsperaAccount(
      host: host, user: user ?? defaultTokenUser, privateKey: key, sshPort: sshPort, udpPort: udpPort,
      hostKey: hostKey, requiresToken: true)
  }

  /// Returns the key for transfers with tokens, with its passphrase, after a check of who has access to its file.
  package static func tokenKey(
    at keyPath: String?, passphrase: Secret?, _ wellKnownKeys: WellKnownKeys, on context: ProviderContext
  ) throws(AsperaError) -> AsperaPrivateKey {
    let path = if let keyPath { keyPath } else { try installedTokenKeyPath(on: context) }
    let file = AsperaPrivateKey.Source.file(path)
    var key = AsperaPrivateKey(file, passphrase: passphrase, wellKnownKeys: wellKnownKeys)
    if key.passphrase == nil, let cipher = try key.cipher(on: context) {
      key = AsperaPrivateKey(
        file, passphrase: context.environment(passphraseVariable).map { Secret($0) }, wellKnownKeys: wellKnownKeys)
      guard key.passphrase != nil else {
        throw KeyLocation(file).error(
          .wrongPassphrase, "is encrypted (\(cipher)) and no passphrase is given",
          remedy: "Give the passphrase, or set \(passphraseVariable); IBM's samples contain it.")
      }
    }
    _ = try key.checkedText(on: context)
    return key
  }

  private static func installedTokenKeyPath(on context: ProviderContext) throws(AsperaError) -> String {
    let paths = TokenKeyLocations.all(on: context).compactMap { context.absolute($0) }
    for path in paths {
      do {
        _ = try context.files.read(path, limit: KeyLocation.byteLimit)
        return path
      } catch FileReadError.notFound {
        continue
      } catch {
        // The file exists; `checkedText(on:)` reports why it cannot be read.
        return path
      }
    }
    throw AsperaError(
      .keyNotFound,
      "No key for transfers with tokens is on this machine; these locations were searched: "
        + "\(paths.joined(separator: ", ")).",
      remedy: "Install IBM Aspera Connect, name the key with keyPath, or use a DynamicKey if the server supports it.")
  }
}

extension AsperaPrivateKey {
  /// Returns the cipher of an encrypted key, whose file is not checked: IBM's key is recognized only when decrypted.
  fileprivate func cipher(on context: ProviderContext) throws(AsperaError) -> String? {
    switch try EncodedPrivateKey([UInt8](uncheckedText(on: context).secret.bytes), at: KeyLocation(source)) {
    case .pem(let block): block.cipher
    case .openSSH(let key): key.isEncrypted ? key.cipher : nil
    }
  }
}

/// The locations of IBM's RSA key for transfers with tokens; current servers refuse the older DSA key.
package enum TokenKeyLocations {
  package enum System: Sendable {
    case linux, macOS, windows

    package static var current: System {
      #if os(Windows)
        .windows
      #elseif os(macOS)
        .macOS
      #else
        .linux
      #endif
    }
  }

  /// Returns the paths in the order of the search; a path that begins with `~/` is in the home directory.
  package static func all(_ system: System = .current, on context: ProviderContext) -> [String] {
    let fileName = "aspera_tokenauth_id_rsa"
    // aspera-cli writes the key to this path.
    let sdkPaths = ["~/.aspera/sdk/aspera_bypass_rsa.pem"]
    switch system {
    case .linux:
      let condaPaths = context.variable("CONDA_PREFIX").map { ["\($0)/opt/aspera/connect/etc/\(fileName)"] } ?? []
      return ["~/.aspera/connect/etc/\(fileName)", "/opt/aspera/var/\(fileName)", "~/.aspera/cli/etc/\(fileName)"]
        + sdkPaths + condaPaths
    case .macOS:
      let connectPaths = ["~/Applications", "/Applications"].flatMap { folder in
        ["IBM Aspera Connect", "Aspera Connect"].map { "\(folder)/\($0).app/Contents/Resources/\(fileName)" }
      }
      return connectPaths + [
        "/Library/Aspera/var/\(fileName)", "~/Applications/Aspera CLI/etc/\(fileName)",
        "/Applications/Aspera Drive.app/Contents/Resources/\(fileName)",
      ] + sdkPaths
    case .windows:
      let programsPath = context.variable("LOCALAPPDATA").map { "\($0)\\Programs" }
      let connectPaths = programsPath.map { ["\($0)\\Aspera\\Aspera Connect\\etc\\\(fileName)"] } ?? []
      let programFiles = context.variable("ProgramFiles") ?? "C:\\Program Files"
      return connectPaths + [
        "\(programFiles)\\Aspera\\Enterprise Server\\var\\\(fileName)",
        "\(programFiles)\\Aspera\\cli\\etc\\\(fileName)",
      ] + sdkPaths
    }
  }
}

/// Key pairs whose private keys are public knowledge, identified by the fingerprints of their public keys.
///
/// A name or a location does not make a key well-known: a file is recognized only by the private key in it.
package struct WellKnownKeys: Sendable, Hashable {
  /// The SHA-256 fingerprints of the public keys in OpenSSH's form, such as `ssh-keygen -l` prints them.
  package let fingerprints: Set<String>

  package init(fingerprints: Set<String>) { self.fingerprints = fingerprints }

  /// The two key pairs that IBM's products and aspera-cli install for transfers with tokens.
  ///
  /// The source of the fingerprints is the public data of IBM's aspera-cli 4.26.2: the files 2 (RSA, 4,096 bits) and 1
  /// (DSA) of `lib/aspera/data`, which aspera-cli writes to `aspera_bypass_rsa.pem` and `aspera_bypass_dsa.pem` as the
  /// code in `lib/aspera/ascp/installation.rb` says. IBM's `aspera_tokenauth_id_rsa` is the RSA key with a passphrase:
  /// IBM's guides authorize that file's public key on servers, and aspera-cli logs in to them with its own file.
  package static let ibm = WellKnownKeys(fingerprints: [
    "SHA256:JBWNz1H0K96a9kHlL/FkVoJwq/gRjb3tAceiW81mPyU", "SHA256:vuGW1XcqdXrKC5EcFszUwyEX0x/QhzpvVHbGXmYN5c0",
  ])

  func contains(_ key: PrivateKey) -> Bool {
    key.publicKey.sshBlob.flatMap { SSHPublicKey(blob: $0) }.map { fingerprints.contains($0.fingerprint) } ?? false
  }
}

/// A key pair for a few transfers, which is generated in memory and never written to a file.
///
/// Aspera servers since version 4.4 accept the public key in a request for a transfer (`public_keys` of `upload_setup`
/// and `download_setup`). They then accept the private key for the login, so IBM's key is not needed.
///
/// ```swift
/// let key = try DynamicKey()
/// let account = try AsperaAccount(host: host, user: user, privateKey: key.privateKey)
/// ```
public struct DynamicKey: Sendable, Equatable {
  /// The public key as a line of `authorized_keys`, which is the value of the specification's field `public_keys`.
  public let publicKey: String
  /// The private key, in a format that every version of ascp and every SSH client can read.
  public let privateKey: AsperaPrivateKey

  /// Generates an RSA key pair, which takes up to a second.
  ///
  /// - Parameter bits: The length of the modulus: 2048 to 16384; on Apple's systems to 8192, and a multiple of 128.
  /// - Throws: An ``AsperaError``: `unsupportedKey` if the length is not supported, or `failed` if generation fails.
  public init(bits: Int = 3_072) throws(AsperaError) {
    guard (2_048...PrivateKey.rsaModulusBitLimit).contains(bits), PrivateKey.canGenerateRSA(bits: bits) else {
      throw AsperaError(
        .unsupportedKey, "A key of \(bits) bits cannot be generated.",
        remedy: "Use 2048 to \(PrivateKey.rsaModulusBitLimit), and a multiple of 128.")
    }
    guard let key = try? PrivateKey.generateRSA(bits: bits), let text = key.traditionalPEM,
      let publicKey = key.publicKey.sshBlob.flatMap({ SSHPublicKey(blob: $0) })
    else {
      throw AsperaError(
        .failed, "A key could not be generated.", remedy: "Check whether the system's random number generator works.")
    }
    self.publicKey = publicKey.authorizedKeysLine
    privateKey = .pem(Secret(bytes: [UInt8](text)))
  }
}
