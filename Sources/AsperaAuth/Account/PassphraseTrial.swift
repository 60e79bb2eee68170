// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import StorageAuth

/// A trial of a passphrase on a key in OpenSSH's own format, with `ssh-keygen`.
///
/// The key is written to a file that only its owner can read. The passphrase is passed in the environment of
/// `ssh-keygen`, which obtains it from an askpass script. No argument contains a secret, and all files are removed.
struct PassphraseTrial {
  /// The result of a trial.
  enum Outcome: Equatable {
    /// A passphrase that decrypts the key.
    case opened
    /// A passphrase that does not decrypt the key.
    case refused
    /// A passphrase that decrypts the key, whose private key belongs to another public key.
    case otherKey
    /// A passphrase that was not tried, for the given reason, which follows a colon in messages.
    case notTried(String)
  }

  /// The text of the encrypted key.
  let text: Secret

  /// The passphrase to try.
  let passphrase: Secret

  /// The public key that the private key must belong to.
  let publicKey: SSHPublicKey

  /// The environment variable with the passphrase.
  private static let variable = "STORAGE_AUTH_PASSPHRASE"

  /// The askpass script, which prints the passphrase and creates a file that shows that it was called.
  private static let script = """
    #!/bin/sh
    : > "${0%/*}/asked"
    printf '%s\\n' "$\(variable)"

    """

  /// Runs `ssh-keygen` with the passphrase.
  ///
  /// - Throws: An ``AsperaError`` if the trial is cancelled or if the files cannot be written.
  func run(on machine: ProviderContext) async throws(AsperaError) -> Outcome {
    guard let commands = machine.commands else { return .notTried("this program runs no commands") }
    let passphrase = passphrase.reveal()
    guard passphrase.utf8.allSatisfy({ $0 != 0 && $0 != 0x0a }) else {
      return .notTried("it has a line break or a NUL in it, which ssh-keygen does not accept")
    }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let key = try folder.write([UInt8](text), to: "key")
    let script = try folder.write(Array(Self.script.utf8), to: "askpass", isExecutable: true)
    do {
      let result = try await commands.run(
        ["ssh-keygen", "-y", "-f", key],
        environment: ["SSH_ASKPASS": script, "SSH_ASKPASS_REQUIRE": "force", Self.variable: passphrase],
        timeout: .seconds(60), outputLimit: 1 << 16)
      guard result.ending == .exited(0) else {
        return folder.contains("asked") ? .refused : .notTried("ssh-keygen cannot read the key")
      }
      let line = String(decoding: result.standardOutput, as: UTF8.self)
      return SSHPublicKey(line: line) == publicKey ? .opened : .otherKey
    } catch {
      switch error {
      case .notFound: return .notTried("ssh-keygen is not installed")
      case .notStarted(let reason): return .notTried("ssh-keygen could not be started: \(reason)")
      case .timeout: return .notTried("ssh-keygen took too long")
      case .outputTooLarge: return .notTried("ssh-keygen wrote too much")
      case .cancelled:
        throw AsperaError(.failed, "The check of the key was cancelled.", remedy: "Check it again.")
      }
    }
  }
}
