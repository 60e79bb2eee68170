public import AsperaAuth

/// What a server said to an account that it accepted.
public struct AccountProbeReport: Sendable, Hashable {
  /// How the account was authenticated.
  public enum Method: String, Sendable, Hashable {
    /// With a password that was sent as such.
    case password
    /// With a password that the server asked for.
    case keyboardInteractive = "keyboard-interactive"
    /// With a key.
    case publicKey = "publickey"
    /// With nothing: the server lets anyone in under this name, and the credential of the account was not looked at.
    case none
  }

  /// A host key of the server.
  public struct HostKey: Sendable, Hashable {
    /// The kind of key, such as `ssh-ed25519`.
    public let type: String

    /// Its SHA-1, which is what an account is pinned to.
    public let fingerprint: HostKeyFingerprint

    /// Its SHA-256 as OpenSSH prints it: `SHA256:` and Base64 without padding.
    public let sha256: String
  }

  /// How the account was authenticated.
  public let method: Method

  /// The host key of the connection that the account was authenticated on.
  public let hostKey: HostKey?

  /// Whether that key is the one that the account names.
  ///
  /// Otherwise any key was accepted, and nothing says that the server is the right one.
  public let isHostKeyPinned: Bool

  /// What the server calls its SSH software, such as `OpenSSH_9.2p1`; nothing if it was not told.
  public let serverVersion: String?

  /// What else is worth knowing, a sentence each.
  public let notes: [String]
}
