// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageCrypto

extension AsperaPrivateKey {
  /// Returns the cipher of an encrypted key, whose file others may read: IBM's key is recognized by its contents.
  fileprivate func cipher(on context: ProviderContext) throws(AsperaError) -> String? {
    switch try KeyText([UInt8](uncheckedText(on: context).secret.bytes), at: KeyLocation(source)) {
    case .pem(let block): block.cipher
    case .openSSH(let key): key.isEncrypted ? key.cipher : nil
    }
  }
}

/// The locations of IBM's RSA key for transfers with tokens; current servers refuse the older DSA key.
package enum TokenKeyPlaces {
  /// An operating system, which determines the locations of the key.
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

  /// Returns the paths at which the key is searched for, in the order of the search.
  package static func all(_ system: System = .current, on context: ProviderContext) -> [String] {
    let name = "aspera_tokenauth_id_rsa"
    // aspera-cli writes the key to this path.
    let sdk = ["~/.aspera/sdk/aspera_bypass_rsa.pem"]
    switch system {
    case .linux:
      let conda = context.variable("CONDA_PREFIX").map { ["\($0)/opt/aspera/connect/etc/\(name)"] } ?? []
      return ["~/.aspera/connect/etc/\(name)", "/opt/aspera/var/\(name)", "~/.aspera/cli/etc/\(name)"] + sdk + conda
    case .macOS:
      let connect = ["~/Applications", "/Applications"].flatMap { folder in
        ["IBM Aspera Connect", "Aspera Connect"].map { "\(folder)/\($0).app/Contents/Resources/\(name)" }
      }
      return connect
        + [
          "/Library/Aspera/var/\(name)", "~/Applications/Aspera CLI/etc/\(name)",
          "/Applications/Aspera Drive.app/Contents/Resources/\(name)",
        ] + sdk
    case .windows:
      let connect = context.variable("LOCALAPPDATA").map {
        ["\($0)\\Programs\\Aspera\\Aspera Connect\\etc\\\(name)"]
      }
      let programs = context.variable("ProgramFiles") ?? "C:\\Program Files"
      return (connect ?? []) + [
        "\(programs)\\Aspera\\Enterprise Server\\var\\\(name)", "\(programs)\\Aspera\\cli\\etc\\\(name)",
      ] + sdk
    }
  }
}

/// Key pairs whose private keys are public knowledge, identified by the fingerprints of their public keys.
///
/// A name or a location does not make a key well-known: a file is recognized only by the private key in it.
package struct WellKnownKeys: Sendable, Hashable {
  /// The SHA-256 fingerprints of the public keys in OpenSSH's form, such as `ssh-keygen -l` prints them.
  package let fingerprints: Set<String>

  package init(fingerprints: Set<String>) {
    self.fingerprints = fingerprints
  }

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
