// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth

/// A report about a login that an Aspera server accepted.
public struct AccountProbeReport: Sendable, Hashable {
  /// A method by which a server can authenticate an account.
  public enum Method: String, Sendable, Hashable, CustomStringConvertible {
    /// A password that the client sent without a prompt from the server.
    case password
    /// A password that the client sent in response to a prompt from the server.
    case keyboardInteractive = "keyboard-interactive"
    /// A signature made with a private key.
    case publicKey = "publickey"
    /// No authentication, because the server accepts every client with this user name.
    ///
    /// The server did not check the account's credential.
    case none

    /// The name of the method in SSH, such as `publickey`.
    public var description: String { rawValue }
  }

  /// A server's host key.
  public struct HostKey: Sendable, Hashable {
    /// The type of the host key, such as `ssh-ed25519`.
    public let type: String

    /// The SHA-1 fingerprint of the host key, which an account can pin.
    public let fingerprint: HostKeyFingerprint

    /// The SHA-256 fingerprint of the host key in OpenSSH's form: `SHA256:` and Base64 without padding.
    public let sha256: String
  }

  /// The method by which the server authenticated the account.
  public let method: Method

  /// The host key of the server to which the client logged in, or `nil` if the client did not record the key.
  public let hostKey: HostKey?

  /// A Boolean value that indicates whether the account pins the server's host key.
  ///
  /// If the account pins no host key, every host key was accepted, and the identity of the server was not verified.
  public let isHostKeyPinned: Bool

  /// The version of the server's SSH software, such as `OpenSSH_9.2p1`, or `nil` if the client did not report the
  /// version.
  public let serverVersion: String?

  /// Additional findings about the login, one sentence each.
  public let notes: [String]
}
