// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// Options of ascp that a transfer specification does not determine.
///
/// ```swift
/// var options = AscpOptions(tokenKeyPath: path)
/// options.ignoredFields = ["read_threads"]
/// let engine = try AscpEngine(options: options)
/// ```
public struct AscpOptions: Sendable, Equatable {
  /// A Boolean value that indicates whether ascp prints no progress.
  public var isQuiet = true

  /// The condition under which a session uses a WebSocket instead of SSH.
  public var webSocket = WebSocketUse.whereOffered

  /// A Boolean value that indicates whether a session over a WebSocket may skip the check of a pinned host key; the
  /// certificate is checked instead.
  public var givesUpHostKey = false

  /// The path of the private key of the token account, which is used only if there is a token and no other credential.
  public var tokenKeyPath: String?

  /// The path of the certificates that a WebSocket's server is checked against; ascp's own certificates if `nil`.
  public var certificatesPath: String?

  /// The certificate and the key for HTTP fallback, for specifications that request it.
  public var fallback: FallbackFiles?

  /// A Boolean value that indicates whether paths are passed in a file list instead of as arguments.
  ///
  /// Arguments are limited in length, and every user of the machine can read them.
  public var usesFileList = true

  /// The session that this command is for, which is required for a specification with `multi_session`.
  public var part: Part?

  /// The home directory, for key paths that begin with `~/`.
  public var homeDirectory: String?

  /// The names of fields that ascp has no option for and that a transfer can do without.
  ///
  /// A specification with any other such field is refused. Fields that are mapped to an option are never ignored.
  public var ignoredFields: Set<String> = []

  /// Creates options.
  ///
  /// - Parameters:
  ///   - tokenKeyPath: The path of the private key of the token account.
  ///   - homeDirectory: The home directory, for key paths that begin with `~/`.
  public init(tokenKeyPath: String? = nil, homeDirectory: String? = nil) {
    self.tokenKeyPath = tokenKeyPath
    self.homeDirectory = homeDirectory
  }

  /// A condition under which a session uses a WebSocket instead of SSH.
  public enum WebSocketUse: Sendable, Hashable {
    /// A WebSocket whenever the specification offers one.
    case whereOffered
    /// A WebSocket only if the specification offers one and names no UDP port, so that SSH is not possible.
    case whereNeeded
  }

  /// The paths of the files for HTTP fallback.
  public struct FallbackFiles: Sendable, Hashable {
    /// The path of the certificate.
    public var certificatePath: String
    /// The path of the certificate's private key.
    public var keyPath: String

    /// Creates a pair of paths.
    public init(certificatePath: String, keyPath: String) {
      self.certificatePath = certificatePath
      self.keyPath = keyPath
    }
  }

  /// One of the sessions of a transfer with several.
  public struct Part: Sendable, Hashable {
    /// The number of the session, starting at 1.
    public var index: Int
    /// The count of all sessions.
    public var count: Int
    /// A Boolean value that indicates whether each session has a separate UDP port.
    ///
    /// The ports count up from that of the specification. Servers on Windows require separate ports.
    public var separatesPorts: Bool

    /// Creates one of several sessions.
    public init(index: Int, of count: Int, separatesPorts: Bool = false) {
      self.index = index
      self.count = count
      self.separatesPorts = separatesPorts
    }
  }
}
