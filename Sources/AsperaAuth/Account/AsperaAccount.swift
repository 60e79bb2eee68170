public import StorageAuth

/// An account on an Aspera server: where it is, who logs in, and with what.
///
/// A server checks the account before it looks at a token. An account says nothing about what may be transferred.
///
/// ```swift
/// let account = try AsperaAccount(host: "aspera.example.com", user: "mia", password: password)
/// ```
public struct AsperaAccount: Sendable, Equatable {
  /// What proves that it is the user.
  public enum Authentication: Sendable, Equatable {
    /// A password.
    case password(Secret)
    /// A private key.
    case privateKey(AsperaPrivateKey)
  }

  /// The port that Aspera servers listen on, for SSH as for the data, unless they are told otherwise.
  public static let defaultPort = 33001

  /// The name or the address of the server.
  public let host: String

  /// The name of the user.
  public let user: String

  /// The TCP port for SSH.
  public let sshPort: Int

  /// The UDP port for the data.
  public let udpPort: Int

  /// What proves that it is the user.
  public let authentication: Authentication

  /// The fingerprint that the host key of the server must have; without one no host key is refused.
  public let hostKey: HostKeyFingerprint?

  /// Whether the server wants a token for each transfer of this account.
  public let requiresToken: Bool

  /// Describes an account.
  ///
  /// A blank password counts as none.
  ///
  /// - Parameters:
  ///   - host: The name or the address of the server.
  ///   - user: The name of the user.
  ///   - password: The password.
  ///   - privateKey: The private key.
  ///   - sshPort: The TCP port for SSH.
  ///   - udpPort: The UDP port for the data.
  ///   - hostKey: The fingerprint that the host key of the server must have.
  ///   - requiresToken: Whether the server wants a token for each transfer of this account.
  /// - Throws: An ``AsperaError`` if there is both a password and a key, or neither, or if the host, the user or a port
  ///   cannot be used.
  public init(
    host: String, user: String, password: Secret? = nil, privateKey: AsperaPrivateKey? = nil,
    sshPort: Int = defaultPort, udpPort: Int = defaultPort, hostKey: HostKeyFingerprint? = nil,
    requiresToken: Bool = false
  ) throws(AsperaError) {
    for (name, text) in [("host", host), ("user", user)] {
      guard !text.isEmpty, !text.hasPrefix("-"), text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7f })
      else {
        throw AsperaError(
          .invalidAccount,
          "The \(name) of the account is empty, starts with a hyphen, or holds a space or a line break.",
          remedy: "Give the account the \(name) that the server's administrator named.")
      }
    }
    for (name, port) in [("SSH", sshPort), ("UDP", udpPort)] where !(1...65_535).contains(port) {
      throw AsperaError(
        .invalidAccount, "\(port) is not a port, so that it cannot be the \(name) port of the account.",
        remedy: "Use 1 to 65535; Aspera servers listen on \(Self.defaultPort) unless they are told otherwise.")
    }
    switch (password.flatMap { $0.isBlank ? nil : $0 }, privateKey) {
    case (let password?, nil): authentication = .password(password)
    case (nil, let key?): authentication = .privateKey(key)
    case (_?, _?):
      throw AsperaError(
        .ambiguousCredential, "The account of \(user) at \(host) has both a password and a private key.",
        remedy: "Leave one of them out; the passphrase of a key belongs to the key.")
    case (nil, nil):
      throw AsperaError(
        .missingCredential, "The account of \(user) at \(host) has neither a password nor a private key.",
        remedy: "Give it one of them; a blank password counts as none.")
    }
    self.host = host
    self.user = user
    self.sshPort = sshPort
    self.udpPort = udpPort
    self.hostKey = hostKey
    self.requiresToken = requiresToken
  }
}

extension Secret {
  /// Whether there is nothing but spaces in it.
  var isBlank: Bool { reveal().allSatisfy(\.isWhitespace) }
}
