public import StorageAuth

/// A private key to log in with: a file, or its text in memory, and the passphrase if it has one.
public struct AsperaPrivateKey: Sendable, Equatable {
  /// Where the key is.
  public enum Source: Sendable, Equatable {
    /// A file; a relative path is relative to the working directory of the process, `~/` to the home directory.
    case file(String)
    /// The text of such a file.
    case pem(Secret)
  }

  /// Where the key is.
  public let source: Source

  /// The passphrase; nothing for a key that is not encrypted.
  public let passphrase: Secret?

  /// The file of the public key, which the private one is checked against.
  public let publicKeyFile: String?

  /// Whether everybody may have it, as the key that IBM's products come with: its file may be open to others.
  let isWellKnown: Bool

  /// Names a key.
  ///
  /// - Parameters:
  ///   - source: Where the key is.
  ///   - passphrase: The passphrase; a blank one counts as none.
  ///   - publicKeyFile: The file of the public key, if the private one is to be checked against it.
  public init(_ source: Source, passphrase: Secret? = nil, publicKeyFile: String? = nil) {
    self.source = source
    self.passphrase = passphrase.flatMap { $0.isBlank ? nil : $0 }
    self.publicKeyFile = publicKeyFile
    isWellKnown = false
  }

  /// Names a key that everybody may have.
  init(wellKnown path: String, passphrase: Secret?) {
    source = .file(path)
    self.passphrase = passphrase.flatMap { $0.isBlank ? nil : $0 }
    publicKeyFile = nil
    isWellKnown = true
  }

  /// A key in a file.
  public static func file(_ path: String, passphrase: Secret? = nil, publicKeyFile: String? = nil) -> AsperaPrivateKey {
    AsperaPrivateKey(.file(path), passphrase: passphrase, publicKeyFile: publicKeyFile)
  }

  /// A key in memory.
  public static func pem(_ text: Secret, passphrase: Secret? = nil) -> AsperaPrivateKey {
    AsperaPrivateKey(.pem(text), passphrase: passphrase)
  }
}
