// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import CredentialSources
internal import Foundation
internal import StorageAuth

/// An account's credential in a form that the SSH client can use.
enum ProbeCredential {
  /// A password for the login.
  case password(Secret)
  /// A private key in a file that the SSH client reads itself.
  case file(path: String, passphrase: Secret?)
  /// A private key in memory, which is written to a temporary file.
  case text(Secret, passphrase: Secret?)

  /// The maximum number of bytes that the SSH client reads from the askpass program.
  private static let responseLimit = 1_000

  /// Creates a credential from an account, converting a private key whose format the SSH client cannot read.
  ///
  /// - Throws: An `AsperaError` if the SSH client cannot use the credential.
  init(of account: AsperaAccount, on machine: ProviderContext) throws(AsperaError) {
    switch account.authentication {
    case .password(let password):
      try Self.check(password, "password")
      self = .password(password)
    case .privateKey(let original):
      let key = try original.converted(for: .ssh, on: machine)
      if let passphrase = key.passphrase { try Self.check(passphrase, "passphrase") }
      switch key.source {
      case .pem(let text): self = .text(text, passphrase: key.passphrase)
      case .file(let path):
        let named = machine.absolute(path) ?? path
        let absolute = named.beginsWithByte("/") ? named : "\(FileManager.default.currentDirectoryPath)/\(named)"
        self = .file(path: absolute, passphrase: key.passphrase)
      }
    }
  }

  /// The credential in the form that ``SSHConnection`` requires.
  var connectionCredential: SSHConnection.Credential {
    switch self {
    case .password(let password): .password(password)
    case .file(_, let passphrase), .text(_, let passphrase): .key(passphrase: passphrase)
    }
  }

  /// Writes the private key, or a link to the key file, to a connection's folder.
  func write(to folder: TemporaryFolder) throws(AsperaError) {
    switch self {
    case .password: return
    case .text(let text, _):
      // OpenSSH rejects a key whose last line does not end with a line break.
      var pem = text.reveal().replacing("\r\n", with: "\n")
      if !pem.hasSuffix("\n") { pem += "\n" }
      _ = try folder.write(Array(pem.utf8), to: SSHConnection.keyFile)
    case .file(let path, _):
      // A link is used because the client would search for a public key and a certificate next to the original file. If
      // these files were outdated, the client would offer a different key.
      do {
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder.path)/\(SSHConnection.keyFile)", withDestinationPath: path)
      } catch {
        throw AsperaError(
          .failed, "The key cannot be passed to the SSH client: no link can be created in \(folder.path).",
          remedy: "See whether TMPDIR names a folder of a file system that has symbolic links.")
      }
    }
  }

  private static func check(_ secret: Secret, _ name: String) throws(AsperaError) {
    let text = secret.reveal()
    guard text.utf8.count <= responseLimit, text.utf8.allSatisfy({ ![0x00, 0x0a, 0x0d].contains($0) }) else {
      throw AsperaError(
        .invalidAccount,
        "The \(name) is longer than \(responseLimit) bytes or contains a line break or a null byte, so the SSH client cannot receive it.",
        remedy: "Check that the \(name) is not another value, such as the contents of a file.")
    }
  }
}
