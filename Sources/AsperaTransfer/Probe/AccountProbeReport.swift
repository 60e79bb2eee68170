// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth

/// The facts about a login that a server accepted.
public struct AccountProbeReport: Sendable, Hashable {
  /// The methods of authentication.
  public enum Method: String, Sendable, Hashable {
    /// A password that the client sent without a prompt of the server.
    case password
    /// A password that the client sent in response to a prompt of the server.
    case keyboardInteractive = "keyboard-interactive"
    /// A private key.
    case publicKey = "publickey"
    /// No credential: the server accepts every client with this user name and did not check the account's credential.
    case none
  }

  /// A host key of the server.
  public struct HostKey: Sendable, Hashable {
    /// The type of the key, such as `ssh-ed25519`.
    public let type: String

    /// The SHA-1 of the key, which an account can pin.
    public let fingerprint: HostKeyFingerprint

    /// The SHA-256 of the key in OpenSSH's form: `SHA256:` and Base64 without padding.
    public let sha256: String
  }

  /// The method with which the account was authenticated.
  public let method: Method

  /// The host key of the authenticated connection, or `nil` if the client did not record it.
  public let hostKey: HostKey?

  /// A Boolean value that indicates whether the account pins this host key.
  ///
  /// If it does not, every host key was accepted, and the identity of the server was not verified.
  public let isHostKeyPinned: Bool

  /// The version of the server's SSH software, such as `OpenSSH_9.2p1`, or `nil` if the client did not report it.
  public let serverVersion: String?

  /// Further findings, one sentence each.
  public let notes: [String]
}
