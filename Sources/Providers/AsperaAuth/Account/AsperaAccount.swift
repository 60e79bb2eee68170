// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// An account on an Aspera server: the server, the user and the user's credential.
///
/// A server authenticates the account before it examines a token. The account does not limit what can be transferred.
///
/// ```swift
/// let account = try AsperaAccount(host: "aspera.example.com", user: "mia", password: password)
/// ```
public struct AsperaAccount: Credential {
  /// A credential that authenticates the account's user.
  public enum Authentication: Sendable, Equatable {
    /// The user logs in with a password.
    case password(Secret)
    /// The user logs in with a private key.
    case privateKey(AsperaPrivateKey)
  }

  /// The default port of Aspera servers, both for SSH (TCP) and for data (UDP).
  public static let defaultPort = 33001
  static let ports = 1...65_535

  /// The name or the IP address of the server.
  public let host: String
  /// The name of the user who logs in.
  public let user: String
  /// The server's TCP port for SSH.
  public let sshPort: Int
  /// The server's UDP port for data.
  public let udpPort: Int
  /// The credential that authenticates the account's user.
  public let authentication: Authentication
  /// The fingerprint that the server's host key must have, or `nil` to accept every host key.
  public let hostKey: HostKeyFingerprint?

  /// Whether the server requires a token for each of the account's transfers.
  public package(set) var requiresToken: Bool

  /// Whether the host is only assumed: it is not sent to the token issuer, and a host that the issuer names replaces it.
  package var isHostAssumed = false

  /// Creates an account with a password or a private key.
  ///
  /// - Parameters:
  ///   - host: The name or the IP address of the server.
  ///   - user: The name of the user who logs in.
  ///   - password: The user's password, or `nil` if the user logs in with a private key. A blank one counts as none.
  ///   - privateKey: The user's private key, or `nil` if the user logs in with a password.
  ///   - sshPort: The server's TCP port for SSH.
  ///   - udpPort: The server's UDP port for data.
  ///   - hostKey: The fingerprint that the server's host key must have, or `nil` to accept every host key.
  ///   - requiresToken: Whether the server requires a token for each transfer of this account.
  /// - Throws: An ``AsperaError``: `ambiguousCredential` if both a password and a private key are given,
  ///   `missingCredential` if neither is given, and `invalidAccount` if the host, the user or a port is invalid.
  public init(
    host: String, user: String, password: Secret? = nil, privateKey: AsperaPrivateKey? = nil,
    sshPort: Int = defaultPort, udpPort: Int = defaultPort, hostKey: HostKeyFingerprint? = nil,
    requiresToken: Bool = false
  ) throws(AsperaError) {
    for (property, name) in [("host", host), ("user", user)] where !name.isHostOrUserName {
      throw AsperaError(
        .invalidAccount,
        "The \(property) of the account is empty, starts with a hyphen, or holds a space or a line break.",
        remedy: "Give the account the \(property) that the server's administrator named.")
    }
    for (use, port) in [("SSH", sshPort), ("UDP", udpPort)] where !Self.ports.contains(port) {
      throw AsperaError(
        .invalidAccount, "\(port) is not a port number, so that it cannot be the \(use) port of the account.",
        remedy: "Use 1 to 65535; the default of Aspera servers is \(Self.defaultPort).")
    }
    switch (password?.nonblank, privateKey) {
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

  /// Creates an account whose user logs in with a password.
  ///
  /// The parameters are those of the initializer with a private key.
  ///
  /// - Throws: An ``AsperaError``: `missingCredential` for a blank password, otherwise `invalidAccount`.
  public init(
    host: String, user: String, password: String, sshPort: Int = defaultPort, udpPort: Int = defaultPort,
    hostKey: HostKeyFingerprint? = nil, requiresToken: Bool = false
  ) throws(AsperaError) {
    try self.init(
      host: host, user: user, password: Secret(password), sshPort: sshPort, udpPort: udpPort, hostKey: hostKey,
      requiresToken: requiresToken)
  }

  /// The expiration, which is `nil`: a password or a key has none of its own.
  public var expiration: Timestamp? { nil }
}

extension AsperaAccount {
  /// Checks everything about the account that can be checked without contacting its server.
  ///
  /// - Parameter context: The context that reads the files of a private key and runs `ssh-keygen`.
  /// - Returns: A report about the account's credential, with notes.
  /// - Throws: An ``AsperaError`` if the private key cannot be used (see ``AsperaPrivateKey/check(on:)``), or if the
  ///   password is not UTF-8 or contains a line break or a NUL, which neither ascp nor an SSH client accepts.
  public func check(on context: ProviderContext) async throws(AsperaError) -> AccountReport {
    var notes: [String] = []
    if hostKey == nil { notes.append("The account names no host key, so that any server at \(host) is accepted.") }
    switch authentication {
    case .password(let password):
      guard String(utf8: [UInt8](password.bytes))?.unicodeScalars.contains(where: \.isLineBreakOrNUL) == false else {
        throw AsperaError(
          .invalidAccount, "The password of \(user) at \(host) has a line break or a NUL in it, or is not UTF-8.",
          remedy: "Give the password without a line break; one that is read from a file often ends with one.")
      }
      return AccountReport(authentication: .password, notes: notes)
    case .privateKey(let key):
      let report = try await key.check(on: context)
      notes += report.limits.map(\.reason)
      if case .unchecked(let reason) = report.passphrase {
        notes.append("The passphrase of the key was not checked: \(reason).")
      }
      return AccountReport(authentication: .privateKey(report), notes: notes)
    }
  }
}

/// The result of an account check before a transfer starts, without secrets.
public struct AccountReport: Sendable, Hashable {
  /// The kind of credential with which an account logs in.
  public enum Authentication: Sendable, Hashable, CustomStringConvertible {
    /// The account logs in with a password, which only the server can check.
    case password
    /// The account logs in with a private key, which the given report describes.
    case privateKey(PrivateKeyReport)

    /// The credential in words, such as `private key: RSA, 3072 bits, PKCS #8, not encrypted`.
    public var description: String {
      switch self {
      case .password: "password"
      case .privateKey(let key): "private key: \(key.kind), \(key.format), \(key.passphrase)"
      }
    }
  }

  /// The kind of credential with which the account logs in.
  public let authentication: Authentication
  /// Sentences about circumstances that the caller should know but that do not prevent the use of the account.
  public let notes: [String]
}

extension String {
  /// Whether the text can be a host or user name: it has no space and no control character that is ASCII.
  var isHostOrUserName: Bool {
    // ascp and ssh read an argument that starts with a hyphen as an option.
    !isEmpty && !beginsWithByte("-") && unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7f }
  }
}

extension Secret {
  /// The secret, or `nil` if it is empty or has only white space.
  var nonblank: Secret? { reveal().isBlank ? nil : self }
}
