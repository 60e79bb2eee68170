// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import StorageAuth

/// A check that runs `ssh-keygen` to find out whether a passphrase decrypts a key in OpenSSH's own format.
///
/// The key is written to a file that only its owner can read. The passphrase is passed in the environment, from which
/// an askpass script passes it to `ssh-keygen`. No argument contains a secret, and all files are removed afterwards.
struct PassphraseTrial {
  /// The result of checking a passphrase with `ssh-keygen`.
  enum Outcome: Equatable {
    /// The passphrase decrypts the key.
    case opened
    /// The passphrase does not decrypt the key.
    case refused
    /// The passphrase decrypts the key, but the private key belongs to another public key.
    case otherKey
    /// The passphrase was not tried for the given reason, which follows a colon in messages.
    case notTried(String)
  }

  /// The text of the encrypted key file.
  let text: Secret

  /// The passphrase that `ssh-keygen` tries.
  let passphrase: Secret

  /// The public key that must belong to the private key.
  let publicKey: SSHPublicKey

  /// The environment variable that contains the passphrase for the askpass script.
  private static let variable = "STORAGE_AUTH_PASSPHRASE"

  /// The askpass script, which prints the passphrase and creates a file that shows that the script was called.
  private static let script = """
    #!/bin/sh
    : > "${0%/*}/asked"
    printf '%s\\n' "$\(variable)"

    """

  /// Runs `ssh-keygen` with the passphrase, and returns the result.
  ///
  /// - Throws: An ``AsperaError`` if the check is cancelled or if the files cannot be written.
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
