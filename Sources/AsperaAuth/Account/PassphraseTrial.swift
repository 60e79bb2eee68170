internal import CloudCredentials
internal import StorageAuth

/// Tries a passphrase on a key in OpenSSH's own format, with `ssh-keygen`.
///
/// The key goes to a file that only its owner can read, the passphrase to the environment of the program, which asks a
/// script for it; no argument holds a secret, and everything is removed.
struct PassphraseTrial {
  /// How a trial ends.
  enum Outcome: Equatable {
    /// The passphrase opens the key.
    case opened
    /// It does not.
    case refused
    /// It does, and the public key of what came out is another one.
    case otherKey
    /// There was no trial; why, in a few words.
    case notTried(String)
  }

  /// The key, encrypted.
  let text: Secret

  /// What is tried.
  let passphrase: Secret

  /// What the private key has to belong to.
  let publicKey: SSHPublicKey

  /// The variable that carries the passphrase.
  private static let variable = "STORAGE_AUTH_PASSPHRASE"

  /// Prints the passphrase, and leaves a file that shows that it was asked for.
  private static let script = """
    #!/bin/sh
    : > "${0%/*}/asked"
    printf '%s\\n' "$\(variable)"

    """

  /// Runs the trial.
  ///
  /// - Throws: An ``AsperaError`` if it was cancelled or if the files cannot be written.
  func run(on machine: ProviderContext) async throws(AsperaError) -> Outcome {
    guard let commands = machine.commands else { return .notTried("this program runs no commands") }
    let passphrase = passphrase.reveal()
    guard passphrase.utf8.allSatisfy({ $0 != 0 && $0 != 0x0a }) else {
      return .notTried("it has a line break in it, which ssh-keygen does not take")
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
        return folder.contains("asked") ? .refused : .notTried("ssh-keygen does not read the key")
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
