// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// An account on an Aspera server: the server, the user and the user's credential.
///
/// A server authenticates the account before it examines a token. The account does not determine which files can be
/// transferred.
///
/// ```swift
/// let account = try AsperaAccount(host: "aspera.example.com", user: "mia", password: password)
/// ```
public struct AsperaAccount: Sendable, Equatable {
  /// A credential that authenticates the account's user.
  public enum Authentication: Sendable, Equatable {
    /// The user logs in with a password.
    case password(Secret)
    /// The user logs in with a private key.
    case privateKey(AsperaPrivateKey)
  }

  /// The default port of Aspera servers, both for SSH (TCP) and for data (UDP).
  public static let defaultPort = 33001

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

  /// A Boolean value that indicates whether the server requires a token for each of the account's transfers.
  public let requiresToken: Bool

  /// A Boolean value that indicates whether the host applies only if a token issuer specifies no host.
  ///
  /// Such a host is not sent to the issuer, which would return it.
  package var isHostAssumed = false

  /// Creates an account with a password or a private key.
  ///
  /// A blank password counts as no password.
  ///
  /// - Parameters:
  ///   - host: The name or the IP address of the server.
  ///   - user: The name of the user who logs in.
  ///   - password: The user's password, or `nil` if the user logs in with a private key.
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
    for (name, text) in [("host", host), ("user", user)] {
      guard !text.isEmpty, !text.beginsWithByte("-"),
        text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7f })
      else {
        throw AsperaError(
          .invalidAccount,
          "The \(name) of the account is empty, starts with a hyphen, or holds a space or a line break.",
          remedy: "Give the account the \(name) that the server's administrator named.")
      }
    }
    for (name, port) in [("SSH", sshPort), ("UDP", udpPort)] where !(1...65_535).contains(port) {
      throw AsperaError(
        .invalidAccount, "\(port) is not a port number, so that it cannot be the \(name) port of the account.",
        remedy: "Use 1 to 65535; the default of Aspera servers is \(Self.defaultPort).")
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
  /// Whether the secret is empty or consists of white space only.
  var isBlank: Bool { reveal().isBlank }
}
